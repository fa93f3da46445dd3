//! Measures the local model and the store in a folder:
//!
//!     cargo run --release -p search --example measure -- embed
//!     cargo run --release -p search --example measure -- index 10000 1 1000
//!
//! The numbers are subjects, then how many organizations they belong to, for each line of results.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use ids::{OrgId, WorkspaceId};
use search::{
    embed::{Embedder, LocalModel},
    index::{EdgeStore, VectorKind, VectorStore},
    model::{
        Corpus, Document, Filter, IndexedDocument, IndexedSubject, Kind, Sparse, Subject,
        candidate_count, document_vector, query_terms,
    },
};

const DIMENSIONS: usize = 384;
const QUESTION: &str = "how do I roll back a failed database migration in production without \
     any downtime for my users";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["embed"] => measure_embedding().await,
        ["index", subjects, orgs @ ..] => {
            for orgs in orgs {
                measure_index(subjects.parse()?, orgs.parse()?).await?;
            }
            Ok(())
        }
        _ => anyhow::bail!("expected `embed`, or `index`, subjects and organizations"),
    }
}

async fn measure_embedding() -> anyhow::Result<()> {
    let home = std::env::home_dir().unwrap_or_default();
    let folder = home.join(".cache/loadout/all-MiniLM-L6-v2");
    let started = Instant::now();
    let model = Arc::new(LocalModel::load(&folder)?);
    println!("loaded in {:?}; resident {} MiB", started.elapsed(), resident_mebibytes());
    for parallel in [1, 2, 4] {
        let times = queries_at_once(&model, parallel).await?;
        println!("{parallel} at once: query of 20 tokens p50 {:?} p99 {:?}", times.0, times.1);
    }
    for words in [16, 64, 200] {
        let texts = vec![vec!["migration"; words].join(" "); 128];
        let started = Instant::now();
        model.embed_documents(&texts).await?;
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let rate = texts.len() as f64 / started.elapsed().as_secs_f64();
        println!("documents of {words} tokens: {rate:.0}/s");
    }
    println!("resident {} MiB", resident_mebibytes());
    Ok(())
}

async fn queries_at_once(
    model: &Arc<LocalModel>,
    parallel: usize,
) -> anyhow::Result<(Duration, Duration)> {
    let run = async |model: Arc<LocalModel>| {
        let mut times = Vec::new();
        for _ in 0..100 {
            let started = Instant::now();
            model.embed_query(QUESTION).await?;
            times.push(started.elapsed());
        }
        anyhow::Ok(times)
    };
    let runs = (0..parallel).map(|_| run(model.clone()));
    let times = futures::future::try_join_all(runs).await?.concat();
    Ok(percentiles(times))
}

fn percentiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

async fn measure_index(subjects: usize, orgs: usize) -> anyhow::Result<()> {
    let folder = PathBuf::from(format!("/tmp/measure-index-{subjects}-{orgs}"));
    let _ = fs::remove_dir_all(&folder);
    let kind = VectorKind { model: "made up".into(), dimensions: DIMENSIONS };
    let filters: Vec<Filter> = (0..orgs).map(|_| filter()).collect();
    let mut random = Random(7);

    let store = EdgeStore::open(&folder, kind.clone()).await?;
    let started = Instant::now();
    for first in (0..subjects).step_by(256) {
        let numbers = first..(first + 256).min(subjects);
        let put = numbers.map(|number| subject(&filters[number % orgs], number, &mut random));
        store.put_subjects(put.collect()).await?;
    }
    println!("{subjects} subjects, {orgs} organizations: written in {:?}", started.elapsed());
    report("before tidying", &store, &filters, &mut random, &folder).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let started = Instant::now();
    store.put_subjects(vec![]).await?;
    println!("  tidied in about {:?}", started.elapsed() + Duration::from_secs(1));
    report("after tidying", &store, &filters, &mut random, &folder).await?;
    drop(store);

    let started = Instant::now();
    let store = EdgeStore::open(&folder, kind).await?;
    println!("  opened again in {:?}", started.elapsed());
    report("opened again", &store, &filters, &mut random, &folder).await?;
    let started = Instant::now();
    store.put_subjects(vec![subject(&filters[0], subjects, &mut random)]).await?;
    println!("  one more written in {:?}", started.elapsed());
    drop(store);
    fs::remove_dir_all(&folder)?;
    Ok(())
}

