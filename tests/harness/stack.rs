//! A whole Loadout, as a test needs it: every service, laid out as asked, on a database of its own.
use std::{
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::{Path, PathBuf},
    time::Duration,
};

use contract::transport::{self, Transport};
use process::Process;
use sqlx::PgPool;
use tempfile::TempDir;

use crate::{
    client::{Client, Organization},
    machine::Machine,
    patience::eventually,
    site::{Layout, OPERATOR, Plan, Site, in_turn, remote},
    token::Tokens,
};

pub(crate) const ANY_PORT: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
const RESTART: Duration = Duration::from_secs(20);

pub struct Stack {
    plan: Plan,
    services: Vec<Service>,
    /// The one process, where everything is in it, and its inner ways.
    whole: Option<(Machine, Transport, Transport)>,
    pub gateways: Vec<SocketAddr>,
    pub pool: PgPool,
    _folder: TempDir,
}

/// Which service a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Search,
    Registry,
    Gateway,
}

struct Service {
    role: Role,
    machine: Machine,
    address: SocketAddr,
}

impl Stack {
    /// Everything in one process.
    pub async fn on(pool: &PgPool) -> Self {
        Self::of(pool, Site::default()).await
    }

    pub async fn laid_out(pool: &PgPool, layout: Layout) -> Self {
        Self::of(pool, Site { layout, ..Site::default() }).await
    }

    pub async fn of(pool: &PgPool, site: Site) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let layout = site.layout;
        let plan = Plan::new(pool, folder.path(), site);
        let (services, gateways) = (Vec::new(), Vec::new());
        let pool = pool.clone();
        let mut stack = Self { plan, services, whole: None, gateways, pool, _folder: folder };
        match layout {
            Layout::OneProcess => stack.start_whole().await,
            Layout::Apart | Layout::Doubled => stack.start_apart(layout.replicas()).await,
        }
        stack
    }

    /// Whoever makes organizations.
    pub fn operator(&self) -> Client {
        Client::new(&self.gateways, OPERATOR)
    }

    /// A new organization, with its workspace `main` and its owner's key.
    pub async fn organization(&self, slug: &str) -> Organization {
        Organization::make(&self.operator(), slug, slug).await
    }

    /// A way to the registry that is past the gateway.
    pub fn registry(&self) -> Transport {
        match &self.whole {
            Some((_, registry, _)) => registry.clone(),
            None => in_turn(self.ways(Role::Registry)),
        }
    }

    /// A way to search that is past the gateway.
    pub fn search(&self) -> Transport {
        match &self.whole {
            Some((_, _, search)) => search.clone(),
            None => in_turn(self.ways(Role::Search)),
        }
    }

    /// Signs for callers as the gateway does.
    pub fn tokens(&self) -> Tokens {
        Tokens::of(&self.plan.signer())
    }

    /// Where the vectors are.
    pub fn vectors(&self) -> PathBuf {
        self.plan.vectors()
    }

    pub fn folder(&self) -> &Path {
        &self.plan.folder
    }

    /// Switches off every machine of a service, in the middle of what it does.
    pub fn switch_off(&mut self, role: Role) {
        self.services.iter_mut().filter(|s| s.role == role).for_each(|s| s.machine.switch_off());
    }

    /// Switches them on again, at the same addresses.
    pub async fn switch_on(&mut self, role: Role) {
        for index in 0..self.services.len() {
            if self.services[index].role == role {
                let started = self.start(role, self.services[index].address).await;
                self.services[index] = started;
            }
        }
    }

    /// Ends every program as SIGTERM does, gateways first.
    pub async fn shut_down(mut self) {
        if let Some((machine, ..)) = &mut self.whole {
            machine.shut_down().await;
        }
        for service in self.services.iter_mut().rev() {
            service.machine.shut_down().await;
        }
    }

    async fn start_whole(&mut self) {
        let machine = Machine::switched_on();
        let plan = self.plan.clone();
        let start = |process: Process| async move {
            let search = match &plan.site.search {
                Some(search) => search.clone(),
                None => transport::local(process.wrapped(plan.search().await)),
            };
            let registry = plan.registry(search.clone(), &process).await;
            let registry = transport::local(process.wrapped(registry));
            let gateway =
                gateway::router(&plan.gateway(), registry.clone(), search.clone(), &process);
            let bound = process.serve_http(ANY_PORT, gateway.unwrap()).await.unwrap();
            (bound.address, registry, search)
        };
        let (address, registry, search) = machine.run(start).await;
        self.gateways.push(address);
        self.whole = Some((machine, registry, search));
    }

    async fn start_apart(&mut self, replicas: usize) {
        if self.plan.site.search.is_none() {
            let search = self.start(Role::Search, ANY_PORT).await;
            self.services.push(search);
        }
        for role in [Role::Registry, Role::Gateway] {
            for _ in 0..replicas {
                let service = self.start(role, ANY_PORT).await;
                self.services.push(service);
            }
        }
        self.gateways = self.addresses(Role::Gateway);
    }

    async fn start(&self, role: Role, address: SocketAddr) -> Service {
        eventually(&format!("{role:?} listens on `{address}`"), RESTART, async || {
            let machine = Machine::switched_on();
            let (plan, searches) = (self.plan.clone(), self.addresses(Role::Search));
            let registries = self.addresses(Role::Registry);
            let start = |process: Process| async move {
                let search = plan.site.search.clone();
                let search = || search.unwrap_or_else(|| to(&searches));
                match role {
                    Role::Search => {
                        let routes = plan.search().await;
                        process.serve_grpc(address, routes, contract::DESCRIPTION).await
                    }
                    Role::Registry => {
                        let routes = plan.registry(search(), &process).await;
                        process.serve_grpc(address, routes, contract::DESCRIPTION).await
                    }
                    Role::Gateway => {
                        let (config, search) = (plan.gateway(), search());
                        let router = gateway::router(&config, to(&registries), search, &process);
                        process.serve_http(address, router.unwrap()).await
                    }
                }
            };
            let bound = machine.run(start).await.ok()?;
            Some(Service { role, machine, address: bound.address })
        })
        .await
    }

    fn addresses(&self, role: Role) -> Vec<SocketAddr> {
        self.services.iter().filter(|s| s.role == role).map(|s| s.address).collect()
    }

    fn ways(&self, role: Role) -> Vec<Transport> {
        self.addresses(role).into_iter().map(remote).collect()
    }
}

fn to(addresses: &[SocketAddr]) -> Transport {
    in_turn(addresses.iter().copied().map(remote).collect())
}
