//! Qdrant Edge: the vector store in this process, in a folder of its own.
//!
//! One thread writes ([`writer`]); queries run beside it on blocking threads. What was written but
//! not flushed is gone after a crash, because Edge does not read its write-ahead log again: so a
//! write is answered only after the flush.
mod check;
mod folder;
mod request;
mod shard;
mod writer;

use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
    thread,
};

use async_trait::async_trait;
use ids::IndexId;
use tokio::{sync::Semaphore, task::spawn_blocking};
use uuid::Uuid;

use super::{Error, Known, VectorKind, VectorStore, point::check_vectors};
use crate::model::{Corpus, Filter, Found, IndexedSubject, Sparse};
use check::Origin;
use folder::Folder;
use shard::Shard;
use writer::{Open, Writer};

/// The store in a folder.
#[derive(Debug)]
pub struct EdgeStore {
    open: Arc<Open>,
    writer: Writer,
    dimensions: usize,
    /// Bounds the queries that run at once; more would only share the same cores.
    readers: Arc<Semaphore>,
}

impl EdgeStore {
    /// Takes the folder, and opens the store in it or makes a new one.
    pub async fn open(folder: &Path, kind: VectorKind) -> Result<Self, Error> {
        let (folder, dimensions) = (folder.to_owned(), kind.dimensions);
        let opened = spawn_blocking(move || {
            let folder = Folder::take(&folder)?;
            let open = Arc::new(RwLock::new(Some(folder.open(&kind, Origin::Found)?)));
            let writer = Writer::start(open.clone(), folder, kind)?;
            Ok::<_, Error>((open, writer))
        });
        let (open, writer) = opened.await.map_err(stopped)??;
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self { open, writer, dimensions, readers: Arc::new(Semaphore::new(2 * cores)) })
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shard) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.readers.clone().acquire_owned().await;
        let open = self.open.clone();
        let reading = spawn_blocking(move || {
            // Held by the work, not by who waits for it: it goes on when they go away.
            let _turn = turn;
            let open = open.read().unwrap_or_else(PoisonError::into_inner);
            let shard = open.as_ref().ok_or_else(|| Error::Unavailable("it is not open".into()))?;
            work(shard)
        });
        reading.await.map_err(stopped)?
    }
}

#[async_trait]
impl VectorStore for EdgeStore {
    async fn index_id(&self) -> Result<IndexId, Error> {
        self.read(|shard| Ok(shard.index_id())).await
    }

    async fn put_subjects(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        check_vectors(&subjects, self.dimensions)?;
        self.writer.put(subjects).await
    }

    async fn nearest(
        &self,
        filter: &Filter,
        dense: &[f32],
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        let (filter, dense) = (filter.clone(), dense.to_vec());
        self.read(move |shard| shard.nearest(&filter, dense, limit)).await
    }

    async fn lexical(
        &self,
        filter: &Filter,
        words: &Sparse,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        let (filter, words) = (filter.clone(), words.clone());
        self.read(move |shard| shard.lexical(&filter, &words, limit)).await
    }

    async fn named(&self, filter: &Filter, name: &str, limit: usize) -> Result<Vec<Found>, Error> {
        let (filter, name) = (filter.clone(), name.to_owned());
        self.read(move |shard| shard.named(&filter, &name, limit)).await
    }

    async fn document_frequency(&self, corpus: Corpus, terms: &[u32]) -> Result<Vec<u64>, Error> {
        let terms = terms.to_vec();
        self.read(move |shard| {
            terms.iter().map(|term| shard.count_term(corpus, Some(*term))).collect()
        })
        .await
    }

    async fn count(&self, corpus: Corpus) -> Result<u64, Error> {
        self.read(move |shard| shard.count_term(corpus, None)).await
    }

    async fn known(&self, points: &[Uuid]) -> Result<Vec<Known>, Error> {
        let points = points.to_vec();
        self.read(move |shard| shard.known(&points)).await
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes values")]
fn stopped(error: tokio::task::JoinError) -> Error {
    // Work is given up only with the process.
    if error.is_cancelled() {
        Error::Unavailable("it stops".into())
    } else {
        Error::Failed(error.to_string())
    }
}
