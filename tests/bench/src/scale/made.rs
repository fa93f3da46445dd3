//! An embedder that makes the vectors of documents up, near those of real ones: a hundred thousand real
//! ones would take an hour.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use fastrand::Rng;
use search::embed::{Embedder, Error};

/// How far each number of a vector is moved, at most. The cosine to the real one comes to about 0.8.
const NOISE: f32 = 0.065;

#[derive(Debug)]
pub(super) struct MadeVectors {
    model: Arc<dyn Embedder>,
    real: Vec<Vec<f32>>,
}

impl MadeVectors {
    pub(super) fn new(model: Arc<dyn Embedder>, real: Vec<Vec<f32>>) -> Self {
        Self { model, real }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let mut random = Rng::with_seed(hasher.finish());
        let Some(real) = random.choice(&self.real) else { return Vec::new() };
        let mut noise = || NOISE * (2.0 * random.f32() - 1.0);
        let moved: Vec<f32> = real.iter().map(|number| number + noise()).collect();
        let length = moved.iter().map(|number| number * number).sum::<f32>().sqrt();
        moved.into_iter().map(|number| number / length).collect()
    }
}

#[async_trait::async_trait]
impl Embedder for MadeVectors {
    fn name(&self) -> &'static str {
        "made"
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, Error> {
        self.model.embed_query(text).await
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
