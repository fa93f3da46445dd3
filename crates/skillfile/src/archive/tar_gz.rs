//! Gzipped tar archives, read as a stream twice.

use std::{
    cell::Cell,
    fmt,
    io::{self, Read},
};

use flate2::bufread::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::ArchiveKind;
use crate::{
    FindingCode, Limits, UploadError,
    contents::{Contents, Wanted, read_counted},
    survey::{Counter, Entry, Stopped},
};

/// What the headers of one entry may take. Long names are read whole before they are seen, so
/// without this an archive could have any memory it likes.
const HEADER_BYTES: u64 = 1024 * 1024;

type TarEntry<'a, 'b> = tar::Entry<'a, Metered<'b>>;

/// Counts what is in the archive.
pub(super) fn survey(bytes: &[u8], limits: &Limits) -> Result<Vec<Entry>, UploadError> {
    let mut counter = Counter::new(limits);
    let mut entries = Vec::new();
    each(bytes, limits, |index, packed| {
        let size = counter.count(packed).map_err(|stopped| match stopped {
            Stopped::Unreadable(error) => corrupt(error),
            Stopped::TooMuch(error) => error,
        })?;
        entries.extend(list(index, packed, size));
        Ok(())
    })?;
    Ok(entries)
}

/// Reads the wanted entries.
pub(super) fn contents(
    bytes: &[u8],
    wanted: &Wanted,
    limits: &Limits,
) -> Result<Contents, UploadError> {
    let mut contents = Contents::new();
    each(bytes, limits, |index, packed| {
        if let Some(&size) = wanted.get(&index) {
            contents.insert(index, read_counted(packed, size).map_err(corrupt)?);
        }
        Ok(())
    })?;
    Ok(contents)
}

fn each(
    bytes: &[u8],
    limits: &Limits,
    mut visit: impl FnMut(usize, &mut TarEntry<'_, '_>) -> Result<(), UploadError>,
) -> Result<(), UploadError> {
    ArchiveKind::TarGz.check(bytes)?;
    let left = Cell::new(0);
    let mut headers_left = limits.bytes_per_upload.saturating_add(HEADER_BYTES);
    let mut archive = Archive::new(Metered { inner: MultiGzDecoder::new(bytes), left: &left });
    let mut entries = archive.entries().map_err(corrupt)?;
    for index in 0.. {
        let allowed = headers_left.min(HEADER_BYTES);
        left.set(allowed);
        let Some(packed) = entries.next() else { break };
        let mut packed = packed.map_err(corrupt)?;
        headers_left -= allowed - left.get();
        check_index(index, limits)?;
        left.set(u64::MAX);
        visit(index, &mut packed)?;
        io::copy(&mut packed, &mut io::sink()).map_err(corrupt)?;
    }
    left.set(limits.bytes_per_upload);
    finish(archive.into_inner())
}

/// Reads what follows the last entry, for gzip's checksum is at the very end.
fn finish(mut rest: Metered<'_>) -> Result<(), UploadError> {
    io::copy(&mut rest, &mut io::sink()).map_err(corrupt)?;
    Ok(())
}

fn check_index(index: usize, limits: &Limits) -> Result<(), UploadError> {
    let limit = limits.entries_per_upload;
    if index >= limit {
        return Err(UploadError::Entries { limit, actual: format!("more than {limit}") });
    }
    Ok(())
}

fn list(index: usize, packed: &TarEntry<'_, '_>, size: u64) -> Option<Entry> {
    let named = Entry::named(index, &packed.path_bytes());
    let entry = Entry { size, ..named };
    let (code, what) = match packed.header().entry_type() {
        EntryType::Directory | EntryType::XGlobalHeader => return None,
        EntryType::Regular | EntryType::Continuous => return (!entry.is_folder()).then_some(entry),
        EntryType::Symlink => (FindingCode::Link, "is a symbolic link, and links are not kept"),
        EntryType::Link => (FindingCode::Link, "is a hard link, and links are not kept"),
        EntryType::Char | EntryType::Block => (FindingCode::SpecialFile, "is a device"),
        EntryType::Fifo => (FindingCode::SpecialFile, "is a named pipe"),
        EntryType::GNUSparse => (FindingCode::SpecialFile, "is a sparse file; pack it in full"),
        _ => (FindingCode::SpecialFile, "is neither a file nor a folder"),
    };
    Some(entry.with_trouble(code, what))
}

/// A reader that stops when its allowance is used up.
struct Metered<'a> {
    inner: MultiGzDecoder<&'a [u8]>,
    left: &'a Cell<u64>,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 && !buffer.is_empty() {
            return Err(io::Error::other("its headers or what follows its end are too long"));
        }
        let read = self.inner.read(&mut buffer[..most])?;
        self.left.set(left - read as u64);
        Ok(read)
    }
}

fn corrupt(error: impl fmt::Display) -> UploadError {
    ArchiveKind::TarGz.corrupt(error)
}
