//! What an MCP address says: which workspace, and which tag. The key is asked for before anything else.
use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use http::header::CONTENT_LENGTH;

use super::{MAX_REQUEST_BYTES, Mcp};
use crate::{
    auth,
    call::Visit,
    pin::Pin,
    problem::{Problem, repeated},
    rest::extract::{Path, Query},
    tool::Place,
};

/// `/w/{workspace}`: the key's own workspace. Any other is as if it did not exist, also where it does.
pub(super) async fn workspace(
    State(mcp): State<Arc<Mcp>>,
    slug: Result<Path<String>, Problem>,
    pin: Result<Query<Pin>, Problem>,
    request: Request,
) -> Result<Response, Problem> {
    let visit = auth::visit(&mcp.app, request.headers()).await?;
    let (Path(slug), Query(pin)) = (slug?, pin?);
    if visit.grant.workspace.slug != slug {
        let detail = format!("no workspace `{}` for this key", repeated(&slug));
        return Err(Problem::not_found(detail));
    }
    mcp.answer(Visit { place: Place::Workspace, tag: pin.tag, ..visit }, request).await
}

/// `/mcp`: every tool of the key's.
pub(super) async fn organization(
    State(mcp): State<Arc<Mcp>>,
    pin: Result<Query<Pin>, Problem>,
    request: Request,
) -> Result<Response, Problem> {
    let visit = auth::visit(&mcp.app, request.headers()).await?;
    let Query(pin) = pin?;
    mcp.answer(Visit { place: Place::Organization, tag: pin.tag, ..visit }, request).await
}

impl Mcp {
    async fn answer(&self, visit: Visit, mut request: Request) -> Result<Response, Problem> {
        let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        let most = MAX_REQUEST_BYTES as u64;
        if let Some(length) = length
            && length.parse::<u64>().is_ok_and(|bytes| bytes > most)
        {
            return Err(Problem::too_large("the request", length, most));
        }
        request.extensions_mut().insert(visit);
        Ok(self.server.handle(request).await.map(Body::new))
    }
}
