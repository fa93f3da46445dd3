//! Turning texts into vectors: by a model in this process, or by an API that speaks OpenAI's protocol.
mod cache;
mod local;
mod openai;

use std::fmt::Debug;

use async_trait::async_trait;

pub use cache::QueryVectors;
pub use local::LocalModel;
pub use openai::{OpenAi, OpenAiConfig};

/// Turns texts into unit vectors, such that texts of like meaning are near each other.
#[async_trait]
pub trait Embedder: Debug + Send + Sync {
    /// Which model this is.
    fn name(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The vector of a query. Someone waits for it, so it goes before documents.
    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, Error>;

    /// The vectors of documents, in their order.
    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error>;
}

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings cannot work.
    #[error("the embedder's settings: {0}")]
    Settings(String),
    /// A file of the local model is not there.
    #[error("the model file `{0}` cannot be read; `make run` or `scripts/model` fetches it")]
    ModelMissing(std::path::PathBuf, #[source] std::io::Error),
    /// A file of the local model is not the one that belongs there.
    #[error(
        "the model file `{path}` has the SHA-256 `{actual}`, expected `{expected}`; \
         remove it, then `make run` or `scripts/model` fetches it"
    )]
    ModelDamaged {
        /// The file.
        path: std::path::PathBuf,
        /// What its content should hash to.
        expected: &'static str,
        /// What it hashes to.
        actual: String,
    },
    /// The local model failed.
    #[error("the local model failed: {0}")]
    Model(String),
    /// The local model ended with its process.
    #[error("the local model stopped")]
    Stopped,
    /// More queries wait than can be answered soon.
    #[error("too many queries wait to be embedded: the limit is {limit}")]
    Busy {
        /// How many may wait.
        limit: usize,
    },
    /// The API could not be reached, or refused.
    #[error("the embedding API failed: {0}")]
    Api(String),
    /// The API did not answer soon enough, tries again included.
    #[error("the embedding API gave no answer within {} s", .0.as_secs_f32())]
    TimedOut(std::time::Duration),
    /// The API answered with other vectors than those asked for.
    #[error("the embedding API answered with {actual} {what}, expected {expected}")]
    Unexpected {
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there were.
        actual: usize,
    },
}

/// Makes a vector one long. A vector of nothing stays as it is.
fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}
