//! How search slows down as skills and organizations become more.
mod made;
mod settled;

use std::{rc::Rc, sync::Arc, time::Duration};

use anyhow::Context;
use ids::{OrgId, WorkspaceId};
use search::{
    EmbedderConfig, StoreConfig,
    embed::Embedder,
    engine::Engine,
    index::VectorKind,
    model::{Corpus, Document, Filter, Kind, Subject, name_key},
};

use crate::{
    load::{self, Series},
    machine::{self, Machine, say},
    options::SpeedOptions,
    raw::{EngineClient, Queries},
    report::{Budget, Limit, Report, Table},
    skills::{self, Skill},
};
use made::MadeVectors;

/// How much `find_skills`'s p50 may grow.
const GROWTH: Limit = Limit::AtMost(1.5);
const TIMES_MORE: usize = 10;
const ORGANIZATIONS: usize = 1_000;
/// How many skills are written together.
const PUT: usize = 1_024;
const DISTINCT_QUERIES: usize = 30_000;
const REPEATED_QUERIES: usize = 50;
const SEED: u64 = 11;

/// How long finding takes: with queries that are new, and with those whose vectors are known.
struct Times {
    new: Series,
    /// Of one organization only: each remembers the vectors of its own queries.
    known: Option<Series>,
}

/// What all steps share.
struct Bench {
    real: Vec<Skill>,
    embedder: Arc<dyn Embedder>,
    queries: Vec<String>,
    span: Duration,
}

pub(crate) async fn measure(options: &SpeedOptions) -> anyhow::Result<Report> {
    let machine = Machine::prepared()?;
    let few = options.skill_count();
    let bench = Bench::prepare(&machine, options.quick).await?;
    let mut rows = Vec::new();
    {
        let (_folder, engine) = bench.new_store().await?;
        let large = new_filter();
        bench.fill(&engine, std::slice::from_ref(&large), 0..few).await?;
        rows.push((
            format!("{few} skills, 1 organization"),
            bench.find(&engine, std::slice::from_ref(&large)).await?,
        ));
        let others: Vec<Filter> = (1..ORGANIZATIONS).map(|_| new_filter()).collect();
        bench.fill(&engine, &others, few..few * TIMES_MORE).await?;
        let all = format!("{} skills, {ORGANIZATIONS} organizations", few * TIMES_MORE);
        rows.push((format!("{all}: in one that has {few}"), bench.find(&engine, &[large]).await?));
        rows.push((format!("{all}: in any of the others"), bench.find(&engine, &others).await?));
    }
    let (_folder, engine) = bench.new_store().await?;
    let one = [new_filter()];
    bench.fill(&engine, &one, 0..few * TIMES_MORE).await?;
    let name = format!("{} skills, 1 organization", few * TIMES_MORE);
    rows.push((name, bench.find(&engine, &one).await?));
    Ok(report(&rows))
}

impl Bench {
    async fn prepare(machine: &Machine, is_quick: bool) -> anyhow::Result<Self> {
        let real = skills::real(machine::checkout())?;
        let model = EmbedderConfig::Local { folder: Some(machine.model_dir.clone()) };
        let model = model.open().await?;
        let bases: Vec<String> = real.iter().map(|skill| skill.description.clone()).collect();
        let bases = model.embed_documents(&bases).await.context("embedding the real skills")?;
        let queries = skills::queries(&real, DISTINCT_QUERIES, SEED);
        let span = Duration::from_secs(if is_quick { 1 } else { 5 });
        Ok(Self { real, embedder: Arc::new(MadeVectors::new(model, bases)), queries, span })
    }

    async fn new_store(&self) -> anyhow::Result<(tempfile::TempDir, Engine)> {
        let folder = tempfile::TempDir::with_prefix("loadout-scale-").context("making a folder")?;
        let store = StoreConfig::Edge { folder: folder.path().to_owned() };
        let store = store.open(VectorKind::of(self.embedder.as_ref())).await?;
        Ok((folder, Engine::new(self.embedder.clone(), store)))
    }

