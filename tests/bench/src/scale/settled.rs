//! Waiting until the store has tidied up, which it does beside, when nobody writes.
use std::time::{Duration, Instant};

use anyhow::bail;
use tokio::time::sleep;

use crate::{child::processor_seconds, machine::say};

/// Longer than the store waits for another write before it begins.
const LOOK: Duration = Duration::from_secs(4);
/// How busy this process may be, in cores, to be called idle.
const IDLE: f64 = 0.03;
const PATIENCE: Duration = Duration::from_mins(30);

pub(super) async fn wait() -> anyhow::Result<()> {
    say("waiting until the store has tidied up");
    let begun = Instant::now();
    // Once for the store to begin, and further until it has ended.
    sleep(LOOK).await;
    while begun.elapsed() < PATIENCE {
        let before = processor_seconds(std::process::id());
        sleep(LOOK).await;
        let after = processor_seconds(std::process::id());
        let spent = before.zip(after).map_or(0.0, |(before, after)| after - before);
        if spent < IDLE * LOOK.as_secs_f64() {
            return Ok(());
        }
    }
    bail!("the store is still busy after {} s", PATIENCE.as_secs())
}
