//! `/v1/skills/{id}/tags/{tag}`
use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use contract::registry::{RemoveTagRequest, RemoveTagResponse, SetTagRequest, SetTagResponse};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{Body, Path};
use crate::{app::App, behind, call::Visit, failure::within, problem::Problem};

/// What a tag shall name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTag {
    /// The number of the revision, from 1; the current one without it.
    #[serde(default)]
    #[schemars(range(min = 1))]
    version: Option<i64>,
}

pub(crate) async fn set(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Path((skill, tag)): Path<(String, String)>,
    Body(NewTag { version }): Body<NewTag>,
) -> Result<Json<SetTagResponse>, Problem> {
    let version = version.map(|version| within("version", 1..=i64::from(u32::MAX), version));
    let version = version.transpose()?.unwrap_or_default();
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(SetTagRequest { skill, tag, version })?;
    Ok(Json(behind::answer(behind.skills().set_tag(request)).await?))
}

pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Path((skill, tag)): Path<(String, String)>,
) -> Result<Json<RemoveTagResponse>, Problem> {
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(RemoveTagRequest { skill, tag })?;
    Ok(Json(behind::answer(behind.skills().remove_tag(request)).await?))
}
