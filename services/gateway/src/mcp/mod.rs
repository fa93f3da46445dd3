//! The catalog over MCP: Streamable HTTP without sessions, at `/w/{workspace}` and `/mcp`.
mod address;
mod server;

use std::sync::Arc;

use axum::{Router, routing::post};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use crate::{Config, app::App};
use server::Server;

/// The largest request.
const MAX_REQUEST_BYTES: usize = 4 << 20;

/// What every MCP request shares.
struct Mcp {
    app: Arc<App>,
    server: StreamableHttpService<Server, NeverSessionManager>,
}

/// One handler does all that an address asks for: each layer around it would copy the server's settings.
pub(crate) fn router(app: &Arc<App>, config: &Config) -> anyhow::Result<Router> {
    let server = Server::new(Arc::clone(app));
    let server = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        transport(config)?,
    );
    Ok(Router::new()
        .route("/w/{workspace}", post(address::workspace))
        .route("/w/{workspace}/", post(address::workspace))
        .route("/mcp", post(address::organization))
        .route("/mcp/", post(address::organization))
        .with_state(Arc::new(Mcp { app: Arc::clone(app), server })))
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
