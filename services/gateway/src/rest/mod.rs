//! REST: the routes, what they take and give, and the document that describes them.
mod calls;
pub(crate) mod extract;
mod files;
mod import;
mod keys;
mod openapi;
mod organizations;
mod route;
mod routes;
mod skills;
mod tags;
mod tools;

use std::sync::Arc;

use axum::{Router, extract::State, response::IntoResponse};
use http::header;

pub(crate) use openapi::document as openapi;

use crate::{app::App, problem};
use route::{Access, Route};

pub(crate) fn router(app: &Arc<App>) -> Router {
    let is_served = |route: &Route| match route.access {
        // Without an operator the routes are not there at all.
        Access::Operator => app.operator_token.is_some(),
        Access::Public | Access::Key | Access::KeyFor(_) | Access::WholeKey => true,
    };
    let served = routes::all().into_iter().filter(is_served);
    let router = served.fold(Router::new(), |router, route| {
        let path = route.path;
        router.route(path, route.guarded(app))
    });
    router.fallback(problem::nothing_there).with_state(Arc::clone(app))
}

/// `GET /v1/openapi.json`
async fn get_openapi(State(app): State<Arc<App>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], app.openapi.clone())
}
