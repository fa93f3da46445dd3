//! How long answers took.
use std::time::Duration;

use serde::Serialize;

/// The time of each answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    microseconds: Vec<u32>,
}

/// What the times of one row come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Series {
    pub(crate) clients: usize,
    pub(crate) answers: u32,
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
}

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.microseconds.push(u32::try_from(time.as_micros()).unwrap_or(u32::MAX));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.microseconds.extend(other.microseconds);
    }

    pub(crate) fn series(mut self, clients: usize, measured: Duration) -> Series {
        self.microseconds.sort_unstable();
        let answers = u32::try_from(self.microseconds.len()).unwrap_or(u32::MAX);
        Series {
            clients,
            answers,
            per_second: f64::from(answers) / measured.as_secs_f64(),
            p50_ms: self.percentile(50),
            p99_ms: self.percentile(99),
        }
    }

    /// The nearest rank of the sorted times, in milliseconds; 0 without any.
    fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.microseconds.len() * percent).div_ceil(100).max(1);
        self.microseconds.get(rank - 1).map_or(0.0, |time| f64::from(*time) / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(milliseconds: impl Iterator<Item = u64>) -> Times {
        let mut times = Times::default();
        milliseconds.for_each(|time| times.add(Duration::from_millis(time)));
        times
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let series = times((1..=200).rev()).series(4, Duration::from_secs(5));
        assert_eq!((series.p50_ms, series.p99_ms), (100.0, 198.0));
        assert_eq!((series.per_second, series.answers), (40.0, 200));
    }

    #[test]
    fn the_percentiles_of_one_answer_are_its_time() {
        let series = times([7].into_iter()).series(1, Duration::from_secs(1));
        assert_eq!((series.p50_ms, series.p99_ms), (7.0, 7.0));
    }
}
