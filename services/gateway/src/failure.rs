//! How a call fails, as its caller sees it.
use fault::Kind;
use tonic::Status;

/// A call that failed: in which way, and why, for the caller's eyes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    message: String,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// Something of ours is broken. The cause is logged here and kept from the caller.
    pub(crate) fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(error.cause = %cause, "internal error");
        Self::new(Kind::Internal, "internal error")
    }

    /// What a service did not answer in time, or at all.
    pub(crate) fn unavailable() -> Self {
        Self::new(Kind::Unavailable, "a service behind the gateway does not answer, try again")
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let kind = Kind::of(&status);
        match kind {
            // Made on this side of the wire: its text tells of addresses.
            Kind::Unavailable if fault::was_cut(&status) => {
                tracing::warn!(error.cause = %fault::chain(&status), "a service does not answer");
                Self::unavailable()
            }
            // The caller was let in already: that a service does not believe it is our own fault.
            Kind::Internal | Kind::Unauthenticated => Self::internal(fault::chain(&status)),
            Kind::Invalid
            | Kind::Denied
            | Kind::NotFound
            | Kind::Conflict
            | Kind::Exhausted
            | Kind::Unavailable => Self::new(kind, status.message()),
        }
    }
}

/// Checks that a number is within its limits.
pub(crate) fn within(
    name: &str,
    allowed: std::ops::RangeInclusive<i64>,
    actual: i64,
) -> Result<u32, Failure> {
    let fits = allowed.contains(&actual).then(|| u32::try_from(actual).ok()).flatten();
    fits.ok_or_else(|| {
        let (least, most) = (allowed.start(), allowed.end());
        Failure::invalid(format!("`{name}` is {actual}, allowed are {least} to {most}"))
    })
}

/// Checks that a text is as long as it may be, in characters.
pub(crate) fn sized(name: &str, most: usize, text: &str) -> Result<(), Failure> {
    let actual = text.chars().count();
    if (1..=most).contains(&actual) {
        return Ok(());
    }
    let message = format!("`{name}` has {actual} characters, allowed are 1 to {most}");
    Err(Failure::invalid(message))
}

/// What is wrong with a value that was read from JSON or a query, and where in it.
pub(crate) fn located(noun: &str, path: &str, problem: &str) -> String {
    for word in ["unknown", "missing", "duplicate"] {
        if let Some(named) = problem.strip_prefix(&format!("{word} field")) {
            return format!("{word} {noun}{named}");
        }
    }
    let problem = problem.replace("expected i64", "expected an integer");
    if path == "." { problem } else { format!("`{path}`: {problem}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_transport_says_is_kept_from_the_caller() {
        let cause = std::io::Error::other("tcp connect error: 10.0.0.7:7001");
        let status = Status::from_error(Box::new(cause));
        assert!(!Failure::from(status).to_string().contains("10.0.0.7"));
    }

    #[test]
    fn what_a_service_says_is_passed_on() {
        let failure = Failure::from(Status::unavailable("the embedding API asks to wait 5 s"));
        assert_eq!(failure.to_string(), "the embedding API asks to wait 5 s");
    }
}
