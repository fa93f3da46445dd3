//! A gateway before a made-up registry and search, in the test's own process.
use access::{Audience, Door, KeyText, SignerSettings, VerifierSettings};
use axum::{Router, body::Body};
use bytes::Bytes;
use clock::Clock;
use contract::{
    registry::{
        Key, VerifyKeyResponse, key_service_server::KeyServiceServer,
        organization_service_server::OrganizationServiceServer,
        skill_service_server::SkillServiceServer, usage_service_server::UsageServiceServer,
    },
    search::search_service_server::SearchServiceServer,
    transport::{self, Transport},
};
use gateway::Config;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use ids::{KeyId, OrgId, WorkspaceId};
use process::Process;
use serde_json::{Value, json};
use tempfile::TempDir;
use time::macros::datetime;
use tonic::service::{Routes, interceptor::InterceptedService};
use tower::ServiceExt;

use crate::world::World;

pub(crate) const OPERATOR: &str = "the operator's own token";

pub(crate) struct Stack {
    pub(crate) router: Router,
    pub(crate) world: &'static World,
    pub(crate) process: Process,
    pub(crate) clock: Clock,
    _folder: TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A key that the registry knows.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) id: KeyId,
    pub(crate) text: String,
    pub(crate) org: OrgId,
}

impl Stack {
    pub(crate) fn start() -> Self {
        Self::with(|config| config.operator_token = Some(OPERATOR.into()))
    }

    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (private, public) = (folder.path().join("key"), folder.path().join("key.pub"));
        access::make_signing_key(&private, &public).unwrap();
        let clock = Clock::held_at(datetime!(2030-01-01 00:00 UTC));
        let trusted = VerifierSettings { trusted_key_files: vec![public] };
        let world: &'static World = Box::leak(Box::default());
        let registry = registry(world, &trusted, &clock);
        let search = search(world, &trusted, &clock);
        let process = Process::default();
        let mut config = config(SignerSettings { signing_key_file: private });
        change(&mut config);
        let router = gateway::router_with_clock(&config, registry, search, &process, clock.clone());
        let router = process.http(router.unwrap());
        Self { router, world, process, clock, _folder: folder }
    }

    /// A key of a new organization, in its workspace `main`.
    pub(crate) fn key(&self, scopes: &[&str]) -> Shown {
        self.key_that(scopes, |_| {})
    }

    pub(crate) fn key_that(&self, scopes: &[&str], change: impl FnOnce(&mut Key)) -> Shown {
        let (id, org) = (KeyId::new(), OrgId::new());
        let text = KeyText::make(id).unwrap();
        let scopes = scopes.iter().map(ToString::to_string).collect();
        let name = "A key".into();
        let mut key = Key { id: id.to_string(), name, scopes, ..Key::default() };
        change(&mut key);
        let known = VerifyKeyResponse {
            organization_id: org.to_string(),
            organization_slug: "acme".into(),
            organization_name: "Acme".into(),
            workspace_id: WorkspaceId::new().to_string(),
            workspace_slug: "main".into(),
            workspace_name: "Main".into(),
            key: Some(key),
        };
        self.world.state().keys.insert(text.secret_hash().0.to_vec(), known);
        Shown { id, text: text.reveal(), org }
    }

    pub(crate) fn revoke(&self, key: &Shown) {
        let hash = KeyText::parse(&key.text).unwrap().secret_hash();
        self.world.state().keys.remove(hash.0.as_slice());
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Reply { status: parts.status, headers: parts.headers, body }
    }

    pub(crate) async fn get(&self, key: &Shown, path: &str) -> Reply {
        self.send(request(Method::GET, path, Some(&key.text), Body::empty())).await
    }

    pub(crate) async fn call(
        &self,
        method: Method,
        key: &Shown,
        path: &str,
        body: &Value,
    ) -> Reply {
        self.send(request(method, path, Some(&key.text), Body::from(body.to_string()))).await
    }

    pub(crate) async fn post(&self, key: &Shown, path: &str, body: &Value) -> Reply {
        self.call(Method::POST, key, path, body).await
    }

    /// One JSON-RPC request in the era of `initialize`.
    pub(crate) async fn rpc(
        &self,
        key: &Shown,
        address: &str,
        method: &str,
        params: Value,
    ) -> Reply {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.post(key, address, &message).await
    }

    /// What a tool answered over MCP.
    pub(crate) async fn tool(
        &self,
        key: &Shown,
        address: &str,
        name: &str,
        arguments: Value,
    ) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        self.rpc(key, address, "tools/call", params).await.json()
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn detail(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        self.json()["detail"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn request(method: Method, path: &str, key: Option<&str>, body: Body) -> Request<Body> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost:8080")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    request.body(body).unwrap()
}

fn config(access: SignerSettings) -> Config {
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        public_url: "https://loadout.example.com".into(),
        registry: None,
        search: None,
        redis: None,
        access,
        operator_token: None,
        allowed_hosts: Vec::new(),
        allowed_origins: Vec::new(),
        telemetry: process::Telemetry::default(),
    }
}

fn registry(world: &'static World, trusted: &VerifierSettings, clock: &Clock) -> Transport {
    let door = Door::new(trusted.verifier(Audience::Registry, clock.clone()).unwrap());
    let skills = SkillServiceServer::new(world).max_decoding_message_size(4 << 20);
    let routes = Routes::new(InterceptedService::new(skills, door.clone()))
        .add_service(InterceptedService::new(KeyServiceServer::new(world), door.clone()))
        .add_service(InterceptedService::new(OrganizationServiceServer::new(world), door.clone()))
        .add_service(InterceptedService::new(UsageServiceServer::new(world), door));
    transport::local(routes)
}

fn search(world: &'static World, trusted: &VerifierSettings, clock: &Clock) -> Transport {
    let door = Door::new(trusted.verifier(Audience::Search, clock.clone()).unwrap());
    let search = InterceptedService::new(SearchServiceServer::new(world), door);
    transport::local(Routes::new(search))
}
