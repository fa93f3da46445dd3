//! What the gateway counts. No label names an organization, a key or anything else of a customer's.
use std::{sync::LazyLock, time::Duration};

use opentelemetry::{
    KeyValue, global,
    metrics::{Counter, Histogram},
};

static CALLS: LazyLock<Histogram<f64>> = LazyLock::new(|| {
    let meter = global::meter("loadout");
    let histogram = meter.f64_histogram("gateway.call.duration").with_unit("s");
    histogram.with_description("From a call's arrival to its answer").build()
});

static UNRECORDED: LazyLock<Counter<u64>> = LazyLock::new(|| {
    let meter = global::meter("loadout");
    let counter = meter.u64_counter("gateway.calls.unrecorded");
    counter.with_description("Calls that no account was kept of").build()
});

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
    CALLS.record(duration.as_secs_f64(), &labels);
}

pub(crate) fn unrecorded(calls: u64) {
    UNRECORDED.add(calls, &[]);
}
