//! What the gateway counts. No label names an organization, a key or anything else of a customer's.
use std::{sync::LazyLock, time::Duration};

use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use http::Method;
use opentelemetry::{
    KeyValue, global,
    metrics::{Counter, Histogram},
};
use tokio::time::Instant;

static REQUESTS: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let meter = global::meter("loadout");
    let histogram = meter.f64_histogram("gateway.request.duration").with_unit("s");
    histogram.with_description("From a request's arrival to the head of its answer").build()
});

static CALLS: LazyLock<Counter<u64>> = LazyLock::new(|| {
    let meter = global::meter("loadout");
    meter.u64_counter("gateway.calls").with_description("Calls of tools").build()
});

static DURATIONS: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let meter = global::meter("loadout");
    let histogram = meter.f64_histogram("gateway.call.duration").with_unit("s");
    histogram.with_description("From a call's arrival to its answer").build()
});

static UNRECORDED: LazyLock<Counter<u64>> = LazyLock::new(|| {
    let meter = global::meter("loadout");
    let counter = meter.u64_counter("gateway.calls.unrecorded");
    counter.with_description("Calls that no account was kept of").build()
});

/// Measures one request, by the pattern of its path.
pub(crate) async fn measure(path: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let (began, method) = (Instant::now(), known(request.method()));
    let response = next.run(request).await;
    let path = path.map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let labels = [
        KeyValue::new("route", path),
        KeyValue::new("method", method),
        KeyValue::new("status", i64::from(response.status().as_u16())),
    ];
    REQUESTS.record(began.elapsed().as_secs_f64(), &labels);
    response
}

/// A method by its name, where it has one that we know: a client must not make labels.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        "PATCH" => "PATCH",
        _ => "other",
    }
}

/// Counts one call of a tool; `tool` and `outcome` are names of ours, never a client's words.
pub(crate) fn called(
    tool: &'static str,
    surface: &'static str,
    outcome: &'static str,
    duration: Duration,
) {
    let labels = [
        KeyValue::new("tool", tool),
        KeyValue::new("surface", surface),
        KeyValue::new("outcome", outcome),
    ];
    CALLS.add(1, &labels);
    DURATIONS.record(duration.as_secs_f64(), &labels);
}

pub(crate) fn unrecorded(calls: u64) {
    UNRECORDED.add(calls, &[]);
}
