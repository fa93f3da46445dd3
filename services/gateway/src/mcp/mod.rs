//! The catalog over MCP: Streamable HTTP without sessions, at `/w/{workspace}` and `/mcp`.
mod address;
mod server;

use std::sync::Arc;

use axum::{Router, middleware::from_fn, middleware::from_fn_with_state, routing::post_service};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use crate::{Config, app::App, auth};
use server::Server;

/// The largest request.
const MAX_REQUEST_BYTES: usize = 4 << 20;

pub(crate) fn router(app: &Arc<App>, config: &Config) -> anyhow::Result<Router> {
    let server = Server::new(Arc::clone(app));
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        transport(config)?,
    );
    let service = post_service(service);
    let workspace = Router::new()
        .route("/w/{workspace}", service.clone())
        .route("/w/{workspace}/", service.clone())
        .route_layer(from_fn(address::workspace));
    let organization = Router::new()
        .route("/mcp", service.clone())
        .route("/mcp/", service)
        .route_layer(from_fn(address::organization));
    let key = from_fn_with_state(Arc::clone(app), auth::require_key);
    Ok(workspace.merge(organization).route_layer(key))
}

fn transport(config: &Config) -> anyhow::Result<StreamableHttpServerConfig> {
    Ok(StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_REQUEST_BYTES)
        .with_allowed_hosts(config.hosts()?)
        .with_allowed_origins(config.origins()?)
        .enforce_origin_validation())
}
