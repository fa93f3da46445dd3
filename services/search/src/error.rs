//! What can go wrong in search.
use std::sync::Arc;

use access::Denied;
use fault::{Fault, Kind};

use crate::{embed, index};

/// What a call answers.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in a call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller may not do this.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The call names no kind of document.
    #[error("`kind` is missing or unknown, expected `KIND_SKILL`")]
    UnknownKind,
    /// Something has a size that is not allowed.
    #[error("{0}")]
    Size(#[from] Size),
    /// No vector could be made.
    #[error(transparent)]
    Embed(#[from] embed::Error),
    /// The same, for a query that others asked at the same time.
    #[error(transparent)]
    EmbedQuery(#[from] Arc<embed::Error>),
    /// The store failed.
    #[error(transparent)]
    Index(#[from] index::Error),
}

/// Something has a size that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` has {actual} {unit}, allowed are {least} to {most}")]
pub struct Size {
    /// What was measured.
    pub field: &'static str,
    /// In what.
    pub unit: &'static str,
    /// How small it may be.
    pub least: usize,
    /// How large it may be.
    pub most: usize,
    /// How large it is.
    pub actual: usize,
}

impl Fault for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Denied(denied) => denied.kind(),
            Self::UnknownKind | Self::Size(_) => Kind::Invalid,
            Self::Embed(error) => of_embedding(error),
            Self::EmbedQuery(error) => of_embedding(error),
            Self::Index(error) => of_index(error),
        }
    }
}

fn of_embedding(error: &embed::Error) -> Kind {
    match error {
        embed::Error::Busy { .. } => Kind::Exhausted,
        embed::Error::Api(_) | embed::Error::TimedOut(_) | embed::Error::Stopped => {
            Kind::Unavailable
        }
        embed::Error::Settings(_)
        | embed::Error::ModelMissing(..)
        | embed::Error::ModelDamaged { .. }
        | embed::Error::Model(_)
        | embed::Error::Unexpected { .. } => Kind::Internal,
    }
}

fn of_index(error: &index::Error) -> Kind {
    match error {
        index::Error::Unavailable(_) | index::Error::Missing => Kind::Unavailable,
        index::Error::Settings(_)
        | index::Error::InUse(_)
        | index::Error::Folder { .. }
        | index::Error::Failed(_) => Kind::Internal,
    }
}
