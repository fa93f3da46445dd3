//! What every vector store must do, asked of both. The server's part needs `LOADOUT_TEST_QDRANT_URL`.
use crate::team::{Team, dense, ids, vector_kind, vectors};
use ids::MemberId;
use search::{
    index::{EdgeStore, ServerConfig, ServerStore, VectorStore, document_point},
    model::{Sparse, query_terms},
};

macro_rules! contract {
    ($($case:ident),* $(,)?) => {
        mod edge {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                let folder = crate::team::folder();
                let store = super::edge_store(folder.path()).await;
                super::$case(&store).await;
            })*
        }

        mod server {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                if let Some(store) = super::server_store().await {
                    super::$case(&store).await;
                }
            })*
        }
    };
}

contract! {
    what_was_put_is_found_in_all_three_ways,
    putting_again_replaces_every_document,
    a_lower_sequence_is_ignored,
    an_equal_sequence_is_written_again,
    a_subject_without_documents_is_gone_and_stays_gone,
    of_one_subject_twice_in_a_put_the_higher_sequence_counts,
    nothing_is_found_from_another_organization,
    nothing_is_found_from_another_workspace,
    only_documents_with_the_label_are_found,
    what_a_member_owns_is_found_by_that_member_only,
    the_same_ids_in_two_organizations_do_not_meet,
    the_limit_holds,
    words_are_counted_within_the_organization,
    counts_follow_replacing_and_removing,
    a_kept_vector_is_known_by_its_point,
    a_document_without_words_is_found_by_meaning,
    a_put_of_nothing_is_fine,
    the_index_keeps_its_id,
    puts_at_once_are_all_kept,
}

async fn edge_store(folder: &std::path::Path) -> EdgeStore {
    EdgeStore::open(folder, vector_kind()).await.unwrap()
}

async fn server_store() -> Option<ServerStore> {
    let Ok(url) = std::env::var("LOADOUT_TEST_QDRANT_URL") else {
        println!("skipped: LOADOUT_TEST_QDRANT_URL names no Qdrant server to test against");
        return None;
    };
    let config = serde_json::json!({ "url": url, "collection": "loadout_test" });
    let config: ServerConfig = serde_json::from_value(config).unwrap();
    Some(ServerStore::open(&config, vector_kind()).await.unwrap())
}

fn query(text: &str) -> Sparse {
    Sparse::from_sorted(query_terms(text).into_iter().map(|term| (term, 1.0)))
}

async fn latest(store: &impl VectorStore, team: Team) -> Vec<String> {
    let found = store.nearest(&team.filter(), &dense(""), 50).await.unwrap();
    ids(&found).into_iter().map(str::to_owned).collect()
}

async fn what_was_put_is_found_in_all_three_ways(store: &impl VectorStore) {
    let (team, filter) = {
        let team = Team::new();
        (team, team.filter())
    };
    let far = "a text about nothing in particular at all";
    let subjects = vec![team.subject("near", 1, &["rust"]), team.subject("far", 1, &[far])];
    store.put_subjects(subjects).await.unwrap();

    let nearest = store.nearest(&filter, &dense("rusty"), 1).await.unwrap();
    assert_eq!(nearest[0].document_id, "near 0");
    assert_eq!(nearest[0].subject_id, "near");
    assert_eq!(nearest[0].vectors.sparse, vectors("rust").sparse);
    let lexical = store.lexical(&filter, &query("nothing"), 9).await.unwrap();
    assert_eq!(ids(&lexical), ["far 0"]);
    let named = store.named(&filter, "far", 9).await.unwrap();
    assert_eq!((ids(&named), named[0].names.as_slice()), (vec!["far 0"], &["far".to_owned()][..]));
}

async fn putting_again_replaces_every_document(store: &impl VectorStore) {
    let team = Team::new();
    store.put_subjects(vec![team.subject("s", 1, &["one", "two", "three"])]).await.unwrap();
    store.put_subjects(vec![team.subject("s", 2, &["other"])]).await.unwrap();

    assert_eq!(latest(store, team).await, ["s 0"]);
    assert!(store.lexical(&team.filter(), &query("one"), 9).await.unwrap().is_empty());
    assert_eq!(store.count(team.corpus()).await.unwrap(), 1);
}

