//! What an upload comes in: the three sources, read as one.

mod tar_gz;
mod zipped;

use std::fmt;

use crate::{
    Limits, UploadError,
    contents::{Contents, Wanted},
    survey::{self, Entry},
};

/// An upload, as it was sent.
#[derive(Debug)]
pub enum Source<'a> {
    /// A zip archive.
    Zip(&'a [u8]),
    /// A gzipped tar archive.
    TarGz(&'a [u8]),
    /// Files, each a path and its bytes.
    Files(Vec<(String, Vec<u8>)>),
}

/// The kinds of archives that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ArchiveKind {
    Zip,
    TarGz,
}

/// Which archive this is the start of, by its first bytes. Four are enough.
#[must_use]
pub fn detect(first_bytes: &[u8]) -> Option<ArchiveKind> {
    match first_bytes {
        // A local file header, or the end record of a zip that holds nothing.
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(ArchiveKind::Zip),
        [0x1f, 0x8b, ..] => Some(ArchiveKind::TarGz),
        _ => None,
    }
}

impl Source<'_> {
    /// Counts what the upload holds, keeping none of it.
    pub(crate) fn survey(&self, limits: &Limits) -> Result<Vec<Entry>, UploadError> {
        self.check_sent(limits)?;
        match self {
            Self::Zip(bytes) => zipped::survey(bytes, limits),
            Self::TarGz(bytes) => tar_gz::survey(bytes, limits),
            Self::Files(files) => survey_files(files, limits),
        }
    }

    /// The bytes of the wanted entries.
    pub(crate) fn contents(
        self,
        wanted: &Wanted,
        limits: &Limits,
    ) -> Result<Contents, UploadError> {
        match self {
            Self::Zip(bytes) => zipped::contents(bytes, wanted),
            Self::TarGz(bytes) => tar_gz::contents(bytes, wanted, limits),
            Self::Files(files) => {
                let files = files.into_iter().enumerate();
                let kept = files.filter(|(index, _)| wanted.contains_key(index));
                Ok(kept.map(|(index, (_, bytes))| (index, bytes)).collect())
            }
        }
    }

    fn check_sent(&self, limits: &Limits) -> Result<(), UploadError> {
        let limit = limits.bytes_per_upload;
        let actual = match self {
            Self::Zip(bytes) | Self::TarGz(bytes) => bytes.len() as u64,
            Self::Files(files) => files.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
        };
        if actual > limit { Err(UploadError::Sent { limit, actual }) } else { Ok(()) }
    }
}

impl fmt::Display for ArchiveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zip => "zip",
            Self::TarGz => "tar.gz",
        })
    }
}

impl ArchiveKind {
    fn corrupt(self, cause: impl fmt::Display) -> UploadError {
        UploadError::Corrupt { kind: self, cause: cause.to_string() }
    }

    fn check(self, bytes: &[u8]) -> Result<(), UploadError> {
        if detect(bytes) == Some(self) { Ok(()) } else { Err(UploadError::NotAnArchive(self)) }
    }
}

fn survey_files(files: &[(String, Vec<u8>)], limits: &Limits) -> Result<Vec<Entry>, UploadError> {
    survey::check_entries(files.len(), limits)?;
    let listed = files.iter().enumerate();
    Ok(listed
        .map(|(index, (path, bytes))| Entry {
            size: bytes.len() as u64,
            ..Entry::named(index, path.as_bytes())
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_known_by_its_first_bytes() {
        assert_eq!(detect(b"PK\x03\x04rest"), Some(ArchiveKind::Zip));
        assert_eq!(detect(b"PK\x05\x06"), Some(ArchiveKind::Zip));
        assert_eq!(detect(b"\x1f\x8b"), Some(ArchiveKind::TarGz));
        assert_eq!(detect(b"---\nname: x"), None);
        assert_eq!(detect(b""), None);
    }
}
