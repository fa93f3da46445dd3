//! Logs as JSON lines on standard error; traces and metrics by OTLP where an endpoint is set; metrics for
//! Prometheus always.
use std::{io::IsTerminal, sync::OnceLock};

use anyhow::Context;
use opentelemetry::{global, trace::TracerProvider};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    metrics::SdkMeterProvider,
    trace::{Sampler, SdkTracerProvider},
};
use prometheus::{Registry, TextEncoder};
use tracing_subscriber::{EnvFilter, Layer, layer::SubscriberExt, util::SubscriberInitExt};

use crate::Telemetry;

/// What must be flushed before the program ends.
pub(crate) struct Started {
    meters: SdkMeterProvider,
    traces: Option<SdkTracerProvider>,
}

static PROMETHEUS: OnceLock<Registry> = OnceLock::new();

pub(crate) fn start(program: &'static str, settings: &Telemetry) -> anyhow::Result<Started> {
    let resource = Resource::builder().with_service_name(format!("loadout-{program}")).build();
    let meters = meters(settings, resource.clone())?;
    global::set_meter_provider(meters.clone());
    let traces = settings.otlp_endpoint.as_deref();
    let traces = traces.map(|at| traces_to(at, settings.trace_ratio, resource)).transpose()?;
    let filter = EnvFilter::try_new(&settings.log)
        .with_context(|| format!("`telemetry.log` is `{}`", settings.log))?;
    let spans = traces
        .as_ref()
        .map(|traces| tracing_opentelemetry::layer().with_tracer(traces.tracer("loadout")));
    tracing_subscriber::registry().with(filter).with(lines()).with(spans).try_init().ok();
    Ok(Started { meters, traces })
}

/// JSON, or plain lines where a person looks on.
fn lines<S>() -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    if std::io::stderr().is_terminal() { lines.boxed() } else { lines.json().boxed() }
}

fn meters(settings: &Telemetry, resource: Resource) -> anyhow::Result<SdkMeterProvider> {
    let registry = PROMETHEUS.get_or_init(Registry::new).clone();
    let reader = opentelemetry_prometheus::exporter().with_registry(registry).build()?;
    let mut meters = SdkMeterProvider::builder().with_resource(resource).with_reader(reader);
    if let Some(endpoint) = &settings.otlp_endpoint {
        let exporter = MetricExporter::builder().with_tonic().with_endpoint(endpoint).build();
        meters = meters.with_periodic_exporter(exporter.context("reporting metrics by OTLP")?);
    }
    Ok(meters.build())
}

fn traces_to(endpoint: &str, ratio: f64, resource: Resource) -> anyhow::Result<SdkTracerProvider> {
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build();
    let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(ratio)));
    Ok(SdkTracerProvider::builder()
        .with_resource(resource)
        .with_sampler(sampler)
        .with_batch_exporter(exporter.context("reporting traces by OTLP")?)
        .build())
}

impl Started {
    pub(crate) fn flush(self) {
        if let Some(Err(error)) = self.traces.map(|traces| traces.shutdown()) {
            tracing::warn!(%error, "the last traces were not sent");
        }
        if let Err(error) = self.meters.shutdown() {
            tracing::warn!(%error, "the last metrics were not sent");
        }
    }
}

pub(crate) fn prometheus_text() -> prometheus::Result<String> {
    let registry = PROMETHEUS.get_or_init(Registry::new);
    TextEncoder::new().encode_to_string(&registry.gather())
}
