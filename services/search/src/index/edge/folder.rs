//! The store's folder: one process at a time, and a store that cannot be used is set aside.
use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::{
    super::{Error, VectorKind},
    check::Origin,
    shard::Shard,
};

const LOCK: &str = "lock";
const STORE: &str = "store";
const SET_ASIDE: &str = "set-aside";

/// A folder that no other process may use meanwhile.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Given back by the system when the process ends, however it ends.
    _lock: File,
}

impl Folder {
    /// Makes the folder if there is none, and takes it for this process.
    pub(super) fn take(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Folder { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(failed)?;
        let lock = File::create(path.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(Error::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// Opens the store. A lost, damaged or unfitting one is set aside, and an empty one made:
    /// the writers see its new id and send everything again.
    pub(super) fn open(&self, kind: &VectorKind, origin: Origin) -> Result<Shard, Error> {
        let store = self.path.join(STORE);
        if store.exists() {
            match self.load(kind, origin) {
                Ok(shard) => return Ok(shard),
                Err(reason) => self.set_aside(&reason)?,
            }
        }
        fs::create_dir_all(&store).map_err(|source| self.failed(source))?;
        let shard = Shard::create(&store, kind)?;
        tracing::info!(store = %store.display(), index.id = %shard.index_id(), "made a new index");
        Ok(shard)
    }

    fn load(&self, kind: &VectorKind, origin: Origin) -> Result<Shard, Error> {
        let store = self.path.join(STORE);
        drop_old_log(&store.join("wal")).map_err(|source| self.failed(source))?;
        Shard::load(&store, kind, origin)
    }

    /// Keeps what cannot be used, for who wants to look at it, until the next time.
    pub(super) fn set_aside(&self, reason: &Error) -> Result<(), Error> {
        let (store, aside) = (self.path.join(STORE), self.path.join(SET_ASIDE));
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(|source| self.failed(source))?;
        }
        fs::rename(&store, &aside).map_err(|source| self.failed(source))?;
        tracing::warn!(
            store = %store.display(), aside = %aside.display(), %reason,
            "the index cannot be used; it is set aside and built again"
        );
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Folder { path: self.path.clone(), source }
    }
}

/// Removes all but the last finished file of the write-ahead log. Edge never reads them again, and
/// never removes them either; the last one it needs to know at which number to go on.
fn drop_old_log(log: &Path) -> io::Result<()> {
    let mut finished = Vec::new();
    for entry in fs::read_dir(log)? {
        let entry = entry?;
        let name = entry.file_name();
        let start = name.to_str().and_then(|name| name.strip_prefix("closed-")?.parse().ok());
        if let Some(start) = start {
            let start: u64 = start;
            finished.push((start, entry.path()));
        }
    }
    finished.sort_unstable();
    finished.pop();
    finished.into_iter().try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_taker_is_told_that_the_folder_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let _taken = Folder::take(folder.path()).unwrap();
        assert!(matches!(Folder::take(folder.path()), Err(Error::InUse(_))));
    }

    #[test]
    fn a_folder_that_was_let_go_can_be_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        drop(Folder::take(folder.path()).unwrap());
        Folder::take(folder.path()).unwrap();
    }

    #[test]
    fn only_the_last_finished_file_of_the_log_is_kept() {
        let log = tempfile::tempdir().unwrap();
        for name in ["closed-9", "closed-10", "closed-0", "open-4"] {
            fs::write(log.path().join(name), "").unwrap();
        }
        drop_old_log(log.path()).unwrap();
        let mut left: Vec<_> =
            fs::read_dir(log.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["closed-10", "open-4"]);
    }
}
