//! What stands around every request: its id, its span, its deadline, and a net under a panic.
use std::{panic::AssertUnwindSafe, time::Duration, time::Instant};

use axum::{extract::Request, middleware::Next, response::Response};
use futures::FutureExt;
use http::{HeaderMap, Method, StatusCode};
use opentelemetry::{KeyValue, global, metrics::Histogram};
use tonic::Status;
use tracing::{Instrument, Span, field::Empty};

use crate::request::{CURRENT, HEADER, RequestId, continue_trace};

/// How long a gRPC call may take whose client set no deadline, and how long any may.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);
const UNIMPLEMENTED: &str = "12";
const LONGEST_DEADLINE: Duration = Duration::from_mins(10);

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
    observe("rpc.server.duration", began, method, status);
    response
}

/// Stands around one HTTP request.
pub(crate) async fn http(request: Request, next: Next) -> Response {
    let id = RequestId::of(&request);
    let method = request.method().clone();
    let span = tracing::info_span!(
        "http",
        http.method = %method,
        http.path = request.uri().path(),
        request.id = id.as_str(),
        http.status = Empty,
    );
    continue_trace(&span, request.headers());
    let began = Instant::now();
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    let answer = CURRENT.scope(id.clone(), answer).instrument(span.clone()).await;
    let mut response = answer.unwrap_or_else(|_panic| broken(&span));
    span.record("http.status", response.status().as_u16());
    response.headers_mut().insert(HEADER, id.header());
    observe("http.server.duration", began, known(&method), response.status().as_str());
    response
}

/// The method as a label: a client can send any word, and each would be a label of its own.
fn known(method: &Method) -> String {
    let known =
        [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::HEAD, Method::OPTIONS];
    if known.contains(method) { method.to_string() } else { "other".to_owned() }
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

fn observe(name: &'static str, began: Instant, method: String, status: &str) {
    let labels = [KeyValue::new("method", method), KeyValue::new("status", status.to_owned())];
    histogram(name).record(began.elapsed().as_secs_f64(), &labels);
}

fn histogram(name: &'static str) -> &'static Histogram<f64> {
    use std::sync::OnceLock;
    static RPC: OnceLock<Histogram<f64>> = OnceLock::new();
    static HTTP: OnceLock<Histogram<f64>> = OnceLock::new();
    let slot = if name.starts_with("rpc") { &RPC } else { &HTTP };
    slot.get_or_init(|| global::meter("loadout").f64_histogram(name).with_unit("s").build())
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
