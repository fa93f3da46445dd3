//! The bytes of the files that are kept.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Read},
};

/// The entries to keep, each with the size that was counted.
pub(crate) type Wanted = BTreeMap<usize, u64>;

/// The bytes of the wanted entries.
pub(crate) type Contents = HashMap<usize, Vec<u8>>;

/// Reads an entry that was counted before; no more than that is ever held.
pub(crate) fn read_counted(reader: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(io::Error::other)?);
    reader.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}
