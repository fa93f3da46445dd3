//! The one place that reads the time of day, so that tests can set it.
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use std::time::Duration;

use time::OffsetDateTime;

/// Tells the time: the system's, or one that a test holds in its hand. Clones tell the same time.
#[derive(Clone, Debug, Default)]
pub struct Clock(Hands);

#[derive(Clone, Debug, Default)]
enum Hands {
    #[default]
    System,
    /// Milliseconds since 1970.
    Held(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands still until it is moved.
    #[must_use]
    pub fn held_at(now: OffsetDateTime) -> Self {
        Self(Hands::Held(Arc::new(AtomicI64::new(now.unix_timestamp() * 1_000))))
    }

    /// The time in UTC, to the millisecond: what Postgres and JSON both carry without loss.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let milliseconds = match &self.0 {
            Hands::System => system_milliseconds(),
            Hands::Held(milliseconds) => i128::from(milliseconds.load(Ordering::SeqCst)),
        };
        OffsetDateTime::from_unix_timestamp_nanos(milliseconds * 1_000_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    /// Moves a held clock forward; a system clock moves by itself.
    pub fn advance(&self, by: Duration) {
        if let Hands::Held(milliseconds) = &self.0 {
            let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
            milliseconds.fetch_add(by, Ordering::SeqCst);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the clock")]
fn system_milliseconds() -> i128 {
    OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_clock_moves_only_when_it_is_moved() {
        let clock = Clock::held_at(OffsetDateTime::UNIX_EPOCH);
        let twin = clock.clone();

        clock.advance(Duration::from_millis(1_500));

        assert_eq!(twin.now() - OffsetDateTime::UNIX_EPOCH, Duration::from_millis(1_500));
    }
}