async fn report(
    when: &str,
    store: &EdgeStore,
    filters: &[Filter],
    random: &mut Random,
    folder: &Path,
) -> anyhow::Result<()> {
    let limit = candidate_count(10);
    let mut times: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for number in 0..300 {
        let filter = &filters[number * 7 % filters.len()];
        let (text, dense) = (random.text(12), random.vector());
        let terms = query_terms(&text);
        let words = Sparse::from_sorted(terms.iter().map(|term| (*term, 1.0)));
        let all = Instant::now();
        let mut lap = Instant::now();
        let mut note = |name, lap: &mut Instant| {
            times.entry(name).or_default().push(lap.elapsed());
            *lap = Instant::now();
        };
        store.document_frequency(filter.corpus, &terms).await?;
        note("frequencies", &mut lap);
        store.named(filter, "no such name", 50).await?;
        note("named", &mut lap);
        store.nearest(filter, &dense, limit).await?;
        note("nearest", &mut lap);
        store.lexical(filter, &words, limit).await?;
        note("lexical", &mut lap);
        note("total", &mut { all });
    }
    let megabytes = folder_bytes(folder) >> 20;
    println!("  {when}: resident {} MiB, on disk {megabytes} MiB", resident_mebibytes());
    for (name, times) in times {
        let (p50, p99) = percentiles(times);
        println!("    {name}: p50 {p50:?} p99 {p99:?}");
    }
    Ok(())
}

fn filter() -> Filter {
    let corpus = Corpus { org: OrgId::new(), kind: Kind::Skill };
    Filter { corpus, workspace: WorkspaceId::new(), member: None, label: "latest".into() }
}

fn subject(filter: &Filter, number: usize, random: &mut Random) -> IndexedSubject {
    let text = random.text(40);
    let vectors = IndexedDocument { dense: random.vector(), sparse: document_vector(&text) };
    let document = Document {
        id: format!("rev_{number:032x}"),
        labels: vec!["latest".into(), "v1".into()],
        names: vec![format!("skill-{number}")],
        text,
    };
    let subject = Subject {
        id: format!("skl_{number:032x}"),
        corpus: filter.corpus,
        workspace: filter.workspace,
        member: None,
        sequence: 1,
        documents: vec![document],
    };
    IndexedSubject { subject, vectors: vec![vectors] }
}

/// Made-up texts and vectors, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f32::from(u16::try_from(self.0 >> 48).unwrap_or_default()) / 65_536.0
    }

    /// Words of which few are common and many are rare.
    fn text(&mut self, words: usize) -> String {
        let word = |_| format!("w{:.0}", 20_000.0 * self.next().powi(4));
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    /// A unit vector near one of 50 topics, as texts are.
    fn vector(&mut self) -> Vec<f32> {
        let topic = (50.0 * self.next()).floor();
        let mut vector: Vec<f32> = (0..DIMENSIONS)
            .map(|at| {
                let wave = f32::from(u16::try_from(at).unwrap_or_default()) * (topic + 1.0);
                wave.sin() + 2.0 * self.next() - 1.0
            })
            .collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        for number in &mut vector {
            *number /= length;
        }
        vector
    }
}

/// What of the process is in memory, as Linux counts it.
fn resident_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_default() / 1_024
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| {
        use std::os::unix::fs::MetadataExt;
        let path = entry.path();
        if path.is_dir() {
            folder_bytes(&path)
        } else {
            entry.metadata().map_or(0, |m| m.blocks() * 512)
        }
    };
    entries.map(size).sum()
}
