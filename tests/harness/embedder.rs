//! An embedder made of arithmetic, for tests that do not judge relevance: texts with the same words are near
//! each other.
use async_trait::async_trait;
use search::embed::{Embedder, Error};

const DIMENSIONS: usize = 384;

#[derive(Debug)]
pub struct WordHashes;

#[async_trait]
impl Embedder for WordHashes {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait says so")]
    fn name(&self) -> &str {
        "word-hashes"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, Error> {
        Ok(embed(text))
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        Ok(texts.iter().map(|text| embed(text)).collect())
    }
}

fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let hash = hash(&word.to_lowercase());
        let sign = if hash & 1 == 0 { 1.0 } else { -1.0 };
        vector[usize::try_from((hash >> 1) % DIMENSIONS as u64).unwrap()] += sign;
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length == 0.0 {
        vector[0] = 1.0;
        return vector;
    }
    vector.iter().map(|x| x / length).collect()
}

/// FNV-1a: the same on every machine.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
