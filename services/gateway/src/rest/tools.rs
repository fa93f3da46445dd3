//! `POST /v1/tools/{name}`
use std::sync::Arc;

use axum::{Extension, extract::State, response::IntoResponse};
use http::header;
use rmcp::model::JsonObject;

use super::extract::{Body, Path, Query};
use crate::{
    app::App,
    call::{self, Refusal, Visit},
    pin::Pin,
    problem::{Problem, repeated},
    record::Surface,
};

pub(crate) async fn call(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Path(name): Path<String>,
    Query(pin): Query<Pin>,
    Body(arguments): Body<JsonObject>,
) -> Result<impl IntoResponse, Problem> {
    let visit = Visit { tag: pin.tag, ..visit };
    match call::run(&app, &visit, Surface::Rest, &name, arguments).await {
        Ok(answer) => Ok(([(header::CONTENT_TYPE, "application/json")], answer.text)),
        Err(Refusal::Failed(failure)) => Err(failure.into()),
        Err(Refusal::UnknownTool) => {
            Err(Problem::not_found(format!("unknown tool `{}`", repeated(&name))))
        }
    }
}
