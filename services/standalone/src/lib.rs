//! Every service in one process, for a laptop or a small site: the same code and the same messages, on
//! transports without sockets.
mod config;
mod demo;
mod secrets;

use std::{
    io::Write,
    net::{SocketAddr, TcpListener},
};

use anyhow::Context;
use clock::Clock;
use contract::transport;
use process::Process;
use secrecy::SecretString;

pub use config::{Config, Demo};

/// A program that serves.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// The operator's token.
    pub operator_token: SecretString,
}

/// Starts every service, and the demo where the settings ask for one.
pub async fn start(config: &Config, process: &Process) -> anyhow::Result<Running> {
    check_address(config.listen)?;
    say("preparing the database …");
    secrets::prepare(config)?;
    let operator_token = secrets::operator_token(config)?;
    let database = config.database();
    database.migrate().await.context("bringing the database's schema up to date")?;
    say("loading the embedding model …");
    let clock = Clock::default();
    let search = search::routes(&config.search(), process, clock.clone()).await?;
    let search = transport::local(process.wrapped(search));
    let registry = registry::routes(&config.registry(), search.clone(), process, clock).await?;
    let registry = transport::local(process.wrapped(registry));
    let settings = config.gateway(operator_token.clone());
    let router = gateway::router(&settings, registry.clone(), search, process)?;
    let bound = process.serve_http(config.listen, router).await?;
    if let Some(settings) = &config.demo {
        demo::show(config, settings, &registry, &operator_token).await?;
    }
    Ok(Running { address: bound.address, operator_token })
}

/// Says that the address is taken before anything is begun.
fn check_address(listen: SocketAddr) -> anyhow::Result<()> {
    let probe = TcpListener::bind(listen);
    probe.map(drop).with_context(|| format!("cannot listen on `{listen}`; set another `listen`"))
}

/// Tells the person at the terminal what happens.
pub(crate) fn say(text: &str) {
    // Nobody may be looking on.
    let _ = writeln!(std::io::stdout(), "{text}");
}
