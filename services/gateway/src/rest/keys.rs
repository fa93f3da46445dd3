//! `/v1/keys`
use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use contract::registry::{
    CreateKeyRequest, CreateKeyResponse, ListKeysRequest, ListKeysResponse, RevokeKeyRequest,
    RevokeKeyResponse,
};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::extract::{Body, PageQuery, Path, Query};
use crate::{
    app::App,
    behind,
    call::Visit,
    catalog::Catalog,
    failure::Failure,
    problem::{Problem, repeated},
};

/// A key to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// The slug of the workspace that it works in; the caller's own without it.
    #[serde(default)]
    workspace: Option<String>,
    /// What it allows, such as `skills:read`; `*` is every scope, also those that are added later.
    scopes: Vec<String>,
    /// The tools that it is limited to: names, or `prefix*`; every tool of its scopes without any. A key
    /// that is limited to tools can do nothing but call them.
    #[serde(default)]
    tools: Vec<String>,
    /// When it ends by itself (RFC 3339), which must be to come; never without it.
    #[serde(default)]
    expires_at: Option<String>,
}

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Query(page): Query<PageQuery>,
) -> Result<Json<ListKeysResponse>, Problem> {
    let limit = page.limit()?;
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(ListKeysRequest { cursor: page.cursor, limit })?;
    Ok(Json(behind::answer(behind.keys().list_keys(request)).await?))
}

pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Body(key): Body<NewKey>,
) -> Result<(StatusCode, Json<CreateKeyResponse>), Problem> {
    let message = key.into_request(&app.catalog)?;
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(message)?;
    let made = behind::answer(behind.keys().create_key(request)).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Path(key_id): Path<String>,
) -> Result<Json<RevokeKeyResponse>, Problem> {
    let behind = app.services.for_caller(visit.caller());
    let request = behind.to_registry(RevokeKeyRequest { key_id: key_id.clone() })?;
    let revoked = behind::answer(behind.keys().revoke_key(request)).await?;
    if let Ok(id) = key_id.parse() {
        app.keys.forget(id).await;
    }
    Ok(Json(revoked))
}

impl NewKey {
    fn into_request(self, catalog: &Catalog) -> Result<CreateKeyRequest, Failure> {
        let Self { name, workspace, scopes, tools, expires_at } = self;
        if let Some(unknown) = tools.iter().find(|pattern| !catalog.has(pattern)) {
            let known: Vec<_> = catalog.every().map(|entry| format!("`{}`", entry.name)).collect();
            let (unknown, known) = (repeated(unknown), known.join(", "));
            let message = format!("`tools` names `{unknown}`, no tool; the tools are {known}");
            return Err(Failure::invalid(message));
        }
        let expires_at = expires_at.as_deref().map(time).transpose()?;
        let workspace = workspace.unwrap_or_default();
        Ok(CreateKeyRequest { name, workspace, scopes, tools, expires_at })
    }
}

fn time(text: &str) -> Result<prost_types::Timestamp, Failure> {
    let at = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| {
        let text = repeated(text);
        let expected = "a time such as `2030-01-31T12:00:00Z` (RFC 3339)";
        Failure::invalid(format!("`expires_at` is `{text}`, expected {expected}"))
    })?;
    let nanos = i32::try_from(at.nanosecond()).unwrap_or_default();
    Ok(prost_types::Timestamp { seconds: at.unix_timestamp(), nanos })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    fn with_tools(names: &[&str]) -> Result<CreateKeyRequest, Failure> {
        let tools = names.iter().map(ToString::to_string).collect();
        let (workspace, scopes, expires_at) = (None, Vec::new(), None);
        let key = NewKey { name: "k".into(), workspace, scopes, tools, expires_at };
        key.into_request(&tools::all())
    }

    #[test]
    fn a_list_of_tools_holds_names_and_prefixes_of_tools() {
        assert!(with_tools(&["find_skills", "get_*", "*"]).is_ok());
    }

    #[test]
    fn a_tool_that_there_is_not_is_refused_by_name_with_the_known_ones() {
        for unknown in ["fly", "find_skill", "fly_*", ""] {
            let error = with_tools(&["find_skills", unknown]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`tools` names `{unknown}`, no tool; ")), "{error}");
            assert!(error.contains("`find_skills`, `get_skill`"), "{error}");
        }
    }

    #[test]
    fn a_time_that_is_none_is_refused_by_name() {
        assert!(time("2030-01-31T12:00:00+02:00").is_ok());
        let error = time("tomorrow").unwrap_err().to_string();
        assert!(error.starts_with("`expires_at` is `tomorrow`, expected a time"), "{error}");
    }
}
