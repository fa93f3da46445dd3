//! A bare axum route that answers a small JSON.
use axum::{Json, Router, routing::get};
use serde_json::json;

pub(crate) const PATH: &str = "/bare";

pub(crate) async fn serve() -> anyhow::Result<()> {
    super::serve(Router::new().route(PATH, get(async || Json(json!({ "status": "ok" }))))).await
}
