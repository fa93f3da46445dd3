//! What a request carries from program to program: its id, and the trace that it is part of.
use http::{HeaderMap, HeaderValue, Request};
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tonic::metadata::{MetadataKey, MetadataMap, MetadataValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The header that carries it, in HTTP and gRPC.
pub(crate) const HEADER: &str = "x-request-id";
/// The longest id that is taken over from a client.
const LONGEST: usize = 128;

/// Names a request in logs, answers and traces, end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

tokio::task_local! {
    pub(crate) static CURRENT: RequestId;
}

impl RequestId {
    /// The id that the client gave, where it is fit for a log line; else a new one.
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        let given = request.headers().get(HEADER).filter(|value| is_fit(value.as_bytes()));
        given.cloned().map_or_else(Self::new, Self)
    }

    fn new() -> Self {
        let text = uuid::Uuid::now_v7().simple().to_string();
        Self(HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("none")))
    }

    /// The id of the request that is being answered, if one is.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or("none")
    }

    /// As a header's value.
    #[must_use]
    pub fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

fn is_fit(id: &[u8]) -> bool {
    let fit = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=LONGEST).contains(&id.len()) && id.iter().all(fit)
}

/// Adds the current request's id and trace to a call of another service.
pub fn outgoing(metadata: &mut MetadataMap) {
    if let Some(id) = RequestId::current()
        && let Ok(value) = MetadataValue::try_from(id.as_str())
    {
        metadata.insert(HEADER, value);
    }
    let context = Span::current().context();
    TraceContextPropagator::new().inject_context(&context, &mut Outgoing(metadata));
}

/// Makes `span` part of the trace that the request came with.
pub(crate) fn continue_trace(span: &Span, headers: &HeaderMap) {
    if headers.contains_key("traceparent") {
        let parent = TraceContextPropagator::new().extract(&Incoming(headers));
        // Fails only where no trace is kept at all.
        let _ = span.set_parent(parent);
    }
}

struct Outgoing<'a>(&'a mut MetadataMap);

impl Injector for Outgoing<'_> {
    fn set(&mut self, key: &str, value: String) {
        let key = MetadataKey::from_bytes(key.as_bytes());
        if let (Ok(key), Ok(value)) = (key, MetadataValue::try_from(value)) {
            self.0.insert(key, value);
        }
    }
}

struct Incoming<'a>(&'a HeaderMap);

impl Extractor for Incoming<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}
