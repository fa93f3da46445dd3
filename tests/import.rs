//! Uploads: what becomes of them, what they may hold, and what comes back of them.
use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use futures::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use tests::{
    Client, Era, Layout, Skill, Stack, Upload,
    skill::{Files, files},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const MIB: usize = 1024 * 1024;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\xff\xfe";
/// Skill files, row 17: a space, `?`, `#`, `%2F`, and é in NFC and NFD.
const ODD_PATHS: [&str; 8] = [
    "references/a file.md",
    "what?.md",
    "c#/notes.md",
    "100%2Fsafe.md",
    "caf\u{e9}.md",
    "cafe\u{301}.md",
    "a+b&c=d;e,f.md",
    "日本/語 (1).md",
];

tests::over_every_layout!(
    unchanged_content_makes_no_new_revision,
    a_dry_run_changes_nothing,
    two_same_uploads_at_once_make_one_revision_each,
    odd_paths_read_back_exactly,
    bytes_that_are_no_text_come_as_base64,
);

/// What became of each skill, by its folder.
fn outcomes(answer: &Value) -> BTreeMap<String, (String, u64)> {
    let text = |skill: &Value, field: &str| skill[field].as_str().unwrap().to_owned();
    let of = |skill: &Value| {
        (text(skill, "folder"), (text(skill, "outcome"), skill["version"].as_u64().unwrap()))
    };
    answer["skills"].as_array().unwrap().iter().map(of).collect()
}

fn expected(outcomes: &[(&str, &str, u64)]) -> BTreeMap<String, (String, u64)> {
    outcomes.iter().map(|(slug, what, v)| ((*slug).to_owned(), ((*what).to_owned(), *v))).collect()
}

async fn unchanged_content_makes_no_new_revision(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    let (tidy, deploy) = (Skill::new("tidy").with("a.md", "a"), Skill::new("deploy"));
    let first = owner.import(&[tidy.clone(), deploy.clone()]).await;
    assert_eq!(outcomes(&first), expected(&[("tidy", "created", 1), ("deploy", "created", 1)]));
    let again = owner.import(&[tidy.clone(), deploy.clone()]).await;
    assert_eq!(outcomes(&again), expected(&[("tidy", "unchanged", 1), ("deploy", "unchanged", 1)]));
    let broken = Skill::new("broken").described("");
    let third = owner.import(&[tidy.clone().with("b.md", ""), deploy, broken]).await;
    let changed = [("tidy", "updated", 2), ("deploy", "unchanged", 1), ("broken", "refused", 0)];
    assert_eq!(outcomes(&third), expected(&changed));
    let back = owner.import(&[tidy]).await;
    assert_eq!(outcomes(&back), expected(&[("tidy", "updated", 3)]));
    let got = owner.get("/v1/skills/tidy?version=2").await.ok();
    assert_eq!(got["files"].as_array().unwrap().len(), 2);
    owner.get("/v1/skills/broken").await.failed(404);
}

async fn a_dry_run_changes_nothing(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    owner.import(&[Skill::new("tidy")]).await;
    let before = owner.get("/v1/skills").await.ok();
    let upload = files(&[Skill::new("tidy").saying("Changed.\n"), Skill::new("new")]);
    let told = owner.upload("?dry_run=true&tag=prod", Upload::zip(&upload)).await.ok();
    assert_eq!(outcomes(&told), expected(&[("tidy", "updated", 2), ("new", "created", 1)]));
    assert_eq!(told["dry_run"], true);
    assert_eq!(owner.get("/v1/skills").await.ok(), before);
    owner.get("/v1/skills/new").await.failed(404);
    let done = owner.upload("?tag=prod", Upload::zip(&upload)).await.ok();
    assert_eq!(outcomes(&done), outcomes(&told));
}

async fn two_same_uploads_at_once_make_one_revision_each(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    for round in 1..=5 {
        let skill = |n| Skill::new(&format!("same-{n}")).saying(&format!("Round {round}.\n"));
        let skills: Vec<_> = (0..10).map(skill).collect();
        let answers = join_all([owner.import(&skills), owner.import(&skills)]).await;
        for skill in &skills {
            let both = answers.iter().map(|answer| outcomes(answer)[&skill.slug].clone());
            let mut both: Vec<_> = both.collect();
            both.sort();
            let made = if round == 1 { "created" } else { "updated" };
            let mut expected = [made, "unchanged"].map(|what| (what.to_owned(), round));
            expected.sort();
            assert_eq!(both, expected, "{} in round {round}", skill.slug);
        }
    }
}

async fn odd_paths_read_back_exactly(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    let skill = ODD_PATHS.iter().fold(Skill::new("odd"), |skill, path| skill.with(path, *path));
    for upload in
        [Upload::parts(&skill.files()), Upload::zip(&skill.files()), Upload::tar_gz(&skill.files())]
    {
        owner.upload("", upload).await.ok();
    }
    let listed = owner.get("/v1/skills/odd").await.ok();
    let mut paths: Vec<_> = listed["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    paths.sort_unstable();
    let mut sent = ODD_PATHS;
    sent.sort_unstable();
    assert_eq!((paths, &listed["skill"]["version"]), (sent.to_vec(), &json!(1)));
    let agent = owner.mcp(Era::Stateless, "/w/main");
    for path in ODD_PATHS {
        let read = owner.file("odd", path, "").await;
        assert_eq!((read.status.as_u16(), &*read.body), (200, path.as_bytes()), "{path}");
        let asked = json!({ "id": "odd", "path": path });
        let read = agent.call("get_skill_file", asked).await.unwrap();
        assert_eq!((&read["path"], &read["content"]), (&json!(path), &json!(path)));
    }
}

async fn bytes_that_are_no_text_come_as_base64(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    owner.import(&[Skill::new("logo").with("assets/logo.png", PNG)]).await;
    for era in Era::BOTH {
        let agent = owner.mcp(era, "/w/main");
        let got = agent.call("get_skill", json!({ "id": "logo" })).await.unwrap();
        assert_eq!(got["files"], json!([{ "path": "assets/logo.png", "kind": "asset" }]));
        let asked = json!({ "id": "logo", "path": "assets/logo.png" });
        let file = agent.call("get_skill_file", asked).await.unwrap();
        assert_eq!((&file["encoding"], &file["kind"]), (&json!("base64"), &json!("asset")));
        assert_eq!(STANDARD.decode(file["content"].as_str().unwrap()).unwrap(), PNG);
    }
    let file = owner.file("logo", "assets/logo.png", "").await;
    assert_eq!((&*file.body, file.header("content-type")), (PNG, "application/octet-stream"));
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_path_that_comes_twice_is_refused_in_every_form(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let owner = stack.organization("acme").await.owner;
    let mut files = Skill::new("tidy").files();
    files.extend(
        [("tidy/a.md", "one"), ("tidy/a.md", "two")].map(|(path, text)| (path.into(), text.into())),
    );
    for upload in [Upload::parts(&files), Upload::tar_gz(&files)] {
        let answer = owner.upload("", upload).await.ok();
        assert_eq!(outcomes(&answer), expected(&[("tidy", "refused", 0)]));
        let reason = answer["skills"][0]["reasons"][0]["message"].as_str().unwrap();
        assert!(reason.contains("a.md"), "{reason}");
    }
    owner.get("/v1/skills/tidy").await.failed(404);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn every_form_of_an_upload_gives_the_same_skill(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let skill =
        Skill::new("tidy").with("scripts/a.sh", "exit\n").with("logo.png", PNG).with("empty", "");
    let mut hashes = Vec::new();
    let form =
        |name: &str, upload: &Upload| Upload::parts(&vec![(name.to_owned(), upload.body.clone())]);
    let files = skill.files();
    let (zip, tar) = (Upload::zip(&files), Upload::tar_gz(&files));
    let (in_zip, in_tar) = (form("skills.zip", &zip), form("skills.tar.gz", &tar));
    let uploads = [Upload::parts(&files), zip, tar, in_zip, in_tar];
    for (number, upload) in uploads.into_iter().enumerate() {
        let owner = stack.organization(&format!("org-{number}")).await.owner;
        owner.upload("", upload).await.ok();
        let got = owner.get("/v1/skills/tidy").await.ok();
        hashes.push(got["skill"]["canonical_hash"].as_str().unwrap().to_owned());
    }
    assert_eq!(hashes, vec![hashes[0].clone(); 5]);
}

/// The one reason against the one skill of an upload.
async fn refusal(owner: &Client, files: &Files) -> Option<String> {
    let answer = owner.upload("?dry_run=true", Upload::zip(files)).await.ok();
    let skill = &answer["skills"][0];
    let reason = skill["reasons"][0]["message"].as_str().map(str::to_owned);
    assert_eq!(skill["outcome"] == "refused", reason.is_some(), "{answer}");
    reason
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_skill_has_at_most_512_files_and_16_mebibytes(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let owner = stack.organization("acme").await.owner;
    let many = |count: usize| {
        let file = |skill: Skill, n| skill.with(&format!("files/{n}.md"), format!("{n}"));
        (1..count).fold(Skill::new("many"), file).files()
    };
    for count in [511, 512] {
        assert_eq!(refusal(&owner, &many(count)).await, None, "{count} files");
    }
    let over = refusal(&owner, &many(513)).await.unwrap();
    assert!(over.contains("512") && over.contains("513"), "{over}");
    let large = |bytes: usize| {
        let rest = bytes - Skill::new("large").instructions().len();
        Skill::new("large").with("data.bin", vec![7; rest]).files()
    };
    for bytes in [16 * MIB - 1, 16 * MIB] {
        assert_eq!(refusal(&owner, &large(bytes)).await, None, "{bytes} bytes");
    }
    let over = refusal(&owner, &large(16 * MIB + 1)).await.unwrap();
    assert!(over.contains("16777216") && over.contains("16777217"), "{over}");
}

/// Files of this many bytes in all, in skills that are each small enough.
fn upload_of(bytes: usize) -> Files {
    let mut files = Files::new();
    let mut left = bytes;
    for number in 0.. {
        let skill = Skill::new(&format!("part-{number}"));
        let main = skill.instructions().len();
        let filler = left.min(15 * MIB).saturating_sub(main);
        files.extend(skill.with("data.bin", vec![7; filler]).files());
        left -= main + filler;
        if left == 0 {
            return files;
        }
    }
    files
}

/// What is answered to the head of an upload of which nothing more comes.
async fn answer_to_head(stack: &Stack, client: &Client, bytes: usize) -> String {
    let mut stream = TcpStream::connect(stack.gateways[0]).await.unwrap();
    let head = format!(
        "POST /v1/skills/import HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {}\r\nContent-Type: application/zip\r\nContent-Length: {bytes}\r\n\r\n",
        client.key,
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 4096];
    let mut length = 0;
    while !answer[..length].ends_with(b"}") {
        let read = stream.read(&mut answer[length..]).await.unwrap();
        assert_ne!(read, 0, "the answer is whole");
        length += read;
    }
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn an_upload_has_at_most_64_mebibytes(pool: PgPool) {
    let stack = Stack::laid_out(&pool, Layout::Apart).await;
    let owner = stack.organization("acme").await.owner;
    for bytes in [64 * MIB - 1, 64 * MIB] {
        let answer = owner.upload("?dry_run=true", Upload::parts(&upload_of(bytes))).await;
        let outcomes = outcomes(&answer.ok());
        assert!(outcomes.values().all(|(what, _)| what == "created"), "{bytes}: {outcomes:?}");
    }
    let over = owner.upload("?dry_run=true", Upload::parts(&upload_of(64 * MIB + 1))).await;
    let over = over.failed(413);
    assert!(over.contains("67108864"), "{over}");
    let over = answer_to_head(&stack, &owner, 64 * MIB + 1).await;
    assert!(over.starts_with("HTTP/1.1 413 "), "{over}");
    assert!(over.contains("the upload has 67108865 bytes, allowed are at most 67108864"), "{over}");
    assert!(owner.list_all("/v1/skills", "skills").await.is_empty());
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_whole_library_is_in_and_a_second_import_changes_nothing(pool: PgPool) {
    let stack = Stack::laid_out(&pool, Layout::Apart).await;
    let owner = stack.organization("acme").await.owner;
    let demo = tests::upload::folder("deploy/demo/skills");
    let first = owner.upload("", Upload::tar_gz(&demo)).await.ok();
    assert!(outcomes(&first).values().all(|(what, _)| what == "created"), "{first}");
    let second = owner.upload("", Upload::tar_gz(&demo)).await.ok();
    assert!(outcomes(&second).values().all(|(what, _)| what == "unchanged"), "{second}");
    for (path, content) in &demo {
        let (slug, path) = path.split_once('/').unwrap();
        assert_eq!(&owner.file(slug, path, "").await.body, content, "{slug}/{path}");
    }
}
