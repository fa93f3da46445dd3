//! What stands around every request: its id, its span, its deadline, and a net under a panic.
use std::{
    panic::AssertUnwindSafe,
    sync::LazyLock,
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use futures::FutureExt;
use http::{HeaderMap, Method, StatusCode};
use opentelemetry::{KeyValue, global, metrics::Histogram};
use tonic::Status;
use tracing::{Instrument, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::request::{CURRENT, HEADER, RequestId, continue_trace};

/// How long a gRPC call may take whose client set no deadline, and how long any may.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);
const UNIMPLEMENTED: &str = "12";
const LONGEST_DEADLINE: Duration = Duration::from_mins(10);

static HTTP: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    seconds("http.server.duration", "From a request's arrival to the head of its answer")
});

static RPC: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    seconds("rpc.server.duration", "From a call's arrival to the head of its answer")
});

fn seconds(name: &'static str, description: &'static str) -> Histogram<f64> {
    let meter = global::meter("loadout");
    meter.f64_histogram(name).with_unit("s").with_description(description).build()
}

/// Stands around one gRPC call.
pub(crate) async fn grpc(request: Request, next: Next) -> Response {
    let deadline = deadline(request.headers());
    let id = RequestId::of(&request);
    let method = request.uri().path().to_owned();
    let span = tracing::info_span!("rpc", rpc.method = %method, request.id = id.as_str());
    continue_trace(&span, request.headers());
    let began = Instant::now();
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    let answer = CURRENT.scope(id, tokio::time::timeout(deadline, answer)).instrument(span).await;
    let response = match answer {
        Ok(Ok(response)) => response,
        Ok(Err(_panic)) => Status::internal(fault::INTERNAL).into_http(),
        Err(_elapsed) => {
            Status::deadline_exceeded(format!("no answer in {deadline:?}")).into_http()
        }
    };
    // A path that no service has is answered, but is no label.
    let status = grpc_status(response.headers());
    let method = if status == UNIMPLEMENTED { "other".to_owned() } else { method };
    let labels = [KeyValue::new("method", method), KeyValue::new("status", status.to_owned())];
    RPC.record(began.elapsed().as_secs_f64(), &labels);
    response
}

/// Stands around one HTTP request.
pub(crate) async fn http(request: Request, next: Next) -> Response {
    let id = RequestId::of(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let span = tracing::info_span!(
        "http",
        http.method = %method,
        http.path = request.uri().path(),
        request.id = id.as_str(),
    );
    continue_trace(&span, request.headers());
    let began = Instant::now();
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    let answer = CURRENT.scope(id.clone(), answer).instrument(span.clone()).await;
    let mut response = answer.unwrap_or_else(|_panic| broken(&span));
    // For traces alone: recorded on the span, it would make each line's fields anew.
    span.set_attribute("http.status", i64::from(response.status().as_u16()));
    response.headers_mut().insert(HEADER, id.header());
    let labels = [
        KeyValue::new("method", known(&method)),
        KeyValue::new("route", route.as_ref().map_or("none", MatchedPath::as_str).to_owned()),
        KeyValue::new("status", i64::from(response.status().as_u16())),
    ];
    HTTP.record(began.elapsed().as_secs_f64(), &labels);
    response
}

/// The method as a label: a client can send any word, and each would be a label of its own.
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

fn broken(span: &Span) -> Response {
    span.in_scope(|| tracing::error!("a request panicked"));
    let mut response = Response::new("{\"title\":\"internal error\",\"status\":500}".into());
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    let json = http::HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}

/// The client's `grpc-timeout`: up to eight digits and a unit (gRPC over HTTP/2, "Timeout").
fn deadline(headers: &HeaderMap) -> Duration {
    let given = headers.get("grpc-timeout").and_then(|value| parse_timeout(value.to_str().ok()?));
    given.unwrap_or(DEFAULT_DEADLINE).min(LONGEST_DEADLINE)
}

fn parse_timeout(text: &str) -> Option<Duration> {
    let unit = text.chars().last().filter(char::is_ascii)?;
    let amount: u64 = text[..text.len() - 1].parse().ok()?;
    match unit {
        'H' => Some(Duration::from_secs(amount * 3_600)),
        'M' => Some(Duration::from_secs(amount * 60)),
        'S' => Some(Duration::from_secs(amount)),
        'm' => Some(Duration::from_millis(amount)),
        'u' => Some(Duration::from_micros(amount)),
        'n' => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

/// A status in the headers is a refusal; one in the trailers came after an answer.
fn grpc_status(headers: &HeaderMap) -> &str {
    headers.get("grpc-status").and_then(|value| value.to_str().ok()).unwrap_or("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grpc_timeout_is_read_in_each_unit() {
        for (text, seconds) in [("2H", 7_200.0), ("3M", 180.0), ("4S", 4.0), ("500m", 0.5)] {
            assert_eq!(parse_timeout(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        assert_eq!(parse_timeout("7u"), Some(Duration::from_micros(7)));
        assert_eq!(parse_timeout("7n"), Some(Duration::from_nanos(7)));
    }

    #[test]
    fn a_timeout_that_is_none_is_the_default() {
        for text in ["", "S", "1x", "é", "-1S"] {
            assert_eq!(parse_timeout(text), None, "{text}");
        }
    }
}