    /// Shares made skills out among organizations.
    async fn fill(
        &self,
        engine: &Engine,
        filters: &[Filter],
        numbers: std::ops::Range<usize>,
    ) -> anyhow::Result<()> {
        let total = numbers.end;
        let all: Vec<usize> = numbers.collect();
        for numbers in all.chunks(PUT) {
            let subject = |number: &usize| {
                let filter = filters.get(number % filters.len().max(1))?;
                Some(subject(&skills::vary(&self.real, *number)?, *number, filter))
            };
            engine.put(numbers.iter().filter_map(subject).collect()).await?;
            say(&format!("{} of {total} skills are in", numbers.last().map_or(0, |n| n + 1)));
        }
        settled::wait().await
    }

    async fn find(&self, engine: &Engine, filters: &[Filter]) -> anyhow::Result<Times> {
        let new = self.ask(engine, filters, self.queries.clone()).await?;
        if filters.len() > 1 {
            return Ok(Times { new, known: None });
        }
        let few = self.queries.iter().take(REPEATED_QUERIES).cloned().collect();
        Ok(Times { new, known: Some(self.ask(engine, filters, few).await?) })
    }

    async fn ask(
        &self,
        engine: &Engine,
        filters: &[Filter],
        queries: Vec<String>,
    ) -> anyhow::Result<Series> {
        let (engine, filters) = (engine.clone(), Rc::from(filters));
        let client = EngineClient { engine, filters, queries: Queries::new(queries) };
        let (_, warm) = load::run(vec![client], self.span).await?;
        Ok(load::run(warm, self.span).await?.0)
    }
}

pub(crate) fn new_filter() -> Filter {
    let corpus = Corpus { org: OrgId::new(), kind: Kind::Skill };
    Filter { corpus, workspace: WorkspaceId::new(), member: None, label: "latest".to_owned() }
}

pub(crate) fn subject(skill: &Skill, number: usize, filter: &Filter) -> Subject {
    let document = Document {
        id: format!("document {number}"),
        labels: vec![filter.label.clone()],
        names: vec![name_key(&skill.name)],
        text: format!("{}\n{}", skill.name, skill.description),
    };
    Subject {
        id: format!("subject {number}"),
        corpus: filter.corpus,
        workspace: filter.workspace,
        member: None,
        sequence: 1,
        documents: vec![document],
    }
}

fn known_p50(times: &Times) -> Option<f64> {
    times.known.map(|series| series.p50_ms)
}

fn report(rows: &[(String, Times)]) -> Report {
    let columns = ["", "p50 ms", "p99 ms", "growth", "vector known: p50 ms", "growth"];
    let mut table = Table::new("Finding with one client, in process", &columns);
    let first =
        rows.first().map(|(_, times)| (times.new.p50_ms, known_p50(times).unwrap_or_default()));
    let (new, known) = first.unwrap_or_default();
    let mut budgets = Vec::new();
    for (name, times) in rows {
        let growth = times.new.p50_ms / new;
        table.add(vec![
            name.clone(),
            format!("{:.2}", times.new.p50_ms),
            format!("{:.2}", times.new.p99_ms),
            format!("{growth:.2} ×"),
            known_p50(times).map_or_else(String::new, |p50| format!("{p50:.2}")),
            known_p50(times).map_or_else(String::new, |p50| format!("{:.2} ×", p50 / known)),
        ]);
        let what = format!("p50 of finding, {name}");
        budgets.push(Budget::new(what, GROWTH, Some(growth), " ×"));
    }
    Report {
        title: "How finding slows down with more skills and organizations".to_owned(),
        notes: vec![
            "The vectors of skills are made from those of real ones, near them; queries are embedded by the model.".to_owned(),
            "Growth is beside the first row. Where the vector is known, the model is left out.".to_owned(),
        ],
        tables: vec![table],
        // The first is what the others are beside.
        budgets: budgets.into_iter().skip(1).collect(),
    }
}
