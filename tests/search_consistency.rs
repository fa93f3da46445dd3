//! What is published is found: at once, whole, and whatever went down meanwhile.
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use contract::{
    search::{
        FindDocumentsRequest, FindDocumentsResponse, GetIndexRequest, GetIndexResponse,
        PutSubjectsRequest, PutSubjectsResponse, Refusal, Subject,
        search_service_server::{SearchService, SearchServiceServer},
    },
    transport::{self, Transport},
};
use futures::future::join_all;
use ids::IndexId;
use serde_json::json;
use sqlx::PgPool;
use tests::{Client, Layout, Role, Site, Skill, Stack, eventually};
use tonic::{Request, Response, Status, async_trait, service::Routes};

const ONE_SECOND: Duration = Duration::from_secs(1);
const RECOVERY: Duration = Duration::from_secs(90);

tests::over_every_layout!(
    what_is_published_is_found_at_once,
    an_exact_slug_or_name_is_first_in_any_letter_case,
    a_new_revision_is_never_mixed_with_the_old,
    each_scope_finds_its_own_skill_of_a_slug,
);

async fn what_is_published_is_found_at_once(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    for number in 0..10 {
        let slug = format!("fresh-{number}");
        let skill = Skill::new(&slug).described(&format!("Waters plant number{number}."));
        assert_eq!(owner.import(&[skill]).await["indexing"], "done");
        assert_eq!(owner.find(&format!("plant number{number}")).await[0], slug);
        let moved = owner.put(&format!("/v1/skills/{slug}/tags/prod"), &json!({})).await.ok();
        assert_eq!(moved["indexing"], "done");
        let pinned = owner.mcp(tests::Era::Stateless, "/mcp?tag=prod");
        let found = pinned.call("find_skills", json!({ "query": slug })).await.unwrap();
        assert_eq!(found["results"].as_array().unwrap().len(), number + 1, "{found}");
    }
}

async fn an_exact_slug_or_name_is_first_in_any_letter_case(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    let near = |n| Skill::new(&format!("pdf-{n}")).described("PDF tools, pdf-tools: pdf tools.");
    let mut skills: Vec<_> = (0..40).map(near).collect();
    skills.push(Skill::new("pdf-tools").named("Paper Work").described("Something else."));
    owner.import(&skills).await;
    for query in ["pdf-tools", "PDF-TOOLS", "Pdf-Tools", "paper work", "PAPER WORK", "Paper Work"] {
        assert_eq!(owner.find(query).await[0], "Paper Work", "{query}");
    }
}

fn revision(number: u64) -> Skill {
    Skill::new("living")
        .described(&format!("Lives in its revision {number}."))
        .saying(&format!("Revision {number}.\n"))
        .with(&format!("only-in-{number}.md"), format!("{number}"))
}

/// Loads the skill and its file, all of which must be of one revision. Returns which.
async fn read_whole(client: &Client) -> u64 {
    let got = client.get_skill("living").await;
    let number = got["version"].as_u64().unwrap();
    let path = format!("only-in-{number}.md");
    assert_eq!(got["body"], format!("Revision {number}.\n"));
    assert_eq!(got["files"], json!([{ "path": path, "kind": "doc" }]));
    let asked = json!({ "id": "living", "path": path, "version": number });
    let file = client.tool("get_skill_file", &asked).await.ok();
    assert_eq!(file["content"], format!("{number}"));
    number
}

async fn a_new_revision_is_never_mixed_with_the_old(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    owner.import(&[revision(1)]).await;
    let is_over = Cell::new(false);
    let read = async {
        let mut reads = 0;
        while !is_over.get() {
            read_whole(&owner).await;
            reads += 1;
        }
        reads
    };
    let publish = async {
        for number in 2..=15 {
            owner.import(&[revision(number)]).await;
            let found = owner.tool("find_skills", &json!({ "query": "living" })).await.ok();
            let description = format!("Lives in its revision {number}.");
            assert_eq!(found["results"][0]["description"], description);
            eventually("every replica has the new one", ONE_SECOND, async || {
                let all = join_all((0..4).map(|_| read_whole(&owner))).await;
                all.iter().all(|seen| *seen == number).then_some(())
            })
            .await;
        }
        is_over.set(true);
    };
    let (reads, ()) = tokio::join!(read, publish);
    assert!(reads > 10, "{reads}");
}

