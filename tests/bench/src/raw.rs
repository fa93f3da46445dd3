//! Search without the product around it: its embedder and its store in this process, on its documents.
use std::{cell::Cell, path::Path, rc::Rc, sync::Arc};

use anyhow::Context;
use search::{
    EmbedderConfig, StoreConfig,
    embed::Embedder,
    engine::Engine,
    index::{VectorKind, VectorStore},
    model::{Corpus, Filter, Kind},
};

use crate::{load::Client, product::Organization};

/// How many documents a search is for: as many as `find_skills` answers.
pub(crate) const LIMIT: usize = 10;

/// An open store with its embedder.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) store: Arc<dyn VectorStore>,
}

impl Search {
    /// Opens the store that the product has left.
    pub(crate) async fn open(model: &Path, vectors: &Path) -> anyhow::Result<Self> {
        let embedder = EmbedderConfig::Local { folder: Some(model.to_owned()) }.open().await?;
        let store = StoreConfig::Edge { folder: vectors.to_owned() };
        let store = store.open(VectorKind::of(embedder.as_ref())).await?;
        Ok(Self { embedder, store })
    }

    /// How many documents are found when all are asked for; the store's own count is only about right.
    pub(crate) async fn count(&self, filter: &Filter, expected: usize) -> anyhow::Result<usize> {
        let dense = self.embedder.embed_query("everything").await?;
        let found = self.store.nearest(filter, &dense, expected.saturating_add(1)).await;
        Ok(found.context("looking for every document")?.len())
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine::new(self.embedder.clone(), self.store.clone())
    }
}

/// What an organization's keys find.
pub(crate) fn filter(organization: &Organization) -> Filter {
    let corpus = Corpus { org: organization.id, kind: Kind::Skill };
    let workspace = organization.workspace;
    Filter { corpus, workspace, member: None, label: "latest".to_owned() }
}

/// Queries that several clients ask, none twice before all were asked.
#[derive(Debug)]
pub(crate) struct Queries {
    all: Vec<String>,
    turn: Cell<usize>,
}

impl Queries {
    pub(crate) fn new(all: Vec<String>) -> Rc<Self> {
        Rc::new(Self { all, turn: Cell::new(0) })
    }

    fn next(&self) -> &str {
        let turn = self.turn.replace(self.turn.get() + 1);
        self.all.get(turn % self.all.len().max(1)).map_or("", String::as_str)
    }
}

/// Embeds a query, then looks for what is nearest.
#[derive(Clone, Debug)]
pub(crate) struct RawClient {
    pub(crate) search: Search,
    pub(crate) filter: Filter,
    pub(crate) queries: Rc<Queries>,
}

impl Client for RawClient {
    async fn ask(&mut self) -> anyhow::Result<()> {
        let dense = self.search.embedder.embed_query(self.queries.next()).await?;
        let found = self.search.store.nearest(&self.filter, &dense, LIMIT).await?;
        anyhow::ensure!(!found.is_empty(), "a raw search found nothing");
        Ok(())
    }
}

/// Finds as the search service does, each time for any of several organizations.
#[derive(Clone, Debug)]
pub(crate) struct EngineClient {
    pub(crate) engine: Engine,
    pub(crate) filters: Rc<[Filter]>,
    pub(crate) queries: Rc<Queries>,
}

impl Client for EngineClient {
    async fn ask(&mut self) -> anyhow::Result<()> {
        let filter = fastrand::choice(self.filters.iter()).context("no organization to ask for")?;
        let found = self.engine.find(filter, self.queries.next(), LIMIT).await?;
        anyhow::ensure!(!found.is_empty(), "a search found nothing");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use search::embed::Error;

    use super::*;
    use crate::{
        scale::{new_filter, subject},
        skills::{Skill, vary},
    };

    #[derive(Debug)]
    struct Same;

    #[async_trait::async_trait]
    impl Embedder for Same {
        fn name(&self) -> &'static str {
            "same"
        }

        fn dimensions(&self) -> usize {
            2
        }

        async fn embed_query(&self, _text: &str) -> Result<Vec<f32>, Error> {
            Ok(vec![1.0, 0.0])
        }

        async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
            Ok(vec![vec![1.0, 0.0]; texts.len()])
        }
    }

    async fn open(folder: &Path) -> Search {
        let store = StoreConfig::Edge { folder: folder.to_owned() };
        let store = store.open(VectorKind::of(&Same)).await.unwrap();
        Search { embedder: Arc::new(Same), store }
    }

    #[tokio::test]
    async fn all_that_was_left_in_a_store_is_counted() {
        let (folder, filter) = (tempfile::tempdir().unwrap(), new_filter());
        let real = [Skill::described("s".into(), "S", "Says what it does.")];
        let made = |number| subject(&vary(&real, number).unwrap(), number, &filter);
        for start in (0..1_000).step_by(50) {
            let engine = open(folder.path()).await.engine();
            engine.put((start..start + 50).map(made).collect()).await.unwrap();
        }
        let search = open(folder.path()).await;
        assert_eq!(search.count(&filter, 1_000).await.unwrap(), 1_000);
        assert_eq!(search.count(&new_filter(), 1_000).await.unwrap(), 0);
    }
}
