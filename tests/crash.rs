//! The standalone program, killed in the middle of its work.
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::{ConnectOptions, PgPool};
use tempfile::TempDir;
use tests::{
    Client, Dice, Organization, Skill, Upload,
    client::{reply, try_reply},
    environment, eventually,
    site::OPERATOR,
    skill::files,
};
use tokio::process::{Child, Command};

const PROGRAM: &str = env!("CARGO_BIN_EXE_standalone-under-test");
const START: Duration = Duration::from_mins(1);
const END: Duration = Duration::from_secs(40);
/// What a killed program had begun to send is sent by the next one.
const FOUND_AGAIN: Duration = Duration::from_secs(30);
const KILLS: usize = 10;

/// A program on a database and a folder that outlive it.
struct Program {
    child: Child,
    settings: PathBuf,
    address: SocketAddr,
    _folder: TempDir,
}

impl Program {
    async fn start(pool: &PgPool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let settings = write_settings(pool, folder.path(), address);
        let child = spawn(&settings);
        let program = Self { child, settings, address, _folder: folder };
        program.is_ready().await;
        program
    }

    fn client(&self) -> Client {
        Client::new(&[self.address], OPERATOR)
    }

    async fn is_ready(&self) {
        let client = self.client();
        eventually("the program is ready", START, async || {
            let reply = try_reply(client.request(Method::GET, "/readyz")).await.ok()?;
            (reply.status == 200).then_some(())
        })
        .await;
    }

    /// `kill -9`
    async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }

    async fn start_again(&mut self) {
        self.child = spawn(&self.settings);
        self.is_ready().await;
    }

    /// SIGTERM, which it answers by ending well.
    async fn terminate(&mut self) {
        let id = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
        let ended = tokio::time::timeout(END, self.child.wait()).await.expect("it ends by itself");
        assert!(ended.unwrap().success());
    }
}

fn spawn(settings: &Path) -> Child {
    let mut command = Command::new(PROGRAM);
    command.arg("--settings").arg(settings).kill_on_drop(true);
    command.stdout(std::process::Stdio::null()).spawn().unwrap()
}

fn free_address() -> SocketAddr {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap()
}

fn write_settings(pool: &PgPool, folder: &Path, address: SocketAddr) -> PathBuf {
    let database = pool.connect_options().to_url_lossy().to_string();
    let data = folder.join("data");
    let mut text = format!(
        "listen = \"{address}\"\ndatabase_url = \"{database}\"\nredis_url = \"{}\"\n\
         data_dir = \"{}\"\noperator_token = \"{OPERATOR}\"\n",
        environment::redis_url(),
        data.display(),
    );
    if let Some(model) = environment::model_dir() {
        writeln!(text, "model_dir = \"{}\"", model.display()).unwrap();
    }
    let settings = folder.join("standalone.toml");
    fs::write(&settings, text + "[telemetry]\nlog = \"error\"\n").unwrap();
    settings
}

/// A skill whose every byte follows from its slug and its number.
fn skill(slug: &str, number: usize) -> Skill {
    let text = |what: &str| format!("{what} of {slug}, number {number}\n").repeat(40);
    Skill::new(slug)
        .described(&format!("Keeps {} whole, number {number}.", slug.replace('-', " ")))
        .saying(&text("body"))
        .with("references/a.md", text("a"))
        .with("scripts/b.sh", text("b"))
        .with(&format!("only-in-{number}.md"), text("c"))
}

/// What was answered as imported: each slug's newest number.
type Answered = BTreeMap<String, usize>;

/// Imports over and over until the program is gone.
struct Importer<'a> {
    owner: &'a Client,
    round: usize,
    /// The skills of which each import is the next revision; it brings new ones beside them.
    changing: [String; 2],
    /// How many imports were answered in this round.
    answers: &'a Cell<usize>,
}

impl Importer<'_> {
    async fn import_until_killed(self) -> Answered {
        let mut answered = Answered::new();
        for batch in 0.. {
            let fresh =
                (0..2).map(|n| format!("new-{}-{}-{batch}-{n}", self.changing[0], self.round));
            let slugs: Vec<String> = fresh.chain(self.changing.clone()).collect();
            let number = self.round * 1_000 + batch;
            let skills: Vec<_> = slugs.iter().map(|slug| skill(slug, number)).collect();
            let upload = Upload::zip(&files(&skills));
            let request = self.owner.request(Method::POST, "/v1/skills/import");
            let request = request.header("content-type", upload.media_type).body(upload.body);
            // Cut off: nothing was promised.
            let Ok(reply) = try_reply(request).await else { break };
            let outcomes = reply.ok();
            let mut outcome = outcomes["skills"].as_array().unwrap().iter().map(|s| &s["outcome"]);
            assert!(outcome.all(|outcome| outcome != "refused"), "{outcomes}");
            answered.extend(slugs.into_iter().map(|slug| (slug, number)));
            self.answers.set(self.answers.get() + 1);
        }
        answered
    }
}

