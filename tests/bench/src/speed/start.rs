//! How soon the product answers after it was started.
use std::time::Duration;

use crate::{
    product::{Api, Organization, Running},
    report::Table,
};

use super::{Filled, Measured};

#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    ready_after: Duration,
    found_after: Duration,
}

impl Start {
    /// Asks what was just started for the first time.
    pub(super) async fn measure(
        running: &Running,
        organization: &Organization,
        filled: &Filled,
    ) -> anyhow::Result<Self> {
        let query = filled.queries.first().map_or("review a change", String::as_str);
        Api::new(running.address).find(&organization.key, query, 10).await?;
        Ok(Self { ready_after: running.ready_after, found_after: running.begun.elapsed() })
    }
}

pub(super) fn table(all: &[Measured]) -> Table {
    let mut table = Table::new(
        "Start, in s (a new process; its files are in the system's memory)",
        &["skills", "until /readyz", "until find_skills answered"],
    );
    for Measured { skills, start: Start { ready_after, found_after }, .. } in all {
        let seconds = |time: &Duration| format!("{:.2}", time.as_secs_f64());
        table.add(vec![skills.to_string(), seconds(ready_after), seconds(found_after)]);
    }
    table
}
