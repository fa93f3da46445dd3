//! What a figure may be, and what it is.
use std::fmt;

use serde::Serialize;

/// One figure that is limited.
#[derive(Debug, Serialize)]
pub(crate) struct Budget {
    pub(crate) what: String,
    pub(crate) limit: Limit,
    /// None where it could not be measured, which is not good enough.
    pub(crate) actual: Option<f64>,
    pub(crate) unit: &'static str,
    pub(crate) is_met: bool,
}

/// What a figure may be.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

impl Budget {
    pub(crate) fn new(
        what: impl Into<String>,
        limit: Limit,
        actual: Option<f64>,
        unit: &'static str,
    ) -> Self {
        let is_met = actual.is_some_and(|actual| limit.allows(actual));
        Self { what: what.into(), limit, actual, unit, is_met }
    }

    pub(crate) fn is_met(&self) -> bool {
        self.is_met
    }
}

impl Limit {
    fn allows(self, actual: f64) -> bool {
        match self {
            Self::AtLeast(least) => actual >= least,
            Self::AtMost(most) => actual <= most,
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, limit, actual, unit, is_met } = self;
        let verdict = if *is_met { "met    " } else { "NOT met" };
        let limit = match limit {
            Limit::AtLeast(least) => format!("≥ {least}{unit}"),
            Limit::AtMost(most) => format!("≤ {most}{unit}"),
        };
        match actual {
            // To three decimals, so that what is just missed does not look like what is met.
            Some(actual) => write!(f, "{verdict}  {what}: {actual:.3}{unit} ({limit})"),
            None => write!(f, "{verdict}  {what}: not measured ({limit})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_met(limit: Limit, actual: f64) -> bool {
        Budget::new("x", limit, Some(actual), "").is_met()
    }

    #[test]
    fn a_figure_at_its_limit_is_met_and_one_beyond_it_is_not() {
        assert!(is_met(Limit::AtLeast(0.5), 0.5) && is_met(Limit::AtLeast(0.5), 0.51));
        assert!(!is_met(Limit::AtLeast(0.5), 0.499));
        assert!(is_met(Limit::AtMost(1.3), 1.3) && is_met(Limit::AtMost(1.3), 1.29));
        assert!(!is_met(Limit::AtMost(1.3), 1.301));
    }

    #[test]
    fn what_was_not_measured_is_not_met() {
        let budget = Budget::new("memory", Limit::AtMost(250.0), None, " MiB");
        assert_eq!(budget.to_string(), "NOT met  memory: not measured (≤ 250 MiB)");
    }
}
