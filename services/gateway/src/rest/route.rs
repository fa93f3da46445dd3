//! What a route is. One declaration both serves it and documents it.
use std::sync::Arc;

use axum::{middleware::from_fn_with_state, routing::MethodRouter};
use http::Method;
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{app::App, auth, schema};

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everyone.
    Public,
    /// Every key: the tool that is called decides.
    Key,
    /// Every key, except one that is limited to tools without this one.
    KeyFor(&'static str),
    /// Every key that is not limited to tools.
    WholeKey,
    /// The operator.
    Operator,
}

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// What is in a body.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// JSON of this schema.
    Json(SchemaOf),
    /// JSON of this schema, as a client sends it.
    Input(fn() -> JsonObject),
    /// Bytes of one of these types.
    Bytes(&'static [&'static str]),
}

/// One method of one path.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) summary: &'static str,
    /// The scope that the service behind it requires, if it does.
    pub(crate) scope: Option<&'static str>,
    /// The schema of its query, whose properties are its parameters.
    pub(crate) query: Option<fn() -> JsonObject>,
    pub(crate) body: Option<Content>,
    pub(crate) status: u16,
    pub(crate) answer: Content,
    handler: MethodRouter<Arc<App>>,
}

impl Route {
    /// A route that answers 200 with JSON of `T`.
    pub(crate) fn new<T: JsonSchema>(
        method: Method,
        path: &'static str,
        access: Access,
        handler: MethodRouter<Arc<App>>,
    ) -> Self {
        let answer = Content::Json(SchemaGenerator::subschema_for::<T>);
        let (scope, query, body) = (None, None, None);
        Self { method, path, access, summary: "", scope, query, body, status: 200, answer, handler }
    }

    pub(crate) fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    pub(crate) fn needs(self, scope: access::Scope) -> Self {
        Self { scope: Some(scope.name()), ..self }
    }

    pub(crate) fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(schema::input::<T>), ..self }
    }

    pub(crate) fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some(Content::Input(schema::input::<T>)), ..self }
    }

    pub(crate) fn bytes(self, types: &'static [&'static str]) -> Self {
        Self { body: Some(Content::Bytes(types)), ..self }
    }

    pub(crate) fn answers_bytes(self, types: &'static [&'static str]) -> Self {
        Self { answer: Content::Bytes(types), ..self }
    }

    pub(crate) fn creates(self) -> Self {
        Self { status: 201, ..self }
    }

    /// The handler behind its guard.
    pub(super) fn guarded(self, app: &Arc<App>) -> MethodRouter<Arc<App>> {
        let app = Arc::clone(app);
        let limited = |tool| from_fn_with_state((Arc::clone(&app), tool), auth::require_key_with);
        match self.access {
            Access::Public => self.handler,
            Access::Key => self.handler.route_layer(from_fn_with_state(app, auth::require_key)),
            Access::KeyFor(tool) => self.handler.route_layer(limited(Some(tool))),
            Access::WholeKey => self.handler.route_layer(limited(None)),
            Access::Operator => {
                self.handler.route_layer(from_fn_with_state(app, auth::require_operator))
            }
        }
    }
}
