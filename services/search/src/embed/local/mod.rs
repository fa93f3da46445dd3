//! The model all-MiniLM-L6-v2, run in this process: one thread for each core, one set of weights.
mod files;
mod model;
mod queue;

use std::{fmt, num::NonZeroUsize, path::Path, sync::Arc, thread};

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use rayon::ThreadPoolBuilder;
use tokio::sync::{Semaphore, oneshot};

use super::{Embedder, Error};
use model::{Model, Tokens};
use queue::{Job, Priority, Queue};

const DIMENSIONS: usize = 384;
/// How many tokens are embedded together, at most, padding included. A query waits for one such
/// batch; larger ones are not faster.
const BATCH_TOKENS: usize = 512;

/// all-MiniLM-L6-v2.
pub struct LocalModel {
    model: Arc<Model>,
    queue: Arc<Queue>,
    /// Bounds the batches of documents that wait.
    batches: Semaphore,
    threads: usize,
}

impl LocalModel {
    /// Loads the model from its folder and starts its threads, one for each core.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let (model, queue) = (Arc::new(Model::load(folder)?), Arc::new(Queue::default()));
        for number in 0..threads {
            start_thread(number, model.clone(), queue.clone())?;
        }
        Ok(Self { model, queue, batches: Semaphore::new(2 * threads), threads })
    }

    async fn run(&self, priority: Priority, texts: Vec<Tokens>) -> Result<Vec<Vec<f32>>, Error> {
        let (answer, vectors) = oneshot::channel();
        self.queue.push(priority, Job { texts, answer })?;
        vectors.await.map_err(|_| Error::Stopped)?
    }

    async fn run_batch(&self, batch: Batch) -> Result<Vec<(usize, Vec<f32>)>, Error> {
        let turn = self.batches.acquire().await;
        let vectors = self.run(Priority::Documents, batch.texts).await?;
        drop(turn);
        Ok(batch.places.into_iter().zip(vectors).collect())
    }
}

#[async_trait]
impl Embedder for LocalModel {
    fn name(&self) -> &'static str {
        "all-MiniLM-L6-v2"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, Error> {
        let tokens = self.model.tokens(text)?;
        let vectors = self.run(Priority::Query, vec![tokens]).await?;
        vectors.into_iter().next().ok_or_else(|| Error::Model("it gave no vector".into()))
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let tokens = texts.iter().map(|text| self.model.tokens(text)).collect::<Result<_, _>>()?;
        let batches = stream::iter(batches(tokens)).map(|batch| self.run_batch(batch));
        let done: Vec<_> = batches.buffer_unordered(self.threads).try_collect().await?;
        let mut vectors = vec![Vec::new(); texts.len()];
        for (place, vector) in done.into_iter().flatten() {
            if let Some(slot) = vectors.get_mut(place) {
                *slot = vector;
            }
        }
        Ok(vectors)
    }
}

/// Texts of about the same length, and where each came from.
#[derive(Debug, Default)]
struct Batch {
    places: Vec<usize>,
    texts: Vec<Tokens>,
}

/// Puts texts of like length together, so that little is padded.
fn batches(texts: Vec<Tokens>) -> Vec<Batch> {
    let mut texts: Vec<(usize, Tokens)> = texts.into_iter().enumerate().collect();
    texts.sort_by_key(|(_, tokens)| tokens.len());
    let mut batches = Vec::new();
    let mut batch = Batch::default();
    for (place, tokens) in texts {
        if !batch.texts.is_empty() && (batch.texts.len() + 1) * tokens.len() > BATCH_TOKENS {
            batches.push(std::mem::take(&mut batch));
        }
        batch.places.push(place);
        batch.texts.push(tokens);
    }
    batches.push(batch);
    batches.retain(|batch| !batch.texts.is_empty());
    batches
}

/// Starts a thread that works off the queue. It is a thread pool of one, because matrix products
/// run on the pool of the thread that asks: so the threads do not wait for each other.
fn start_thread(number: usize, model: Arc<Model>, queue: Arc<Queue>) -> Result<(), Error> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(move |_| format!("embed-{number}"))
        .build()
        .map_err(|error| Error::Model(error.to_string()))?;
    pool.spawn(move || {
        while let Some(Job { texts, answer }) = queue.pop() {
            // The asker may have gone meanwhile.
            let _ = answer.send(model.embed(&texts));
        }
    });
    Ok(())
}

impl Drop for LocalModel {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalModel").field("threads", &self.threads).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(lengths: &[usize]) -> Vec<usize> {
        let texts = lengths.iter().map(|length| vec![0; *length]).collect();
        batches(texts).iter().map(|batch| batch.texts.len()).collect()
    }

    #[test]
    fn a_batch_is_full_at_its_limit_of_tokens() {
        assert_eq!(sizes(&[128; 4]), [4]);
        assert_eq!(sizes(&[128; 5]), [4, 1]);
        assert_eq!(sizes(&[129; 4]), [3, 1]);
    }

    #[test]
    fn texts_of_like_length_go_together() {
        let batches = batches(vec![vec![0; 256], vec![0; 2], vec![0; 256], vec![0; 3]]);
        let places: Vec<_> = batches.iter().map(|batch| batch.places.clone()).collect();
        assert_eq!(places, [vec![1, 3], vec![0, 2]]);
    }

    #[test]
    fn no_texts_are_no_batches() {
        assert!(batches(vec![]).is_empty());
    }
}
