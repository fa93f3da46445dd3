//! `GET /v1/skills/{id}/files/{path}`
use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::registry::{GetSkillFileRequest, GetSkillFileResponse, Resource};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{
    extract::{Path, Query},
    skills::RevisionQuery,
};
use crate::{
    app::App,
    behind,
    call::{Call, Visit},
    failure::Failure,
    problem::Problem,
    record::Surface,
    tools::FileKind,
};

const TEXT: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const BYTES: &str = "application/octet-stream";
pub(super) const MEDIA_TYPES: &[&str] = &[TEXT, MARKDOWN, BYTES];

pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Path((id, path)): Path<(String, String)>,
    Query(query): Query<RevisionQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let mut call = Call::begin(&app, &visit, Surface::Rest, "get_skill_file");
    let found = fetch(&mut call, id, path, &query).await;
    let found = call.end(found)?;
    Ok(response(found, headers.get(header::IF_NONE_MATCH))?)
}

async fn fetch(
    call: &mut Call,
    skill: String,
    path: String,
    query: &RevisionQuery,
) -> Result<GetSkillFileResponse, Failure> {
    let (tag, version) = query.revision(call)?;
    call.record.for_file(&path);
    let request = call.behind.to_registry(GetSkillFileRequest { skill, path, tag, version })?;
    let answer = behind::answer(call.behind.skills().get_skill_file(request)).await?;
    call.record.of(&answer.skill_id, &answer.revision_id);
    Ok(answer)
}

fn response(
    found: GetSkillFileResponse,
    if_none_match: Option<&HeaderValue>,
) -> Result<Response, Failure> {
    let GetSkillFileResponse { skill_id: _, revision_id: _, version, file, content } = found;
    let file = file.ok_or_else(|| Failure::internal("no file in the answer"))?;
    let etag = format!("\"{}\"", file.sha256);
    let mut response = if is_among(&etag, if_none_match) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        content.into_response()
    };
    let kind = FileKind::of(file.kind())?.name();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(&file)));
    headers.insert(header::ETAG, HeaderValue::try_from(etag).map_err(Failure::internal)?);
    // Another key, or a moved tag, sees something else here.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("x-loadout-version"), version.into());
    headers.insert(HeaderName::from_static("x-loadout-kind"), HeaderValue::from_static(kind));
    if !file.is_text {
        let attachment = HeaderValue::from_static("attachment");
        headers.insert(header::CONTENT_DISPOSITION, attachment);
    }
    Ok(response)
}

/// Never a type that a browser would run.
fn media_type(file: &Resource) -> &'static str {
    let is_markdown = std::path::Path::new(&file.path)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    match (file.is_text, is_markdown) {
        (false, _) => BYTES,
        (true, true) => MARKDOWN,
        (true, false) => TEXT,
    }
}

/// Whether the client has it already (RFC 9110 §13.1.2).
fn is_among(etag: &str, if_none_match: Option<&HeaderValue>) -> bool {
    let Some(tags) = if_none_match.and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let mut tags = tags.split(',').map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_file_is_recognised_in_every_form_of_the_header() {
        let matches = |value| is_among("\"a1\"", Some(&HeaderValue::from_static(value)));
        assert!(["\"a1\"", "W/\"a1\"", "\"b\", \"a1\"", "*"].into_iter().all(matches));
        assert!(!["\"b\"", "a1", ""].into_iter().any(matches));
        assert!(!is_among("\"a1\"", None));
    }
}
