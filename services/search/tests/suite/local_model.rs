//! The local model against vectors that were computed apart; see `data/make_vectors.py`.
use std::path::PathBuf;

use search::embed::{Embedder, LocalModel};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    text: String,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    serde_json::from_str(include_str!("../data/vectors.json")).unwrap()
}

/// Where the model is: the set-up scripts put it there.
pub(crate) fn folder() -> PathBuf {
    let folder = std::env::var_os("LOADOUT_MODEL_DIR").map(PathBuf::from);
    folder.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cache/loadout/all-MiniLM-L6-v2"))
}

fn model() -> LocalModel {
    LocalModel::load(&folder()).unwrap()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let dot: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    dot / length(one) / length(other)
}

#[tokio::test]
async fn every_query_has_the_vector_that_the_reference_has() {
    let model = model();
    for reference in references() {
        let vector = model.embed_query(&reference.text).await.unwrap();
        let cosine = cosine(&vector, &reference.vector);
        assert!(cosine > 0.9999, "{cosine} for `{}`", reference.text);
    }
}

#[tokio::test]
async fn documents_in_batches_have_the_same_vectors_in_their_order() {
    let model = model();
    let references: Vec<_> = references().into_iter().chain(references()).collect();
    let texts: Vec<String> = references.iter().map(|each| each.text.clone()).collect();
    let vectors = model.embed_documents(&texts).await.unwrap();
    assert_eq!(vectors.len(), references.len());
    for (vector, reference) in vectors.iter().zip(references) {
        let cosine = cosine(vector, &reference.vector);
        assert!(cosine > 0.9999, "{cosine} for `{}`", reference.text);
    }
}

#[tokio::test]
async fn no_documents_have_no_vectors() {
    assert!(model().embed_documents(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn vectors_are_one_long_and_say_how_many_numbers_they_have() {
    let model = model();
    let vector = model.embed_query("a text").await.unwrap();
    assert_eq!((vector.len(), model.dimensions()), (384, 384));
    assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
    assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[tokio::test]
async fn a_query_does_not_wait_for_all_documents() {
    let model = model();
    let long = "deploys a service and rolls it back again ".repeat(40);
    let texts = vec![long; 64];
    let documents = model.embed_documents(&texts);
    let query = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        model.embed_query("how do I deploy?").await
    };
    // Documents take far longer than one batch; the query is done while they are still going.
    tokio::select! {
        biased;
        query = query => assert_eq!(query.unwrap().len(), 384),
        _ = documents => panic!("the query came last"),
    }
}