async fn a_lower_sequence_is_ignored(store: &impl VectorStore) {
    let team = Team::new();
    store.put_subjects(vec![team.subject("s", 5, &["new"])]).await.unwrap();
    store.put_subjects(vec![team.subject("s", 4, &["old"])]).await.unwrap();

    assert!(store.lexical(&team.filter(), &query("old"), 9).await.unwrap().is_empty());
    assert_eq!(store.lexical(&team.filter(), &query("new"), 9).await.unwrap().len(), 1);
}

async fn an_equal_sequence_is_written_again(store: &impl VectorStore) {
    let team = Team::new();
    store.put_subjects(vec![team.subject("s", 5, &["first"])]).await.unwrap();
    store.put_subjects(vec![team.subject("s", 5, &["second"])]).await.unwrap();

    assert_eq!(store.lexical(&team.filter(), &query("second"), 9).await.unwrap().len(), 1);
}

async fn a_subject_without_documents_is_gone_and_stays_gone(store: &impl VectorStore) {
    let team = Team::new();
    store.put_subjects(vec![team.subject("s", 1, &["text"])]).await.unwrap();
    store.put_subjects(vec![team.subject("s", 3, &[])]).await.unwrap();
    store.put_subjects(vec![team.subject("s", 2, &["text"])]).await.unwrap();

    assert!(latest(store, team).await.is_empty());
}

async fn of_one_subject_twice_in_a_put_the_higher_sequence_counts(store: &impl VectorStore) {
    let team = Team::new();
    let both = vec![team.subject("s", 2, &["new", "newer"]), team.subject("s", 1, &["old"])];
    store.put_subjects(both).await.unwrap();

    assert_eq!(store.count(team.corpus()).await.unwrap(), 2);
    assert!(store.lexical(&team.filter(), &query("old"), 9).await.unwrap().is_empty());
}

async fn nothing_is_found_from_another_organization(store: &impl VectorStore) {
    let team = Team::new();
    let stranger = Team { workspace: team.workspace, ..Team::new() };
    store.put_subjects(vec![team.subject("s", 1, &["text"])]).await.unwrap();

    assert!(latest(store, stranger).await.is_empty());
    assert!(store.lexical(&stranger.filter(), &query("text"), 9).await.unwrap().is_empty());
    assert!(store.named(&stranger.filter(), "s", 9).await.unwrap().is_empty());
    let counted = store.document_frequency(stranger.corpus(), &query_terms("text")).await;
    assert_eq!(counted.unwrap(), [0]);
}

async fn nothing_is_found_from_another_workspace(store: &impl VectorStore) {
    let team = Team::new();
    let neighbour = Team { org: team.org, ..Team::new() };
    store.put_subjects(vec![team.subject("s", 1, &["text"])]).await.unwrap();

    assert!(latest(store, neighbour).await.is_empty());
    assert!(store.lexical(&neighbour.filter(), &query("text"), 9).await.unwrap().is_empty());
    assert!(store.named(&neighbour.filter(), "s", 9).await.unwrap().is_empty());
}

async fn only_documents_with_the_label_are_found(store: &impl VectorStore) {
    let team = Team::new();
    store.put_subjects(vec![team.subject("s", 1, &["one", "two"])]).await.unwrap();
    let first = search::model::Filter { label: "v1".into(), ..team.filter() };

    let found = store.nearest(&first, &dense(""), 9).await.unwrap();
    assert_eq!(ids(&found), ["s 1"]);
    assert_eq!(latest(store, team).await, ["s 0"]);
}

