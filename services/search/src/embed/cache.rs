//! The vectors of the queries asked lately.
use std::sync::Arc;

use ids::OrgId;
use moka::future::Cache;

use super::{Embedder, Error};

/// How many bytes of queries and vectors are kept: about 4,096 short queries.
const CACHE_BYTES: u64 = 8 << 20;

/// An embedder that remembers what it was asked, separately for each organization: how soon a query
/// is answered must not tell one what another looked for.
#[derive(Clone, Debug)]
pub struct QueryVectors {
    embedder: Arc<dyn Embedder>,
    known: Cache<(OrgId, String), Arc<[f32]>>,
}

impl QueryVectors {
    /// Remembers what `embedder` answers.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        let weigh = |(_, text): &(OrgId, String), vector: &Arc<[f32]>| {
            let bytes = text.len() + std::mem::size_of_val::<[f32]>(vector) + 64;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let known = Cache::builder().max_capacity(CACHE_BYTES).weigher(weigh).build();
        Self { embedder, known }
    }

    /// The vector of a query. Equal queries that come at once are computed once.
    pub async fn get(&self, org: OrgId, text: &str) -> Result<Arc<[f32]>, Arc<Error>> {
        let vector = async { self.embedder.embed_query(text).await.map(Arc::from) };
        self.known.try_get_with((org, text.to_owned()), vector).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    #[async_trait::async_trait]
    impl Embedder for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn dimensions(&self) -> usize {
            1
        }

        async fn embed_query(&self, text: &str) -> Result<Vec<f32>, Error> {
            self.0.fetch_add(1, Ordering::SeqCst);
            if text == "bad" { Err(Error::Busy { limit: 0 }) } else { Ok(vec![1.0]) }
        }

        async fn embed_documents(&self, _texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
            Ok(vec![])
        }
    }

    #[tokio::test]
    async fn a_query_asked_again_is_not_computed_again() {
        let counting = Arc::new(Counting::default());
        let (vectors, org) = (QueryVectors::new(counting.clone()), OrgId::new());
        for _ in 0..3 {
            vectors.get(org, "x").await.unwrap();
        }
        assert_eq!(counting.0.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn what_one_organization_asked_is_not_known_for_another() {
        let counting = Arc::new(Counting::default());
        let vectors = QueryVectors::new(counting.clone());
        vectors.get(OrgId::new(), "x").await.unwrap();
        vectors.get(OrgId::new(), "x").await.unwrap();
        assert_eq!(counting.0.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_failure_is_not_remembered() {
        let counting = Arc::new(Counting::default());
        let (vectors, org) = (QueryVectors::new(counting.clone()), OrgId::new());
        vectors.get(org, "bad").await.unwrap_err();
        vectors.get(org, "bad").await.unwrap_err();
        assert_eq!(counting.0.load(Ordering::SeqCst), 2);
    }
}
