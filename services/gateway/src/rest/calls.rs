//! `GET /v1/calls`
use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use contract::registry::{ListCallsRequest, ListCallsResponse};

use super::extract::{PageQuery, Query};
use crate::{app::App, behind, call::Visit, problem::Problem};

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Query(page): Query<PageQuery>,
) -> Result<Json<ListCallsResponse>, Problem> {
    let limit = page.limit()?;
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(ListCallsRequest { cursor: page.cursor, limit })?;
    Ok(Json(behind::answer(behind.usage().list_calls(request)).await?))
}