async fn each_scope_finds_its_own_skill_of_a_slug(stack: &Stack) {
    let (acme, bravo) = (stack.organization("acme").await, stack.organization("bravo").await);
    acme.owner.post("/v1/workspaces", &json!({ "slug": "lab" })).await.created();
    let asked = json!({ "name": "k", "scopes": ["*"], "workspace": "lab" });
    let (_, lab) = acme.key_that(asked).await;
    let all = [(&acme.owner, "acme-main"), (&lab, "acme-lab"), (&bravo.owner, "bravo-main")];
    for (client, whose) in all {
        client.import(&[Skill::new("tidy").described(&format!("Tidies {whose}."))]).await;
    }
    for (client, whose) in all {
        let found = client.tool("find_skills", &json!({ "query": "tidy" })).await.ok();
        let descriptions: Vec<_> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|skill| &skill["description"])
            .collect();
        assert_eq!(descriptions, [&json!(format!("Tidies {whose}."))]);
    }
    lab.mcp(tests::Era::Stateless, "/w/main").raw_call("find_skills", json!({})).await.failed(404);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn what_is_published_while_search_is_away_is_found_later(pool: PgPool) {
    let mut stack = Stack::laid_out(&pool, Layout::Apart).await;
    let owner = stack.organization("acme").await.owner;
    stack.switch_off(Role::Search);
    let answer = owner.import(&[Skill::new("patient")]).await;
    assert_eq!(
        (&answer["indexing"], &answer["skills"][0]["outcome"]),
        (&json!("pending"), &json!("created"))
    );
    assert_eq!(owner.get_skill("patient").await["version"], 1);
    let again = owner.import(&[Skill::new("patient")]).await;
    assert_eq!(
        (&again["indexing"], &again["skills"][0]["outcome"]),
        (&json!("pending"), &json!("unchanged")),
        "what an earlier import left behind is not found either"
    );
    owner.tool("find_skills", &json!({ "query": "patient" })).await.failed(503);
    stack.switch_on(Role::Search).await;
    eventually("it is found by itself", RECOVERY, async || {
        let found = owner.tool("find_skills", &json!({ "query": "patient" })).await;
        (found.status == 200 && found.json()["results"][0]["name"] == "patient").then_some(())
    })
    .await;
}

/// Cuts every file to half.
fn damage(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            damage(&path);
        } else if path.file_name().unwrap() != "lock" {
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
}

