//! A bare rmcp server with one tool, which echoes; its transport is set as the gateway's is.
use std::sync::Arc;

use axum::{Router, routing::post_service};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::{Value, json};

pub(crate) const PATH: &str = "/mcp";
pub(crate) const TOOL: &str = "echo";

#[derive(Clone)]
struct Echo;

pub(crate) async fn serve() -> anyhow::Result<()> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(["127.0.0.1"]);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, config);
    super::serve(Router::new().route(PATH, post_service(service))).await
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = Tool::new(TOOL, "Answers what it is given.", Arc::new(schema()));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|given| given.get("text")?.as_str());
        let Some(text) = text.filter(|_| request.name == TOOL) else {
            return Err(ErrorData::invalid_params("expected `echo` with a `text`", None));
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn schema() -> JsonObject {
    let text = json!({ "type": "string" });
    let schema = [
        ("type", Value::from("object")),
        ("properties", json!({ "text": text })),
        ("required", json!(["text"])),
    ];
    schema.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
