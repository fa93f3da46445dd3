//! How well search finds, over 1,990 questions for 199 tools (`MetaTool`, MIT), if the file is there.
use std::{path::PathBuf, sync::Arc};

use futures::{StreamExt, TryStreamExt, stream};
use ids::{OrgId, WorkspaceId};
use search::{
    embed::{Embedder, LocalModel},
    engine::Engine,
    index::{EdgeStore, VectorKind},
    model::{Corpus, Document, Filter, Kind, Ranked, Subject, name_key},
};
use serde::Deserialize;

use crate::{local_model, team};

#[derive(Deserialize)]
struct MetaTool {
    #[serde(rename = "docs")]
    tools: Vec<Tool>,
    #[serde(rename = "qs")]
    questions: Vec<(String, usize)>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    desc: String,
}

/// Of how many questions one is asked. Unoptimized the model is too slow for all of them.
const EVERY: usize = if cfg!(debug_assertions) { 10 } else { 1 };
/// How good the answers must be.
const LEAST_NDCG: f64 = 0.735;
const CORPUS: &str = "../../../shared/data/retrieval/metatool.json";

fn corpus() -> Option<MetaTool> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(CORPUS);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no `{}`", path.display());
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

async fn engine(folder: &std::path::Path) -> Engine {
    let embedder = Arc::new(LocalModel::load(&local_model::folder()).unwrap());
    let kind = VectorKind::of(embedder.as_ref() as &dyn Embedder);
    Engine::new(embedder, Arc::new(EdgeStore::open(folder, kind).await.unwrap()))
}

fn filter() -> Filter {
    let corpus = Corpus { org: OrgId::new(), kind: Kind::Skill };
    Filter { corpus, workspace: WorkspaceId::new(), member: None, label: "latest".into() }
}

fn subject(filter: &Filter, number: usize, tool: &Tool) -> Subject {
    let document = Document {
        id: format!("rev_{number:032x}"),
        labels: vec!["latest".into()],
        names: vec![name_key(&tool.name)],
        text: format!("{}: {}", tool.name, tool.desc),
    };
    Subject {
        id: format!("skl_{number:032x}"),
        corpus: filter.corpus,
        workspace: filter.workspace,
        member: None,
        sequence: 1,
        documents: vec![document],
    }
}

/// The place of the right tool, from 0, if it is among the hits.
fn place(hits: &[Ranked], right: usize) -> Option<usize> {
    hits.iter().position(|hit| hit.document_id == format!("rev_{right:032x}"))
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn mean(values: impl Iterator<Item = f64>, count: usize) -> f64 {
    values.sum::<f64>() / count as f64
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_tool_is_near_the_top_for_most_questions() {
    let Some(MetaTool { tools, questions }) = corpus() else { return };
    let folder = team::folder();
    let (engine, filter) = (engine(folder.path()).await, filter());
    let subjects = tools.iter().enumerate().map(|(number, tool)| subject(&filter, number, tool));
    engine.put(subjects.collect()).await.unwrap();

    let (engine, filter) = (&engine, &filter);
    let ask = async |(text, right): &(String, usize)| {
        let hits = engine.find(filter, text, 10).await?;
        Ok::<_, search::Error>(place(&hits, *right))
    };
    let places: Vec<Option<usize>> = stream::iter(questions.iter().step_by(EVERY))
        .map(ask)
        .buffered(4)
        .try_collect()
        .await
        .unwrap();

    #[expect(clippy::cast_precision_loss, reason = "a place is below ten")]
    let gains = places.iter().flatten().map(|place| 1.0 / (*place as f64 + 2.0).log2());
    let ndcg = mean(gains, places.len());
    let within =
        |most| mean(places.iter().flatten().filter(|p| **p < most).map(|_| 1.0), places.len());
    println!("nDCG@10 {ndcg:.4}, recall@1 {:.4}, recall@5 {:.4}", within(1), within(5));
    assert!(ndcg >= LEAST_NDCG, "nDCG@10 is {ndcg:.4}, expected {LEAST_NDCG}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_comes_first_under_its_own_name() {
    let Some(MetaTool { tools, .. }) = corpus() else { return };
    let folder = team::folder();
    let (engine, filter) = (engine(folder.path()).await, filter());
    let subjects = tools.iter().enumerate().map(|(number, tool)| subject(&filter, number, tool));
    engine.put(subjects.collect()).await.unwrap();

    for (number, tool) in tools.iter().enumerate() {
        let hits = engine.find(&filter, &tool.name.to_uppercase(), 1).await.unwrap();
        assert_eq!(place(&hits, number), Some(0), "{}", tool.name);
    }
}
