//! Where vectors are kept and found again: in this process (Qdrant Edge) or on a Qdrant server.
mod condition;
mod edge;
mod point;
mod server;

use std::fmt::Debug;

use async_trait::async_trait;
use ids::IndexId;
use uuid::Uuid;

use crate::embed::Embedder;
use crate::model::{Corpus, Filter, Found, IndexedSubject, Sparse};

pub use edge::EdgeStore;
pub use point::{document_point, text_sha256};
pub use server::{ServerConfig, ServerStore};

/// Keeps documents with their vectors. What one organization put, another never finds.
#[async_trait]
pub trait VectorStore: Debug + Send + Sync {
    /// Names what the store holds. It changes whenever the store starts empty.
    async fn index_id(&self) -> Result<IndexId, Error>;

    /// Replaces all that is kept of each subject; one with a lower sequence than the one that is
    /// kept is ignored. What this returned for is durable and found.
    async fn put_subjects(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error>;

    /// The documents nearest in meaning.
    async fn nearest(
        &self,
        filter: &Filter,
        dense: &[f32],
        limit: usize,
    ) -> Result<Vec<Found>, Error>;

    /// The documents that share the most telling words.
    async fn lexical(
        &self,
        filter: &Filter,
        words: &Sparse,
        limit: usize,
    ) -> Result<Vec<Found>, Error>;

    /// The documents that are called exactly so; see [`name_key`](crate::model::name_key).
    async fn named(&self, filter: &Filter, name: &str, limit: usize) -> Result<Vec<Found>, Error>;

    /// How many documents have each of these terms.
    async fn document_frequency(&self, corpus: Corpus, terms: &[u32]) -> Result<Vec<u64>, Error>;

    /// How many documents there are.
    async fn count(&self, corpus: Corpus) -> Result<u64, Error>;

    /// The vectors of those of these points that are kept, for a text that is already known.
    async fn known(&self, points: &[Uuid]) -> Result<Vec<Known>, Error>;
}

/// A document's vector that need not be computed again while its text is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The document's point; see [`document_point`].
    pub point: Uuid,
    /// The SHA-256 of its text, in hexadecimal digits.
    pub text_sha256: String,
    /// Its vector.
    pub dense: Vec<f32>,
}

/// Which model's vectors a store holds: those of another one cannot be compared with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorKind {
    /// The model's name.
    pub model: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
}

impl VectorKind {
    /// The vectors of this embedder.
    #[must_use]
    pub fn of(embedder: &dyn Embedder) -> Self {
        Self { model: embedder.name().to_owned(), dimensions: embedder.dimensions() }
    }
}

/// Why a store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings cannot work.
    #[error("the vector store's settings: {0}")]
    Settings(String),
    /// Another process has the store.
    #[error(
        "the vector store `{0}` is in use by another process: \
         one folder serves one process, a Qdrant server serves many"
    )]
    InUse(std::path::PathBuf),
    /// A file could not be read or written.
    #[error("the vector store's folder `{path}`")]
    Folder {
        /// The folder.
        path: std::path::PathBuf,
        /// What went wrong.
        #[source]
        source: std::io::Error,
    },
    /// What the store should hold is not there; it is made anew by who finds out.
    #[error("the vector store has no index")]
    Missing,
    /// The store cannot be reached, or is just being rebuilt.
    #[error("the vector store is not available: {0}")]
    Unavailable(String),
    /// The store failed.
    #[error("the vector store failed: {0}")]
    Failed(String),
}
