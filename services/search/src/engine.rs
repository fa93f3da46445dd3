//! One query or one write, from end to end.
use std::{collections::HashMap, sync::Arc, time::Duration};

use futures::future::try_join;
use ids::IndexId;
use moka::sync::Cache;
use uuid::Uuid;

use crate::{
    Result,
    embed::{Embedder, QueryVectors},
    index::{VectorStore, document_point, text_sha256},
    model::{
        Corpus, Filter, Found, IndexedDocument, IndexedSubject, Query, Ranked, Statistics, Subject,
        candidate_count, document_vector, query_terms, query_vector, rank,
    },
};

/// How long a count of documents is good enough: it only weighs words.
const COUNT_LIFE: Duration = Duration::from_secs(10);
/// How many counts are kept; each has about 64 bytes.
const COUNTS: u64 = 65_536;
/// How many documents may share the name that is asked for, and come first.
const NAMESAKES: usize = 50;

/// Finds and keeps documents.
#[derive(Clone, Debug)]
pub struct Engine {
    embedder: Arc<dyn Embedder>,
    queries: QueryVectors,
    store: Arc<dyn VectorStore>,
    counts: Cache<(Corpus, Option<u32>), u64>,
}

impl Engine {
    /// Puts an embedder and a store together. The store holds this embedder's vectors only.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, store: Arc<dyn VectorStore>) -> Self {
        let queries = QueryVectors::new(embedder.clone());
        let counts = Cache::builder().max_capacity(COUNTS).time_to_live(COUNT_LIFE).build();
        Self { embedder, queries, store, counts }
    }

    /// The embedding model.
    #[must_use]
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// Names what is kept; changes whenever that starts empty.
    pub async fn index_id(&self) -> Result<IndexId> {
        Ok(self.store.index_id().await?)
    }

    /// The documents that fit a query best, best first.
    pub async fn find(&self, filter: &Filter, text: &str, limit: usize) -> Result<Vec<Ranked>> {
        let terms = query_terms(text);
        let dense = async { Ok(self.queries.get(filter.corpus.org, text).await?) };
        let (dense, statistics) = try_join(dense, self.statistics(filter.corpus, &terms)).await?;
        let query = Query::new(text, dense.to_vec(), query_vector(&terms, &statistics));
        let found = self.candidates(filter, &query, candidate_count(limit)).await?;
        Ok(rank(&query, found, limit))
    }

    /// Replaces what is kept of each subject. Returns once all of it is durable.
    pub async fn put(&self, subjects: Vec<Subject>) -> Result<()> {
        let dense = self.dense(&subjects).await?;
        let indexed = subjects.into_iter().map(|subject| {
            let vectors = subject.documents.iter().map(|document| IndexedDocument {
                dense: dense
                    .get(&document_point(&subject, &document.id))
                    .cloned()
                    .unwrap_or_default(),
                sparse: document_vector(&document.text),
            });
            IndexedSubject { vectors: vectors.collect(), subject }
        });
        Ok(self.store.put_subjects(indexed.collect()).await?)
    }

    /// Looks in all three ways at once.
    async fn candidates(&self, filter: &Filter, query: &Query, count: usize) -> Result<Vec<Found>> {
        let IndexedDocument { dense, sparse } = &query.vectors;
        let (named, nearest, lexical) = futures::try_join!(
            self.store.named(filter, &query.name, NAMESAKES),
            self.store.nearest(filter, dense, count),
            self.store.lexical(filter, sparse, count),
        )?;
        Ok([named, nearest, lexical].into_iter().flatten().collect())
    }

    /// How common the terms are in the organization.
    async fn statistics(&self, corpus: Corpus, terms: &[u32]) -> Result<Statistics> {
        let unknown: Vec<u32> = terms
            .iter()
            .copied()
            .filter(|term| !self.counts.contains_key(&(corpus, Some(*term))))
            .collect();
        if !unknown.is_empty() {
            let frequencies = self.store.document_frequency(corpus, &unknown).await?;
            for (term, frequency) in unknown.into_iter().zip(frequencies) {
                self.counts.insert((corpus, Some(term)), frequency);
            }
        }
        let documents = match self.counts.get(&(corpus, None)) {
            Some(documents) => documents,
            None => self.store.count(corpus).await?,
        };
        self.counts.insert((corpus, None), documents);
        let frequency = |term: &u32| self.counts.get(&(corpus, Some(*term))).unwrap_or_default();
        Ok(Statistics { documents, frequencies: terms.iter().map(frequency).collect() })
    }

    /// The vector of each document. One whose text is the same as before is not computed again: a
    /// moved tag changes no text.
    async fn dense(&self, subjects: &[Subject]) -> Result<HashMap<Uuid, Vec<f32>>> {
        let wanted: HashMap<Uuid, &str> = subjects.iter().flat_map(texts).collect();
        let points: Vec<Uuid> = wanted.keys().copied().collect();
        let known = self.store.known(&points).await?.into_iter().filter(|known| {
            wanted.get(&known.point).is_some_and(|text| text_sha256(text) == known.text_sha256)
        });
        let mut dense: HashMap<Uuid, Vec<f32>> =
            known.map(|known| (known.point, known.dense)).collect();
        let missing = wanted.into_iter().filter(|(point, _)| !dense.contains_key(point));
        let (points, texts): (Vec<Uuid>, Vec<String>) =
            missing.map(|(point, text)| (point, text.to_owned())).unzip();
        let vectors = self.embedder.embed_documents(&texts).await?;
        dense.extend(points.into_iter().zip(vectors));
        Ok(dense)
    }
}

fn texts(subject: &Subject) -> impl Iterator<Item = (Uuid, &str)> {
    let point = |id: &str| document_point(subject, id);
    subject.documents.iter().map(move |document| (point(&document.id), document.text.as_str()))
}
