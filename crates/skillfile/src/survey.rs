//! What is in an upload, counted byte by byte before anything is kept.

use std::io::{self, Read};

use crate::{
    Finding, FindingCode, Limits, UploadError,
    finding::printable,
    path::{self, UPLOAD_PATH_BYTES},
};

/// One file, link or device of an upload. Folders are not listed: they are where files are.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its place in the upload, folders counted.
    pub(crate) index: usize,
    /// Its path as it was sent.
    pub(crate) path: String,
    /// The bytes that it really has.
    pub(crate) size: u64,
    /// Why it may not be kept.
    pub(crate) trouble: Option<Finding>,
}

impl Entry {
    /// An empty entry; a name that is not UTF-8 or absurdly long is its trouble.
    pub(crate) fn named(index: usize, name: &[u8]) -> Self {
        let kept = name.get(..UPLOAD_PATH_BYTES + 1).unwrap_or(name);
        match str::from_utf8(name) {
            Ok(path) if kept.len() == name.len() => {
                Self { index, path: path.to_owned(), size: 0, trouble: None }
            }
            readable => {
                let path = String::from_utf8_lossy(kept).into_owned();
                let why = match readable {
                    Ok(_) => format!(
                        "it has {} bytes, and {UPLOAD_PATH_BYTES} are allowed in an upload",
                        name.len()
                    ),
                    Err(_) => "it is not UTF-8".to_owned(),
                };
                let trouble = Some(path::refused(&path, &why));
                Self { index, path, size: 0, trouble }
            }
        }
    }

    /// The entry with one more thing wrong with it; the first found is told.
    pub(crate) fn with_trouble(self, code: FindingCode, what: &str) -> Self {
        let shown = printable(&self.path);
        let finding = Finding::new(code, format!("`{shown}` {what}")).at(shown);
        Self { trouble: self.trouble.or(Some(finding)), ..self }
    }

    /// Whether it is a mere folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.size == 0 && self.trouble.is_none() && self.path.ends_with('/')
    }
}

/// Checks the number of entries where it is known from the start.
pub(crate) fn check_entries(actual: usize, limits: &Limits) -> Result<(), UploadError> {
    let limit = limits.entries_per_upload;
    if actual > limit {
        return Err(UploadError::Entries { limit, actual: actual.to_string() });
    }
    Ok(())
}

/// Counts bytes against what an upload may unpack to.
pub(crate) struct Counter {
    limit: u64,
    used: u64,
    buffer: Vec<u8>,
}

/// Why counting stopped.
pub(crate) enum Stopped {
    /// The reader failed.
    Unreadable(io::Error),
    /// There is more than an upload may unpack to.
    TooMuch(UploadError),
}

impl Counter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { limit: limits.bytes_per_upload, used: 0, buffer: vec![0; 64 * 1024] }
    }

    /// Reads to the end, or until the upload's limit is passed.
    pub(crate) fn count(&mut self, reader: &mut impl Read) -> Result<u64, Stopped> {
        let before = self.used;
        loop {
            match reader.read(&mut self.buffer) {
                Ok(0) => return Ok(self.used - before),
                Ok(read) => self.used += read as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Stopped::Unreadable(error)),
            }
            if self.used > self.limit {
                return Err(Stopped::TooMuch(UploadError::Unpacked { limit: self.limit }));
            }
        }
    }
}
