//! The MCP server: lists tools and calls them.
use std::sync::Arc;

use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use tracing::Instrument;

use crate::{
    app::App,
    call::{self, Refusal, Visit},
    problem::repeated,
    record::Surface,
};

/// How long a client may keep a list of tools: a key's scopes never change, programs do.
const LIST_LIFE_MILLISECONDS: u64 = 300_000;

const INSTRUCTIONS: &str = "\
Loadout holds your organization's skills: tested instructions for particular kinds of work, with the \
files that they need. Before you begin a task, look for a skill that fits, and load only as much as you \
need:
1. `find_skills` with what you are about to do. It answers names, descriptions and scores.
2. `get_skill` with the id of the one that fits. Read its body and follow it. If none fits, go on without.
3. `get_skill_file` only for a file that the body points you at, with the `version` that `get_skill` gave.";

#[derive(Clone)]
pub(super) struct Server {
    app: Arc<App>,
}

impl Server {
    pub(super) fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let server =
            Implementation::new("loadout", env!("CARGO_PKG_VERSION")).with_title("Loadout");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = page.and_then(|page| page.cursor) {
            let message = format!("the list has one page, `{}` begins none", repeated(&cursor));
            return Err(ErrorData::invalid_params(message, None));
        }
        let visit = visit(&context)?;
        let tools = self.app.catalog.visible_to(&visit.grant, visit.place);
        let tools = tools.map(|entry| entry.listed.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_LIFE_MILLISECONDS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let visit = visit(&context)?;
        let arguments = request.arguments.unwrap_or_default();
        let call = call::run(&self.app, visit, Surface::Mcp, &request.name, arguments);
        match call.instrument(visit.span.clone()).await {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.object);
                Ok(result.into())
            }
            Err(Refusal::Failed(failure)) => {
                let message = ContentBlock::text(failure.to_string());
                Ok(CallToolResult::error(vec![message]).into())
            }
            Err(Refusal::UnknownTool) => {
                let message = format!("unknown tool `{}`", repeated(&request.name));
                Err(ErrorData::invalid_params(message, None))
            }
        }
    }
}

/// The request as it was let in.
fn visit(context: &RequestContext<RoleServer>) -> Result<&Visit, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let visit = parts.and_then(|parts| parts.extensions.get::<Visit>());
    visit.ok_or_else(|| ErrorData::internal_error("internal error", None))
}