async fn what_a_member_owns_is_found_by_that_member_only(store: &impl VectorStore) {
    let (team, owner, other) = (Team::new(), MemberId::new(), MemberId::new());
    let subjects =
        vec![team.subject_of(owner, "mine", &["text"]), team.subject("ours", 1, &["text"])];
    store.put_subjects(subjects).await.unwrap();

    let seen = async |filter| {
        let found = store.nearest(&filter, &dense("text"), 9).await.unwrap();
        ids(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(seen(team.filter_of(owner)).await, ["mine 0", "ours 0"]);
    assert_eq!(seen(team.filter_of(other)).await, ["ours 0"]);
    assert_eq!(seen(team.filter()).await, ["ours 0"]);
}

async fn the_same_ids_in_two_organizations_do_not_meet(store: &impl VectorStore) {
    let (one, other) = (Team::new(), Team::new());
    store.put_subjects(vec![one.subject("s", 9, &["mine"])]).await.unwrap();
    store.put_subjects(vec![other.subject("s", 1, &["yours"])]).await.unwrap();
    store.put_subjects(vec![one.subject("s", 10, &[])]).await.unwrap();

    assert!(latest(store, one).await.is_empty());
    assert_eq!(latest(store, other).await, ["s 0"]);
}

async fn the_limit_holds(store: &impl VectorStore) {
    let team = Team::new();
    let ids = ["a", "b", "c"];
    store.put_subjects(ids.map(|id| team.subject(id, 1, &["same"])).into()).await.unwrap();
    for limit in 1..=4 {
        let found = store.nearest(&team.filter(), &dense("same"), limit).await.unwrap();
        assert_eq!(found.len(), limit.min(3));
        let found = store.lexical(&team.filter(), &query("same"), limit).await.unwrap();
        assert_eq!(found.len(), limit.min(3));
    }
}

async fn words_are_counted_within_the_organization(store: &impl VectorStore) {
    let (team, other) = (Team::new(), Team::new());
    let mine = vec![team.subject("a", 1, &["red fox"]), team.subject("b", 1, &["red dog"])];
    store.put_subjects(mine).await.unwrap();
    store.put_subjects(vec![other.subject("c", 1, &["red fox"])]).await.unwrap();

    let terms: Vec<u32> = ["red", "fox", "cat"].map(|word| query_terms(word)[0]).into();
    let counted = store.document_frequency(team.corpus(), &terms).await.unwrap();
    assert_eq!(counted, [2, 1, 0]);
    assert_eq!(store.count(team.corpus()).await.unwrap(), 2);
}

async fn counts_follow_replacing_and_removing(store: &impl VectorStore) {
    let team = Team::new();
    let terms = query_terms("red");
    store.put_subjects(vec![team.subject("a", 1, &["red"])]).await.unwrap();
    store.put_subjects(vec![team.subject("a", 2, &["blue"])]).await.unwrap();
    assert_eq!(store.document_frequency(team.corpus(), &terms).await.unwrap(), [0]);
    store.put_subjects(vec![team.subject("a", 3, &[])]).await.unwrap();
    assert_eq!(store.count(team.corpus()).await.unwrap(), 0);
}

async fn a_kept_vector_is_known_by_its_point(store: &impl VectorStore) {
    let team = Team::new();
    let subject = team.subject("s", 1, &["text"]);
    let kept = document_point(&subject.subject, "s 0");
    let never_put = document_point(&subject.subject, "s 1");
    store.put_subjects(vec![subject]).await.unwrap();

    let known = store.known(&[kept, never_put]).await.unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].point, &known[0].dense), (kept, &dense("text")));
    assert_eq!(known[0].text_sha256, search::index::text_sha256("text"));
}

async fn a_document_without_words_is_found_by_meaning(store: &impl VectorStore) {
    let team = Team::new();
    store.put_subjects(vec![team.subject("s", 1, &["…"])]).await.unwrap();

    assert_eq!(latest(store, team).await, ["s 0"]);
    assert!(store.lexical(&team.filter(), &query("…"), 9).await.unwrap().is_empty());
}

async fn a_put_of_nothing_is_fine(store: &impl VectorStore) {
    store.put_subjects(vec![]).await.unwrap();
}

async fn the_index_keeps_its_id(store: &impl VectorStore) {
    let before = store.index_id().await.unwrap();
    store.put_subjects(vec![Team::new().subject("s", 1, &["text"])]).await.unwrap();
    assert_eq!(store.index_id().await.unwrap(), before);
}

async fn puts_at_once_are_all_kept(store: &impl VectorStore) {
    let team = Team::new();
    let names: Vec<String> = (0..40).map(|number| format!("s{number}")).collect();
    let puts = names.iter().map(|name| store.put_subjects(vec![team.subject(name, 1, &["text"])]));
    futures::future::try_join_all(puts).await.unwrap();

    assert_eq!(store.count(team.corpus()).await.unwrap(), 40);
    assert_eq!(latest(store, team).await.len(), 40);
}
