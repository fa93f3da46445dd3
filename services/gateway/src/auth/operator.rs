//! The operator, who makes organizations and belongs to none.
use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use secrecy::ExposeSecret;
use subtle::ConstantTimeEq;

use super::{Refusal, shown};
use crate::{app::App, problem::Problem};

/// Lets in the operator alone.
pub(crate) async fn require_operator(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let shown = shown(request.headers()).ok_or(Refusal::Missing)?;
    let token = app.operator_token.as_ref().ok_or(Refusal::Wrong)?;
    let is_operator: bool = shown.as_bytes().ct_eq(token.expose_secret().as_bytes()).into();
    if !is_operator {
        return Err(Refusal::Wrong.into());
    }
    Ok(next.run(request).await)
}
