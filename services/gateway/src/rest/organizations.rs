//! `/v1/organizations`, the operator's, and `/v1/workspaces`, an organization's own.
use std::sync::Arc;

use access::{Caller, Scope};
use axum::{Extension, Json, extract::State};
use contract::registry::{
    CreateOrganizationRequest, CreateOrganizationResponse, CreateWorkspaceRequest,
    CreateWorkspaceResponse, ListOrganizationsRequest, ListOrganizationsResponse,
    ListWorkspacesRequest, ListWorkspacesResponse,
};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{Body, PageQuery, Query};
use crate::{app::App, behind, call::Visit, problem::Problem};

/// An organization to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOrganization {
    /// 1 to 64 of `a-z`, `0-9` and `-`.
    slug: String,
    /// What people call it: 1 to 200 characters; the slug without it.
    #[serde(default)]
    name: Option<String>,
    /// The slug of its first workspace; `main` without it.
    #[serde(default)]
    workspace_slug: Option<String>,
}

/// A workspace to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWorkspace {
    /// 1 to 64 of `a-z`, `0-9` and `-`.
    slug: String,
    /// What people call it: 1 to 200 characters; the slug without it.
    #[serde(default)]
    name: Option<String>,
}

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Query(page): Query<PageQuery>,
) -> Result<Json<ListOrganizationsResponse>, Problem> {
    let limit = page.limit()?;
    let behind = app.services.for_caller(Caller::for_nobody(Scope::Operate));
    let request = behind.to_registry(ListOrganizationsRequest { cursor: page.cursor, limit })?;
    Ok(Json(behind::answer(behind.organizations().list_organizations(request)).await?))
}

pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(organization): Body<NewOrganization>,
) -> Result<(StatusCode, Json<CreateOrganizationResponse>), Problem> {
    let NewOrganization { slug, name, workspace_slug } = organization;
    let (name, workspace_slug) = (name.unwrap_or_default(), workspace_slug.unwrap_or_default());
    let behind = app.services.for_caller(Caller::for_nobody(Scope::Operate));
    let message = CreateOrganizationRequest { slug, name, workspace_slug };
    let request = behind.to_registry(message)?;
    let made = behind::answer(behind.organizations().create_organization(request)).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(crate) async fn list_workspaces(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Query(page): Query<PageQuery>,
) -> Result<Json<ListWorkspacesResponse>, Problem> {
    let limit = page.limit()?;
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(ListWorkspacesRequest { cursor: page.cursor, limit })?;
    Ok(Json(behind::answer(behind.organizations().list_workspaces(request)).await?))
}

pub(crate) async fn create_workspace(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Body(NewWorkspace { slug, name }): Body<NewWorkspace>,
) -> Result<(StatusCode, Json<CreateWorkspaceResponse>), Problem> {
    let name = name.unwrap_or_default();
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(CreateWorkspaceRequest { slug, name })?;
    let made = behind::answer(behind.organizations().create_workspace(request)).await?;
    Ok((StatusCode::CREATED, Json(made)))
}
