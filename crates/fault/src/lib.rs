//! What can go wrong, as seen from outside.
use std::error::Error;

use http::StatusCode;
use tonic::{Code, Status};

/// The few ways in which a call can fail. Each has one gRPC code and one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Invalid,
    Unauthenticated,
    Denied,
    NotFound,
    Conflict,
    Exhausted,
    Unavailable,
    Internal,
}

/// An error that a caller may see.
pub trait Fault: Error + 'static {
    /// Which way the call failed.
    fn kind(&self) -> Kind;
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Invalid,
        Self::Unauthenticated,
        Self::Denied,
        Self::NotFound,
        Self::Conflict,
        Self::Exhausted,
        Self::Unavailable,
        Self::Internal,
    ];

    /// The gRPC code.
    #[must_use]
    pub fn code(self) -> Code {
        match self {
            Self::Invalid => Code::InvalidArgument,
            Self::Unauthenticated => Code::Unauthenticated,
            Self::Denied => Code::PermissionDenied,
            Self::NotFound => Code::NotFound,
            Self::Conflict => Code::AlreadyExists,
            Self::Exhausted => Code::ResourceExhausted,
            Self::Unavailable => Code::Unavailable,
            Self::Internal => Code::Internal,
        }
    }

    /// The HTTP status.
    #[must_use]
    pub fn http(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Denied => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Exhausted => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The word for it in JSON and logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Unauthenticated => "unauthenticated",
            Self::Denied => "denied",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Exhausted => "exhausted",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    /// The kind that a gRPC status stands for. A deadline that passed or a cut connection is
    /// [`Kind::Unavailable`]; a code that no service of ours sends is [`Kind::Internal`].
    #[must_use]
    pub fn of(status: &Status) -> Self {
        if was_cut(status) {
            return Self::Unavailable;
        }
        match status.code() {
            Code::DeadlineExceeded | Code::Cancelled => Self::Unavailable,
            code => Self::ALL.into_iter().find(|k| k.code() == code).unwrap_or(Self::Internal),
        }
    }
}

/// Whether the status was made on this side, of a call that was cut before its answer was whole. A cause does
/// not cross the wire, a service of ours sends nothing `Unknown`, and what is internal only as
/// [`INTERNAL`].
#[must_use]
pub fn was_cut(status: &Status) -> bool {
    status.source().is_some()
        || status.code() == Code::Unknown
        || (status.code() == Code::Internal && status.message() != INTERNAL)
}

/// All that a caller is told of what went wrong inside.
pub const INTERNAL: &str = "internal error";

/// Turns an error into a gRPC status. What is internal is logged here, once, and kept from the
/// caller.
pub fn status<F: Fault>(error: &F) -> Status {
    let kind = error.kind();
    if matches!(kind, Kind::Internal | Kind::Unavailable) {
        tracing::error!(error.kind = kind.name(), error.cause = %chain(error), "{error}");
    }
    let message = match kind {
        Kind::Internal => INTERNAL.to_owned(),
        _ => error.to_string(),
    };
    Status::new(kind.code(), message)
}

/// The error and its causes, outermost first: for the log.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outside")]
    struct Failed(Kind, #[source] std::fmt::Error);

    impl Fault for Failed {
        fn kind(&self) -> Kind {
            self.0
        }
    }

    #[test]
    fn every_kind_survives_the_wire() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(&status(&Failed(kind, std::fmt::Error))), kind);
        }
    }

    #[test]
    fn what_is_internal_is_kept_from_the_caller() {
        let status = status(&Failed(Kind::Internal, std::fmt::Error));
        assert_eq!(status.message(), "internal error");
    }

    #[test]
    fn a_cut_connection_is_unavailable_whatever_its_code() {
        let cut = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert_eq!(Kind::of(&Status::from_error(Box::new(cut))), Kind::Unavailable);
    }

    #[test]
    fn an_answer_that_broke_off_is_unavailable() {
        let broken = Status::internal("Missing response message.");
        assert_eq!(Kind::of(&broken), Kind::Unavailable);
    }

    #[test]
    fn a_passed_deadline_is_unavailable() {
        assert_eq!(Kind::of(&Status::deadline_exceeded("late")), Kind::Unavailable);
    }
}
