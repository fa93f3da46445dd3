//! One call of a tool, from its arrival to its answer.
use std::sync::Arc;

use access::Caller;
use process::RequestId;
use rmcp::model::JsonObject;
use tokio::time::Instant;
use tracing::Span;

use crate::{
    answer::Answer,
    app::App,
    auth::Grant,
    behind::Behind,
    failure::Failure,
    kept::Kept,
    pin::Tag,
    record::{Recording, Surface},
    tool::Place,
};

/// A request that was let in: by which key, and what its address says.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) grant: Arc<Grant>,
    pub(crate) place: Place,
    pub(crate) tag: Option<Tag>,
    pub(crate) arrived: Instant,
    /// Kept here, as an MCP call is answered by a task of its own.
    pub(crate) request_id: Option<RequestId>,
    pub(crate) span: Span,
}

/// One call of a tool: who makes it, and the services behind the gateway.
pub(crate) struct Call {
    pub(crate) grant: Arc<Grant>,
    pub(crate) tag: Option<Tag>,
    pub(crate) behind: Behind,
    pub(crate) kept: Kept,
    pub(crate) record: Recording,
}

/// Why a call of a tool has no answer.
pub(crate) enum Refusal {
    /// No tool of that name, for this key, at this address.
    UnknownTool,
    /// The tool failed.
    Failed(Failure),
}

impl Visit {
    /// A request that is let in now.
    pub(crate) fn begin(grant: Arc<Grant>, arrived: Instant) -> Self {
        let (request_id, span) = (RequestId::current(), Span::current());
        Self { grant, place: Place::Organization, tag: None, arrived, request_id, span }
    }

    pub(crate) fn caller(&self) -> Caller {
        self.grant.caller.clone()
    }
}

impl Call {
    pub(crate) fn begin(app: &App, visit: &Visit, surface: Surface, tool: &'static str) -> Self {
        let behind = app.services.for_caller(visit.caller());
        let tag = visit.tag.clone();
        let record = Recording::begin(app, visit, surface, tool);
        Self {
            grant: Arc::clone(&visit.grant),
            tag,
            behind: behind.in_request(visit.request_id.clone()),
            kept: app.kept.clone(),
            record,
        }
    }

    /// Ends the call, and keeps account of how.
    pub(crate) fn end<T>(self, result: Result<T, Failure>) -> Result<T, Failure> {
        let outcome = result.as_ref().map_or_else(|failure| failure.kind.name(), |_| "ok");
        self.record.end(outcome);
        result
    }
}

/// Calls a tool by its name, and keeps account of it, whatever becomes of it.
pub(crate) async fn run(
    app: &App,
    visit: &Visit,
    surface: Surface,
    name: &str,
    arguments: JsonObject,
) -> Result<Answer, Refusal> {
    let Some(entry) = app.catalog.find(name, &visit.grant, visit.place) else {
        Recording::begin(app, visit, surface, "unknown").named(name).end("unknown_tool");
        return Err(Refusal::UnknownTool);
    };
    let mut call = Call::begin(app, visit, surface, entry.name);
    let answer = match entry.check(&arguments) {
        Ok(()) => (entry.call)(&mut call, arguments).await,
        Err(failure) => Err(failure),
    };
    call.end(answer).map_err(Refusal::Failed)
}
