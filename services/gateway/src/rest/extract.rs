//! What handlers take from a request. What is wrong is refused by its name.
use axum::{
    body::{Body as HttpBody, to_bytes},
    extract::{FromRequest, FromRequestParts, Request},
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header::CONTENT_LENGTH, request::Parts};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    failure::{Failure, located, within},
    problem::Problem,
};

/// The largest JSON body.
const MAX_BODY_BYTES: u64 = 4 << 20;

/// The parameters of a path, percent-decoded once.
pub(crate) struct Path<T>(pub(crate) T);

/// The parameters of a query.
pub(crate) struct Query<T>(pub(crate) T);

/// A body of JSON; an empty one is an object without fields.
pub(crate) struct Body<T>(pub(crate) T);

/// Which page of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    /// Where the last page ended: its `next_cursor`.
    #[serde(default)]
    pub(crate) cursor: String,
    /// How many at most: 1 to 200, 50 without it.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<i64>,
}

impl PageQuery {
    /// The limit on the wire.
    pub(crate) fn limit(&self) -> Result<u32, Failure> {
        limit(self.limit)
    }
}

/// A limit on the wire, where 0 is none.
pub(crate) fn limit(limit: Option<i64>) -> Result<u32, Failure> {
    limit.map_or(Ok(0), |limit| within("limit", 1..=200, limit))
}

impl<S, T> FromRequestParts<S> for Path<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        let path = path.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.body_text()));
        path.map(|axum::extract::Path(path)| Self(path))
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::try_from_uri(&parts.uri).map_err(|error| {
            let text = error.body_text().replace("Failed to deserialize query string: ", "");
            let is_name = |text: &&str| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            let (path, problem) =
                text.split_once(": ").filter(|(path, _)| is_name(path)).unwrap_or((".", &text));
            Problem::new(StatusCode::BAD_REQUEST, located("parameter", path, problem))
        });
        query.map(|axum::extract::Query(query)| Self(query))
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = collect(&parts.headers, body).await?;
        let json = if bytes.trim_ascii().is_empty() { b"{}" } else { &bytes[..] };
        let mut json = serde_json::Deserializer::from_slice(json);
        let body = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            Problem::new(StatusCode::BAD_REQUEST, located("field", &path, &problem(error.inner())))
        })?;
        json.end().map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))?;
        Ok(Self(body))
    }
}

/// What is wrong with JSON. Where it stands in the text helps only where it is no JSON at all.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((problem, _)) if error.is_data() => problem.to_owned(),
        Some(_) | None => text,
    }
}

async fn collect(headers: &HeaderMap, body: HttpBody) -> Result<Bytes, Problem> {
    let length = content_length(headers);
    if length.is_some_and(|length| length > MAX_BODY_BYTES) {
        let actual = length.map(|length| length.to_string()).unwrap_or_default();
        return Err(Problem::too_large("the body", &actual, MAX_BODY_BYTES));
    }
    let most = usize::try_from(MAX_BODY_BYTES).unwrap_or(usize::MAX);
    to_bytes(body, most).await.map_err(|error| {
        let is_cut = length.is_some();
        if is_cut {
            let message = format!("the body ended early or broke: {error}");
            return Problem::new(StatusCode::BAD_REQUEST, message);
        }
        Problem::too_large("the body", &format!("more than {MAX_BODY_BYTES}"), MAX_BODY_BYTES)
    })
}

/// How long a body is said to be.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