/// A skill is one of those that were sent, byte for byte. Returns its number.
async fn check_whole(owner: &Client, slug: &str) -> usize {
    let got = owner.get(&format!("/v1/skills/{slug}")).await.ok();
    let description = got["skill"]["description"].as_str().unwrap();
    let number = description.rsplit(' ').next().unwrap().trim_end_matches('.').parse().unwrap();
    let sent = skill(slug, number);
    assert_eq!(got["body"], sent.body(), "{slug}");
    let listed: BTreeMap<_, _> = got["files"].as_array().unwrap().iter().map(hash).collect();
    let hashes = sent.beside().iter().map(|(path, content)| (path.clone(), hex(content)));
    assert_eq!(listed, hashes.collect(), "{slug}");
    for (path, content) in sent.beside() {
        assert_eq!(&owner.file(slug, path, "").await.body, content, "{slug}/{path}");
    }
    number
}

fn hash(file: &Value) -> (String, String) {
    let text = |field: &str| file[field].as_str().unwrap().to_owned();
    (text("path"), text("sha256"))
}

fn hex(content: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(content) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn what_was_answered_as_imported_is_whole_after_ten_kills(pool: PgPool) {
    let mut dice = Dice::thrown();
    let mut program = Program::start(&pool).await;
    let owner = Organization::make(&program.client(), "acme", "Acme").await.owner;
    let mut answered = Answered::new();
    for round in 0..KILLS {
        let delay = Duration::from_millis(dice.number() % 1_500);
        answered.extend(import_and_kill(&owner, &mut program, round, delay).await);
        program.start_again().await;
        eprintln!("round {round}: killed after {delay:?}, {} answered so far", answered.len());
        check_all(&owner, &answered).await;
    }
    assert!(answered.len() > KILLS, "{}", answered.len());
    for skill in owner.list_all("/v1/skills", "skills").await {
        let slug = skill["slug"].as_str().unwrap();
        eventually(&format!("`{slug}` is found"), FOUND_AGAIN, async || {
            (owner.find(slug).await.first()? == slug).then_some(())
        })
        .await;
    }
}

/// Two import at once, and the program is killed: in an even round once something was answered, in an odd
/// one at any time, also while the index is being filled again.
async fn import_and_kill(
    owner: &Client,
    program: &mut Program,
    round: usize,
    delay: Duration,
) -> Answered {
    let answers = Cell::new(0);
    let import = async |of: &str| {
        let changing = ["a", "b"].map(|name| format!("{of}-{name}"));
        let importer = Importer { owner, round, changing, answers: &answers };
        importer.import_until_killed().await
    };
    let kill = async {
        if round.is_multiple_of(2) {
            let is_answered = async || (answers.get() > 0).then_some(());
            eventually("an import is answered", FOUND_AGAIN, is_answered).await;
        }
        tokio::time::sleep(delay).await;
        program.kill().await;
    };
    let of_this_round = format!("round-{round}");
    let (mut one, other, ()) = tokio::join!(import(&of_this_round), import("always"), kill);
    one.extend(other);
    one
}

/// What was answered is there, in that state or a newer one; and nothing is there by half.
async fn check_all(owner: &Client, answered: &Answered) {
    let listed = owner.list_all("/v1/skills", "skills").await;
    let listed: BTreeSet<_> = listed.iter().map(|s| s["slug"].as_str().unwrap()).collect();
    for (slug, number) in answered {
        assert!(listed.contains(&**slug), "`{slug}` was answered as imported");
        assert!(check_whole(owner, slug).await >= *number, "`{slug}` is older than answered");
    }
    for slug in listed.iter().filter(|slug| !answered.contains_key(**slug)) {
        check_whole(owner, slug).await;
    }
}

/// How many calls of this key are recorded.
async fn recorded(acme: &Organization, key_id: &str) -> usize {
    let calls = acme.owner.list_all("/v1/calls", "calls").await;
    calls.iter().filter(|call| call["key_id"] == key_id).count()
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_shutdown_loses_no_recorded_call(pool: PgPool) {
    let mut program = Program::start(&pool).await;
    let acme = Organization::make(&program.client(), "acme", "Acme").await;
    let (id, key) = acme.key_that(json!({ "name": "k", "scopes": ["skills:read"] })).await;
    for _ in 0..300 {
        key.tool("whoami", &json!({})).await.ok();
    }
    program.terminate().await;
    program.start_again().await;
    assert_eq!(recorded(&acme, &id).await, 300);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_kill_loses_at_most_the_last_second_of_calls(pool: PgPool) {
    let mut program = Program::start(&pool).await;
    let acme = Organization::make(&program.client(), "acme", "Acme").await;
    let (id, key) = acme.key_that(json!({ "name": "k", "scopes": ["skills:read"] })).await;
    let (began, mut ended) = (Instant::now(), Vec::new());
    while began.elapsed() < Duration::from_secs(4) {
        let asked = key.request(Method::POST, "/v1/tools/whoami").json(&json!({}));
        assert_eq!(reply(asked).await.status, 200);
        ended.push(Instant::now());
    }
    let killed_at = Instant::now();
    program.kill().await;
    program.start_again().await;
    let kept = recorded(&acme, &id).await;
    let due = ended.iter().filter(|at| **at + Duration::from_secs(1) < killed_at).count();
    assert!(kept >= due && due > 10, "{kept} kept, {due} due, {} made", ended.len());
    assert!(kept <= ended.len());
}
