//! Why an upload is refused as a whole.

use crate::{ArchiveKind, Finding};

/// The upload is refused; nothing of it is to be kept.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// More bytes were sent than an upload may have.
    #[error("an upload may have {limit} bytes, and this one has {actual}")]
    Sent {
        /// The most bytes that an upload may have.
        limit: u64,
        /// The bytes that this one has.
        actual: u64,
    },
    /// The archive unpacks to more bytes than an upload may have.
    #[error("an upload may unpack to {limit} bytes, and this one unpacks to more than {limit}")]
    Unpacked {
        /// The most bytes that an upload may unpack to.
        limit: u64,
    },
    /// The upload has too many files and folders.
    #[error("an upload may have {limit} files and folders, and this one has {actual}")]
    Entries {
        /// The most files and folders that an upload may have.
        limit: usize,
        /// How many this one has, or `more than` the limit where counting stopped.
        actual: String,
    },
    /// The bytes are not an archive of the kind that they were said to be.
    #[error("the upload is not a {0} archive: it does not start as one")]
    NotAnArchive(ArchiveKind),
    /// The archive is damaged or made in a way that is not supported.
    #[error("the {kind} archive cannot be read: {cause}")]
    Corrupt {
        /// What the archive was read as.
        kind: ArchiveKind,
        /// What is wrong with it.
        cause: String,
    },
    /// An entry must be refused, and it belongs to no skill that could be refused for it.
    #[error("{}", .0.message)]
    Entry(Finding),
    /// There is no skill in the upload.
    #[error("no folder of the upload holds a `SKILL.md`, looked at {files} files")]
    NoSkill {
        /// The files that were looked at.
        files: usize,
    },
}
