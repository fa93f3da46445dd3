//! What an MCP address says: which workspace, and which tag.
use axum::{extract::Request, middleware::Next, response::Response};
use http::header::CONTENT_LENGTH;

use super::MAX_REQUEST_BYTES;
use crate::{
    call::Visit,
    failure::Failure,
    pin::Pin,
    problem::{Problem, repeated},
    rest::extract::{Path, Query},
    tool::Place,
};

/// `/w/{workspace}`: the key's own workspace. Any other is as if it did not exist, also where it does.
pub(super) async fn workspace(
    Path(slug): Path<String>,
    Query(pin): Query<Pin>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let is_own =
        request.extensions().get::<Visit>().is_some_and(|v| v.grant.workspace.slug == slug);
    if !is_own {
        let detail = format!("no workspace `{}` for this key", repeated(&slug));
        return Err(Problem::not_found(detail));
    }
    at(Place::Workspace, pin, request, next).await
}

/// `/mcp`: every tool of the key's.
pub(super) async fn organization(
    Query(pin): Query<Pin>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    at(Place::Organization, pin, request, next).await
}

async fn at(place: Place, pin: Pin, mut request: Request, next: Next) -> Result<Response, Problem> {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let most = MAX_REQUEST_BYTES as u64;
    if let Some(length) = length
        && length.parse::<u64>().is_ok_and(|bytes| bytes > most)
    {
        return Err(Problem::too_large("the request", length, most));
    }
    let visit = request.extensions_mut().get_mut::<Visit>();
    let visit = visit.ok_or_else(|| Failure::internal("an MCP request without a key"))?;
    (visit.place, visit.tag) = (place, pin.tag);
    Ok(next.run(request).await)
}
