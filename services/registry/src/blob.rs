//! The files of revisions: each content once for an organization, under its SHA-256.
use std::sync::Arc;

use bytes::Bytes;
use ids::OrgId;
use moka::future::Cache;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, path::Path};

/// What of the blobs is remembered, in bytes.
const REMEMBERED: u64 = 24 * 1024 * 1024;
/// A larger blob is read anew each time.
const LARGEST_REMEMBERED: usize = 1024 * 1024;

/// SHA-256 of a file's bytes.
pub(crate) type Sha256 = [u8; 32];

/// Where files are kept.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    store: Arc<dyn ObjectStore>,
    /// Content never changes under its hash, so nothing here grows old.
    read: Cache<(OrgId, Sha256), Bytes>,
}

impl Blobs {
    pub(crate) fn new(store: Arc<dyn ObjectStore>) -> Self {
        let weigh =
            |_: &(OrgId, Sha256), blob: &Bytes| u32::try_from(blob.len()).unwrap_or(u32::MAX);
        let read = Cache::builder().weigher(weigh).max_capacity(REMEMBERED).build();
        Self { store, read }
    }

    /// Keeps `content`, unless it is kept already. Once this returns it is whole or not there at all.
    pub(crate) async fn put(
        &self,
        org: OrgId,
        sha256: Sha256,
        content: Bytes,
    ) -> object_store::Result<()> {
        let create = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.store.put_opts(&path(org, sha256), content.into(), create).await {
            Err(object_store::Error::AlreadyExists { .. }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn get(&self, org: OrgId, sha256: Sha256) -> object_store::Result<Bytes> {
        if let Some(blob) = self.read.get(&(org, sha256)).await {
            return Ok(blob);
        }
        let blob = self.store.get(&path(org, sha256)).await?.bytes().await?;
        if blob.len() <= LARGEST_REMEMBERED {
            self.read.insert((org, sha256), blob.clone()).await;
        }
        Ok(blob)
    }
}

fn path(org: OrgId, sha256: Sha256) -> Path {
    let hash = hex::encode(sha256);
    Path::from(format!("{org}/{}/{hash}", &hash[..2]))
}
