//! Zip archives, by their central directory; local headers are never believed.

use std::io::Cursor;

use zip::{
    CompressionMethod, ZipReadOptions,
    read::{Config, ZipFileEntry},
    unstable::read::ZipIterable,
};

use super::ArchiveKind;
use crate::{
    FindingCode, Limits, UploadError,
    contents::{Contents, Wanted, read_counted},
    survey::{self, Counter, Entry, Stopped},
};

// The file type in a Unix mode, which zip keeps in the upper half of the external attributes.
const TYPE_MASK: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

type Reader<'a> = Cursor<&'a [u8]>;

/// Counts what is in the archive.
pub(super) fn survey(bytes: &[u8], limits: &Limits) -> Result<Vec<Entry>, UploadError> {
    let mut archive = open(bytes)?;
    survey::check_entries(archive.len(), limits)?;
    let mut counter = Counter::new(limits);
    let mut reader = Cursor::new(bytes);
    let mut entries = Vec::new();
    for (index, zipped) in archive.files().map_err(corrupt)?.enumerate() {
        let zipped = zipped.map_err(corrupt)?;
        let entry = list(index, zipped, &mut reader, &mut counter)?;
        if !entry.is_folder() {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Reads the wanted entries.
pub(super) fn contents(bytes: &[u8], wanted: &Wanted) -> Result<Contents, UploadError> {
    let mut archive = open(bytes)?;
    let mut reader = Cursor::new(bytes);
    let mut contents = Contents::new();
    for (index, zipped) in archive.files().map_err(corrupt)?.enumerate() {
        let zipped = zipped.map_err(corrupt)?;
        if let Some(&size) = wanted.get(&index) {
            let opened = zipped.with_reader(&mut reader, ZipReadOptions::new());
            let read = read_counted(&mut opened.map_err(corrupt)?, size);
            contents.insert(index, read.map_err(corrupt)?);
        }
    }
    Ok(contents)
}

fn open(bytes: &[u8]) -> Result<ZipIterable<Reader<'_>>, UploadError> {
    ArchiveKind::Zip.check(bytes)?;
    ZipIterable::try_new(Cursor::new(bytes), Config::default()).map_err(corrupt)
}

fn list(
    index: usize,
    zipped: ZipFileEntry<'static>,
    reader: &mut Reader<'_>,
    counter: &mut Counter,
) -> Result<Entry, UploadError> {
    let entry = Entry::named(index, zipped.name_raw());
    if let Some((code, what)) = refusal(&zipped) {
        return Ok(entry.with_trouble(code, what));
    }
    let declared = zipped.size();
    let mut opened = match zipped.with_reader(reader, ZipReadOptions::new()) {
        Ok(opened) => opened,
        Err(error) => return Ok(damaged(entry, &error.to_string())),
    };
    match counter.count(&mut opened) {
        Ok(size) if size == declared => Ok(Entry { size, ..entry }),
        Ok(size) => Ok(damaged(entry, &format!("it says {declared} bytes and has {size}"))),
        Err(Stopped::Unreadable(error)) => Ok(damaged(entry, &error.to_string())),
        Err(Stopped::TooMuch(error)) => Err(error),
    }
}

fn refusal(zipped: &ZipFileEntry<'_>) -> Option<(FindingCode, &'static str)> {
    match (zipped.external_attributes() >> 16) & TYPE_MASK {
        0 | REGULAR | FOLDER => {}
        LINK => return Some((FindingCode::Link, "is a symbolic link, and links are not kept")),
        _ => return Some((FindingCode::SpecialFile, "is neither a file nor a folder")),
    }
    if zipped.encrypted() {
        return Some((FindingCode::Encrypted, "is encrypted, and cannot be read"));
    }
    match zipped.compression() {
        CompressionMethod::Stored | CompressionMethod::Deflated => None,
        _ => Some((
            FindingCode::UnsupportedCompression,
            "is compressed in a way that is not supported; use deflate or store",
        )),
    }
}

fn damaged(entry: Entry, cause: &str) -> Entry {
    entry.with_trouble(FindingCode::CorruptEntry, &format!("is damaged: {cause}"))
}

fn corrupt(error: impl std::fmt::Display) -> UploadError {
    ArchiveKind::Zip.corrupt(error)
}
