//! Who is it? Finds out whose key a request shows, and refuses it where there is none.
mod grant;
mod keys;
mod operator;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, StatusCode, header};
use tokio::time::Instant;

pub(crate) use grant::{Grant, Named};
pub(crate) use keys::Keys;
pub(crate) use operator::require_operator;

use crate::{app::App, call::Visit, problem::Problem};

/// Why a request is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It shows no key.
    Missing,
    /// Its key is none, or not one any more.
    Wrong,
    /// The registry does not say.
    Unavailable,
}

/// Lets in the request of a key; its [`Visit`] says whose.
pub(crate) async fn require_key(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let visit = visit(&app, request.headers()).await?;
    request.extensions_mut().insert(visit);
    Ok(next.run(request).await)
}

/// Lets in the request of a key that may use a tool: what REST gives, a tool gives too, and a list of
/// tools would limit nothing if another address gave the same. What is no reading may have changed a skill.
pub(crate) async fn require_key_with(
    State((app, tool)): State<(Arc<App>, Option<&'static str>)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let visit = visit(&app, request.headers()).await?;
    if !tool.map_or(!visit.grant.is_limited(), |tool| visit.grant.names_tool(tool)) {
        let detail = "this key is limited to tools that do not include this";
        return Err(Problem::new(StatusCode::FORBIDDEN, detail));
    }
    let org = visit.grant.caller.org;
    let is_safe = request.method().is_safe();
    request.extensions_mut().insert(visit);
    let response = next.run(request).await;
    if !is_safe {
        app.kept.changed(org);
    }
    Ok(response)
}

/// Finds out whose key a request shows.
pub(crate) async fn visit(app: &App, headers: &HeaderMap) -> Result<Visit, Problem> {
    let shown = shown(headers).ok_or(Refusal::Missing)?;
    let arrived = Instant::now();
    let grant = app.keys.grant(shown).await?;
    Ok(Visit::begin(grant, arrived))
}

/// The key that a request shows.
fn shown(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| bearer(value.to_str().ok()?));
    bearer.or_else(|| headers.get("x-api-key")?.to_str().ok())
}

/// The credentials after `Bearer`, in any case (RFC 9110 §11.1).
fn bearer(value: &str) -> Option<&str> {
    let (scheme, credentials) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(credentials.trim())
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Missing => {
                let detail = "no API key: send one as `Authorization: Bearer lo_…`";
                Self::new(StatusCode::UNAUTHORIZED, detail)
                    .with_header(header::WWW_AUTHENTICATE, r#"Bearer realm="loadout""#)
            }
            Refusal::Wrong => {
                let detail = "the API key is unknown, ended or expired";
                let challenge = r#"Bearer realm="loadout", error="invalid_token""#;
                Self::new(StatusCode::UNAUTHORIZED, detail)
                    .with_header(header::WWW_AUTHENTICATE, challenge)
            }
            Refusal::Unavailable => {
                let detail = "the API key cannot be checked at the moment, try again";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
                    .with_header(header::RETRY_AFTER, "1")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_is_read_in_any_case() {
        for value in ["Bearer k", "bearer k", "BEARER  k "] {
            assert_eq!(bearer(value), Some("k"), "{value}");
        }
        for value in ["Basic k", "k", "Bearerk"] {
            assert_eq!(bearer(value), None, "{value}");
        }
    }
}