async fn comes_back_after(pool: &PgPool, harm: fn(&Path)) {
    let mut stack = Stack::laid_out(pool, Layout::Apart).await;
    let owner = stack.organization("acme").await.owner;
    let skills: Vec<_> = (0..70).map(|n| Skill::new(&format!("kept-{n}"))).collect();
    owner.import_as("prod", &skills).await;
    stack.switch_off(Role::Search);
    // The store's own thread may end a moment later.
    tokio::time::sleep(ONE_SECOND).await;
    harm(&stack.vectors());
    stack.switch_on(Role::Search).await;
    for skill in &skills {
        eventually("each is found again", RECOVERY, async || {
            let found = owner.tool("find_skills", &json!({ "query": skill.slug })).await;
            (found.status == 200 && found.json()["results"][0]["name"] == skill.slug).then_some(())
        })
        .await;
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_lost_store_is_filled_again_by_itself(pool: PgPool) {
    comes_back_after(&pool, |vectors| fs::remove_dir_all(vectors).unwrap()).await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_damaged_store_is_filled_again_by_itself(pool: PgPool) {
    comes_back_after(&pool, damage).await;
}

/// A search that keeps account of what it is sent, and refuses what is called `poison`.
#[derive(Debug)]
struct Witness {
    refusing: Refusing,
    pause: Duration,
    index: IndexId,
    seen: Mutex<Account>,
}

/// How it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusing {
    Nothing,
    TheSubject,
    TheWholeMessage,
}

#[derive(Debug, Default)]
struct Account {
    in_work: BTreeSet<String>,
    twice_at_once: Vec<String>,
    sent: BTreeMap<(String, i64), usize>,
}

impl Witness {
    fn new(refusing: Refusing, pause: Duration) -> Arc<Self> {
        Arc::new(Self { refusing, pause, index: IndexId::new(), seen: Mutex::default() })
    }

    fn way(self: &Arc<Self>) -> Transport {
        let server = SearchServiceServer::from_arc(Arc::clone(self));
        transport::local(Routes::new(server.max_decoding_message_size(64 << 20)))
    }

    fn begin(&self, subjects: &[Subject]) {
        let mut seen = self.seen.lock().unwrap();
        for subject in subjects {
            if !seen.in_work.insert(subject.subject_id.clone()) {
                seen.twice_at_once.push(subject.subject_id.clone());
            }
            *seen.sent.entry((subject.subject_id.clone(), subject.sequence)).or_default() += 1;
        }
    }

    fn end(&self, subjects: &[Subject]) {
        let mut seen = self.seen.lock().unwrap();
        for subject in subjects {
            seen.in_work.remove(&subject.subject_id);
        }
    }
}

fn is_poison(subject: &Subject) -> bool {
    subject.documents.iter().any(|document| document.names.contains(&"poison".to_owned()))
}

#[async_trait]
impl SearchService for Witness {
    async fn put_subjects(
        &self,
        request: Request<PutSubjectsRequest>,
    ) -> Result<Response<PutSubjectsResponse>, Status> {
        let subjects = request.into_inner().subjects;
        self.begin(&subjects);
        tokio::time::sleep(self.pause).await;
        self.end(&subjects);
        let poison = subjects.iter().filter(|subject| is_poison(subject));
        let refusals = poison.map(|subject| Refusal {
            subject_id: subject.subject_id.clone(),
            reason: "it is poison".to_owned(),
        });
        let refusals: Vec<_> = refusals.filter(|_| self.refusing != Refusing::Nothing).collect();
        if self.refusing == Refusing::TheWholeMessage && !refusals.is_empty() {
            return Err(Status::invalid_argument("it is poison"));
        }
        Ok(Response::new(PutSubjectsResponse { index_id: self.index.to_string(), refusals }))
    }

    async fn find_documents(
        &self,
        _request: Request<FindDocumentsRequest>,
    ) -> Result<Response<FindDocumentsResponse>, Status> {
        Ok(Response::new(FindDocumentsResponse::default()))
    }

    async fn get_index(
        &self,
        _request: Request<GetIndexRequest>,
    ) -> Result<Response<GetIndexResponse>, Status> {
        let index_id = self.index.to_string();
        Ok(Response::new(GetIndexResponse { index_id, ..GetIndexResponse::default() }))
    }
}

/// What is in the outbox: the skill's slug, and why it is poison.
async fn outbox(pool: &PgPool) -> Vec<(String, Option<String>)> {
    let query =
        "SELECT slug, poison FROM registry.outbox JOIN registry.skill ON skill.id = skill_id";
    sqlx::query_as(query).fetch_all(pool).await.unwrap()
}

async fn poison_holds_back_nobody(pool: &PgPool, refusing: Refusing) {
    let witness = Witness::new(refusing, Duration::ZERO);
    let stack = Stack::of(pool, Site { search: Some(witness.way()), ..Site::default() }).await;
    let owner = stack.organization("acme").await.owner;
    let mut skills: Vec<_> = (0..9).map(|n| Skill::new(&format!("fine-{n}"))).collect();
    skills.insert(4, Skill::new("poison"));
    assert_eq!(owner.import(&skills).await["indexing"], "pending");
    let named = ("poison".to_owned(), Some("it is poison".to_owned()));
    eventually("only the poison is left, and named", RECOVERY, async || {
        (outbox(pool).await == [named.clone()]).then_some(())
    })
    .await;
    assert_eq!(owner.import(&[Skill::new("later")]).await["indexing"], "done");
    assert_eq!(outbox(pool).await, [named]);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_subject_that_search_refuses_holds_back_nobody(pool: PgPool) {
    poison_holds_back_nobody(&pool, Refusing::TheSubject).await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_message_that_search_refuses_is_taken_apart(pool: PgPool) {
    poison_holds_back_nobody(&pool, Refusing::TheWholeMessage).await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn two_registries_never_send_one_row_twice(pool: PgPool) {
    let witness = Witness::new(Refusing::Nothing, Duration::from_millis(30));
    let search = Some(witness.way());
    let stack = Stack::of(&pool, Site { layout: Layout::Doubled, search, ..Site::default() }).await;
    let owner = stack.organization("acme").await.owner;
    let import = async |part: usize| {
        for round in 0..6 {
            let skill = |n| Skill::new(&format!("s-{n}")).saying(&format!("{part} {round}\n"));
            let skills: Vec<_> = (part * 3..part * 3 + 12).map(skill).collect();
            owner.import(&skills).await;
        }
    };
    join_all((0..6).map(import)).await;
    eventually("all is sent", RECOVERY, async || outbox(&pool).await.is_empty().then_some(()))
        .await;
    let seen = witness.seen.lock().unwrap();
    assert_eq!(seen.twice_at_once, Vec::<String>::new());
    let again: Vec<_> = seen.sent.iter().filter(|(_, times)| **times > 1).collect();
    assert!(again.is_empty(), "{again:?}");
    assert!(seen.sent.len() >= 27, "{}", seen.sent.len());
}
