//! What REST answers where a request fails: problem details (RFC 9457).
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use process::RequestId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::failure::Failure;

/// A request that failed.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    detail: String,
    header: Option<(HeaderName, HeaderValue)>,
}

/// Problem details (RFC 9457).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct Details {
    /// `about:blank`: the status says what kind of problem it is.
    r#type: &'static str,
    /// What the status is called.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What was wrong, the limit and the actual value.
    detail: String,
    /// The request, as the logs name it; also in `x-request-id`.
    request_id: String,
}

/// How much of what a client typed is repeated to it.
const REPEATED_CHARACTERS: usize = 80;

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), header: None }
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    pub(crate) fn too_large(what: &str, actual: &str, most_bytes: u64) -> Self {
        let detail = format!("{what} has {actual} bytes, allowed are at most {most_bytes}");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    }

    pub(crate) fn with_header(self, name: HeaderName, value: &'static str) -> Self {
        Self { header: Some((name, HeaderValue::from_static(value))), ..self }
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self::new(failure.kind.http(), failure.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, detail, header } = self;
        let id = RequestId::current();
        let details = Details {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail,
            request_id: id.map(|id| id.as_str().to_owned()).unwrap_or_default(),
        };
        let mut response = (status, Json(details)).into_response();
        let json = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response.headers_mut().extend(header);
        response
    }
}

/// What stands at no address.
pub(crate) async fn nothing_there(uri: Uri) -> Problem {
    Problem::not_found(format!("nothing is at `{}`", repeated(uri.path())))
}

pub(crate) async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let detail = format!("`{}` does not answer {method}", repeated(uri.path()));
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}

/// What a client typed, as far as it is repeated to it.
pub(crate) fn repeated(text: &str) -> String {
    text.chars().take(REPEATED_CHARACTERS).collect()
}
