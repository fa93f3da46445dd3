//! What only the store in a folder does: it lasts, it is used by one process, and it recovers.
use std::{fs, path::Path};

use crate::team::{self, DIMENSIONS, Team, dense, vector_kind};
use ids::IndexId;
use search::index::{EdgeStore, Error, VectorKind, VectorStore};

async fn open(folder: &Path) -> EdgeStore {
    EdgeStore::open(folder, vector_kind()).await.unwrap()
}

async fn with_subjects(folder: &Path, team: Team, count: usize) -> EdgeStore {
    let store = open(folder).await;
    let subject = |number| team.subject(&format!("s{number}"), 1, &["text"]);
    store.put_subjects((0..count).map(subject).collect()).await.unwrap();
    store
}

async fn found(store: &EdgeStore, team: Team) -> usize {
    store.nearest(&team.filter(), &dense("text"), 100).await.unwrap().len()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_opened_again_has_everything() {
    let (folder, team) = (team::folder(), Team::new());
    let store = with_subjects(folder.path(), team, 10).await;
    let id = store.index_id().await.unwrap();
    drop(store);

    let store = open(folder.path()).await;
    assert_eq!((found(&store, team).await, store.index_id().await.unwrap()), (10, id));
    store.put_subjects(vec![team.subject("s0", 2, &[])]).await.unwrap();
    assert_eq!(found(&store, team).await, 9);
}

/// A slug and a name are often the same, and such a store was taken for a damaged one.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_has_one_name_twice_is_no_damage() {
    let (folder, team) = (team::folder(), Team::new());
    let store = open(folder.path()).await;
    let mut subject = team.subject("s0", 1, &["text"]);
    subject.subject.documents[0].names = vec!["tidy".into(), "tidy".into()];
    store.put_subjects(vec![subject]).await.unwrap();
    let id = store.index_id().await.unwrap();
    drop(store);

    assert_eq!(open(folder.path()).await.index_id().await.unwrap(), id);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_put_returned_for_survives_a_crash() {
    let (folder, team) = (team::folder(), Team::new());
    let store = with_subjects(folder.path(), team, 10).await;
    let id = store.index_id().await.unwrap();

    // The files as they are at this moment, the store still open, are what a crash leaves.
    let crashed = team::folder();
    copy(folder.path(), crashed.path());

    let store = open(crashed.path()).await;
    assert_eq!((found(&store, team).await, store.index_id().await.unwrap()), (10, id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_is_told_that_the_folder_is_in_use() {
    let folder = team::folder();
    let _store = open(folder.path()).await;
    let second = EdgeStore::open(folder.path(), vector_kind()).await;
    assert!(matches!(second, Err(Error::InUse(_))), "{second:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_or_dimension_starts_empty_with_a_new_id() {
    let (folder, team) = (team::folder(), Team::new());
    let mut before = with_subjects(folder.path(), team, 3).await.index_id().await.unwrap();
    let model = VectorKind { model: "other".into(), ..vector_kind() };
    let dimensions = VectorKind { dimensions: DIMENSIONS + 1, ..model.clone() };
    for kind in [model, dimensions] {
        let store = EdgeStore::open(folder.path(), kind).await.unwrap();
        let id = store.index_id().await.unwrap();
        assert_ne!(id, before);
        assert_eq!(store.count(team.corpus()).await.unwrap(), 0);
        before = id;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_lost_any_file_is_whole_or_starts_empty() {
    let (folder, team) = (team::folder(), Team::new());
    let id = closed_store(folder.path(), team).await;
    let store = folder.path().join("store");
    for lost in files(&store) {
        let lost = lost.strip_prefix(&store).unwrap();
        assert_whole_or_empty((folder.path(), id), team, lost, |file| {
            fs::remove_file(file).unwrap();
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_with_any_file_cut_short_is_whole_or_starts_empty() {
    let (folder, team) = (team::folder(), Team::new());
    let id = closed_store(folder.path(), team).await;
    let store = folder.path().join("store");
    for cut in files(&store) {
        let cut = cut.strip_prefix(&store).unwrap();
        assert_whole_or_empty((folder.path(), id), team, cut, |file| fs::write(file, "").unwrap())
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_with_garbage_in_any_file_is_whole_or_starts_empty() {
    let (folder, team) = (team::folder(), Team::new());
    let id = closed_store(folder.path(), team).await;
    let store = folder.path().join("store");
    for spoiled in files(&store) {
        let spoiled = spoiled.strip_prefix(&store).unwrap();
        let spoil = |file: &Path| {
            let length = fs::metadata(file).unwrap().len();
            fs::write(file, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        };
        assert_whole_or_empty((folder.path(), id), team, spoiled, spoil).await;
    }
}

/// Harms one file of a copy, and expects all 20 subjects or a new index with none; both can be filled.
async fn assert_whole_or_empty(
    (folder, id): (&Path, IndexId),
    team: Team,
    file: &Path,
    harm: impl Fn(&Path),
) {
    let copied = team::folder();
    copy(folder, copied.path());
    harm(&copied.path().join("store").join(file));

    let store = open(copied.path()).await;
    let expected = if store.index_id().await.unwrap() == id { 20 } else { 0 };
    let harmed = file.display();
    assert_eq!(found(&store, team).await, expected, "harmed {harmed}");
    let written = store.put_subjects(vec![team.subject("new", 1, &["text"])]).await;
    assert!(written.is_ok(), "harmed {harmed}: {written:?}");
    assert_eq!(found(&store, team).await, expected + 1, "harmed {harmed}");
}

/// A store of 20 subjects, closed; and its id.
async fn closed_store(folder: &Path, team: Team) -> IndexId {
    with_subjects(folder, team, 20).await.index_id().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_last_store_that_was_set_aside_is_kept() {
    let (folder, team) = (team::folder(), Team::new());
    for _ in 0..3 {
        drop(with_subjects(folder.path(), team, 1).await);
        fs::remove_dir_all(folder.path().join("store/segments")).unwrap();
    }
    drop(open(folder.path()).await);
    let mut entries: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    entries.sort();
    assert_eq!(entries, ["lock", "set-aside", "store"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_and_writes_at_once_all_succeed() {
    let (folder, team) = (team::folder(), Team::new());
    let store = with_subjects(folder.path(), team, 50).await;
    let writes = async {
        for sequence in 2..30 {
            let subject = |number| team.subject(&format!("s{number}"), sequence, &["text"]);
            store.put_subjects((0..50).map(subject).collect()).await.unwrap();
        }
    };
    let queries = async {
        for _ in 0..300 {
            // Between two writes of a subject there may be a moment without it, never an error.
            assert!(found(&store, team).await >= 49);
        }
    };
    tokio::join!(writes, queries);
    assert_eq!(found(&store, team).await, 50);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_was_tidied_has_lost_nothing() {
    let (folder, team) = (team::folder(), Team::new());
    let store = with_subjects(folder.path(), team, 1_500).await;
    let id = store.index_id().await.unwrap();
    // As many removed as make Edge build its files anew, two seconds after the last write.
    let removed = |number| team.subject(&format!("s{number}"), 2, &[]);
    store.put_subjects((0..1_450).map(removed).collect()).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;

    assert_eq!((found(&store, team).await, store.index_id().await.unwrap()), (50, id));
    store.put_subjects(vec![team.subject("new", 1, &["text"])]).await.unwrap();
    drop(store);
    let store = open(folder.path()).await;
    assert_eq!((found(&store, team).await, store.index_id().await.unwrap()), (51, id));
}
