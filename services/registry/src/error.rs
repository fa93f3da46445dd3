//! What can go wrong in the registry.
use access::{Denied, UnknownScope};
use fault::{Fault, Kind};
use ids::InvalidId;
use skillfile::UploadError;

use crate::model::{InvalidCursor, InvalidName, OutOfRange};

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    #[error(transparent)]
    InvalidCursor(#[from] InvalidCursor),
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    #[error(transparent)]
    UnknownScope(#[from] UnknownScope),
    #[error("give at least one scope")]
    NoScope,
    #[error("this key lacks the scope `{0}`, so it cannot give it to another")]
    MoreThanHeld(access::Scope),
    #[error("this key does not hold every scope, so it cannot give `*` to another")]
    MoreThanHeldAll,
    #[error("`expires_at` is `{0}`, which has passed; give a time to come or none")]
    ExpiryPassed(time::OffsetDateTime),
    #[error("`{0}` is no time that a calendar has")]
    InvalidTime(&'static str),
    #[error("give `tag` or `version`, not both")]
    TagAndVersion,
    #[error(transparent)]
    Upload(#[from] UploadError),
    #[error("{0}")]
    InvalidUpload(String),
    #[error("the call did not arrive whole")]
    Stream(#[source] tonic::Status),
    #[error("no such key")]
    NotAKey,
    #[error("no {what} `{name}`")]
    NotFound { what: &'static str, name: String },
    #[error("the skill `{skill}` has no tag `{tag}`")]
    NoSuchTag { skill: String, tag: String },
    #[error("the skill `{skill}` has no version {version}; its newest is {newest}")]
    NoSuchVersion { skill: String, version: u32, newest: u32 },
    #[error("the skill `{skill}` has no file `{path}` in version {version}")]
    NoSuchFile { skill: String, path: String, version: u32 },
    #[error("the {what} `{name}` exists already")]
    Taken { what: &'static str, name: String },
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    #[error("the files cannot be reached")]
    Blobs(#[from] object_store::Error),
    #[error("the system gave no randomness")]
    Randomness(#[from] getrandom::Error),
    #[error("a task of the import broke")]
    Broken(#[from] tokio::task::JoinError),
    #[error("a stored value is not what was stored: {0}")]
    Corrupt(&'static str),
}

impl Error {
    pub(crate) fn no_such_skill(name: &str) -> Self {
        Self::NotFound { what: "skill", name: shown(name) }
    }
}

/// How much of a wrong value an error repeats, in characters.
const SHOWN: usize = 200;

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

impl Fault for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Denied(denied) => denied.kind(),
            Self::MoreThanHeld(_) | Self::MoreThanHeldAll => Kind::Denied,
            Self::InvalidId(_)
            | Self::InvalidName(_)
            | Self::InvalidCursor(_)
            | Self::OutOfRange(_)
            | Self::UnknownScope(_)
            | Self::NoScope
            | Self::ExpiryPassed(_)
            | Self::InvalidTime(_)
            | Self::TagAndVersion
            | Self::Upload(_)
            | Self::InvalidUpload(_) => Kind::Invalid,
            Self::NotAKey
            | Self::NotFound { .. }
            | Self::NoSuchTag { .. }
            | Self::NoSuchVersion { .. }
            | Self::NoSuchFile { .. } => Kind::NotFound,
            Self::Taken { .. } => Kind::Conflict,
            Self::Database(error) => database::kind(error),
            Self::Stream(_) | Self::Blobs(_) => Kind::Unavailable,
            // Work is given up only with the process.
            Self::Broken(error) if error.is_cancelled() => Kind::Unavailable,
            Self::Randomness(_) | Self::Broken(_) | Self::Corrupt(_) => Kind::Internal,
        }
    }
}
