//! The main job: an agent finds a skill, loads it, and reads its files; the same over every layout.
use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use tests::{Era, Model, Organization, Site, Skill, Stack, eventually, upload};

const SOON: Duration = Duration::from_secs(5);
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe";

tests::over_every_layout!(
    an_agent_finds_loads_and_reads_a_skill,
    the_same_over_rest_byte_for_byte,
    a_tag_pins_what_an_agent_gets,
    a_version_holds_while_its_tag_moves,
    a_skill_loaded_again_is_whole_until_it_changes,
    every_call_is_recorded_once,
    a_skill_that_is_not_there_is_said_so,
);

fn pdf_tools() -> Skill {
    Skill::new("pdf-tools")
        .described("Fills in and splits PDF forms.")
        .saying(
            "\r\n# PDF\n\nRun `scripts/split.sh`.\n\tTabs, “quotes” and a last line without an end",
        )
        .with("references/forms.md", "# Forms\n")
        .with("scripts/split.sh", "#!/bin/sh\r\nexit 0\n")
        .with("assets/logo.png", PNG)
}

async fn library(stack: &Stack) -> Organization {
    let acme = stack.organization("acme").await;
    let others = ["csv-cleaning", "release-notes", "query-tuning"].map(Skill::new);
    let answer = acme.owner.import(&[&others[..], &[pdf_tools()]].concat()).await;
    assert_eq!(answer["indexing"], "done", "{answer}");
    acme
}

async fn an_agent_finds_loads_and_reads_a_skill(stack: &Stack) {
    let reader = library(stack).await.key(&["skills:read"]).await;
    for era in Era::BOTH {
        let agent = reader.mcp(era, "/w/main").connect().await;
        assert_eq!(agent.tools().await, ["find_skills", "get_skill", "get_skill_file"]);
        let query = json!({ "query": "split a PDF form" });
        let found = agent.call("find_skills", query).await.unwrap();
        assert_eq!(found["results"][0]["name"], "pdf-tools", "{found}");
        let id = &found["results"][0]["id"];
        let loaded = agent.call("get_skill", json!({ "id": id })).await.unwrap();
        assert_eq!(loaded["body"], pdf_tools().body());
        for (path, content) in pdf_tools().beside() {
            let asked = json!({ "id": id, "path": path, "version": loaded["version"] });
            let file = agent.call("get_skill_file", asked).await.unwrap();
            let text = file["content"].as_str().unwrap();
            let is_text = file["encoding"] == "utf-8";
            let bytes = if is_text { text.into() } else { STANDARD.decode(text).unwrap() };
            assert_eq!(&bytes, content, "{path}");
        }
    }
}

async fn the_same_over_rest_byte_for_byte(stack: &Stack) {
    let reader = library(stack).await.key(&["skills:read"]).await;
    assert_eq!(reader.find("split a PDF form").await[0], "pdf-tools");
    let loaded = reader.get("/v1/skills/pdf-tools").await.ok();
    assert_eq!(loaded["body"], pdf_tools().body());
    let listed = loaded["files"].as_array().unwrap().iter().map(|file| file["path"].clone());
    let expected = ["assets/logo.png", "references/forms.md", "scripts/split.sh"];
    assert_eq!(listed.collect::<Vec<_>>(), expected);
    for (path, content) in pdf_tools().beside() {
        assert_eq!(&reader.file("pdf-tools", path, "").await.body, content, "{path}");
    }
    let main = reader.file("pdf-tools", "SKILL.md", "").await;
    assert_eq!(main.body, pdf_tools().instructions().as_bytes());
}

async fn a_tag_pins_what_an_agent_gets(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    let skill = Skill::new("deploy").with("note.md", "first");
    owner.import_as("prod", &[skill.clone().described("Deploys with buckets.")]).await;
    let second = Skill::new("deploy").described("Deploys with shovels.").saying("second\n");
    owner.import(&[second.with("note.md", "second")]).await;
    for era in Era::BOTH {
        for address in ["/w/main", "/mcp"] {
            let pinned = owner.mcp(era, &format!("{address}?tag=prod"));
            let got = pinned.call("get_skill", json!({ "id": "deploy" })).await.unwrap();
            assert_eq!((&got["version"], &got["body"]), (&json!(1), &json!(skill.body())));
            let asked = json!({ "id": "deploy", "path": "note.md" });
            let file = pinned.call("get_skill_file", asked).await.unwrap();
            assert_eq!(file["content"], "first");
            let found = pinned.call("find_skills", json!({ "query": "deploy" })).await.unwrap();
            assert_eq!(found["results"][0]["description"], "Deploys with buckets.");
            let current = owner.mcp(era, address);
            let got = current.call("get_skill", json!({ "id": "deploy" })).await.unwrap();
            assert_eq!((&got["version"], &got["body"]), (&json!(2), &json!("second\n")));
        }
    }
}

async fn a_version_holds_while_its_tag_moves(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    owner.import_as("prod", &[Skill::new("deploy").with("note.md", "first")]).await;
    let agent = owner.mcp(Era::Stateless, "/w/main?tag=prod");
    let loaded = agent.call("get_skill", json!({ "id": "deploy" })).await.unwrap();
    owner.import_as("prod", &[Skill::new("deploy").with("note.md", "second")]).await;
    let asked = json!({ "id": "deploy", "path": "note.md", "version": loaded["version"] });
    let held = agent.call("get_skill_file", asked).await.unwrap();
    assert_eq!((&held["version"], &held["content"]), (&json!(1), &json!("first")));
    eventually("without a version the tag decides", SOON, async || {
        let asked = json!({ "id": "deploy", "path": "note.md" });
        let moved = agent.call("get_skill_file", asked).await.unwrap();
        (moved["content"] == "second" && moved["version"] == 2).then_some(())
    })
    .await;
}

async fn a_skill_loaded_again_is_whole_until_it_changes(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    owner.import(&[pdf_tools()]).await;
    let first = owner.get_skill("pdf-tools").await;
    assert_eq!((&first["version"], &first["body"]), (&json!(1), &json!(pdf_tools().body())));
    assert_eq!(first["files"].as_array().unwrap().len(), 3);
    for _ in 0..3 {
        assert_eq!(owner.get_skill("pdf-tools").await, first);
    }
    owner.import(&[pdf_tools().saying("changed\n")]).await;
    eventually("the change is loaded", SOON, async || {
        let again = owner.get_skill("pdf-tools").await;
        (again["body"] == "changed\n" && again["version"] == 2).then_some(())
    })
    .await;
}

async fn every_call_is_recorded_once(stack: &Stack) {
    let acme = library(stack).await;
    let (key_id, reader) = acme.key_that(json!({ "name": "r", "scopes": ["skills:read"] })).await;
    let agent = reader.mcp(Era::Stateless, "/w/main?tag=prod");
    for _ in 0..3 {
        reader.find("pdf").await;
        agent.call("get_skill", json!({ "id": "pdf-tools" })).await.unwrap_err();
        reader.file("pdf-tools", "SKILL.md", "").await;
    }
    let calls = eventually("nine calls", SOON, async || {
        let calls = acme.owner.list_all("/v1/calls", "calls").await;
        let calls: Vec<_> = calls.into_iter().filter(|call| call["key_id"] == *key_id).collect();
        (calls.len() >= 9).then_some(calls)
    })
    .await;
    let count = |tool: &str, surface: &str, outcome: &str| {
        let of = |call: &&serde_json::Value| {
            (&call["tool"], &call["surface"], &call["outcome"])
                == (&json!(tool), &json!(surface), &json!(outcome))
        };
        calls.iter().filter(of).count()
    };
    assert_eq!(calls.len(), 9, "{calls:?}");
    assert_eq!(count("find_skills", "rest", "ok"), 3, "{calls:?}");
    assert_eq!(count("get_skill", "mcp", "not_found"), 3, "{calls:?}");
    assert_eq!(count("get_skill_file", "rest", "ok"), 3, "{calls:?}");
}

async fn a_skill_that_is_not_there_is_said_so(stack: &Stack) {
    let owner = library(stack).await.owner;
    for era in Era::BOTH {
        let agent = owner.mcp(era, "/w/main");
        let missing = agent.call("get_skill", json!({ "id": "pdf-tool" })).await.unwrap_err();
        assert_eq!(missing, "no skill `pdf-tool`");
        let asked = json!({ "id": "pdf-tools", "path": "forms.md" });
        let missing = agent.call("get_skill_file", asked).await.unwrap_err();
        assert_eq!(missing, "the skill `pdf-tools` has no file `forms.md` in version 1");
        let version = json!({ "id": "pdf-tools", "version": 2 });
        let missing = agent.call("get_skill", version).await.unwrap_err();
        assert_eq!(missing, "the skill `pdf-tools` has no version 2; its newest is 1");
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn every_demo_skill_is_first_for_its_own_name_and_near_for_its_description(
    pool: sqlx::PgPool,
) {
    let stack = Stack::of(&pool, Site { model: Model::Local, ..Site::default() }).await;
    let owner = stack.organization("acme").await.owner;
    let demo = upload::folder("deploy/demo/skills");
    owner.upload("", tests::Upload::zip(&demo)).await.ok();
    let skills = owner.list_all("/v1/skills", "skills").await;
    assert!(skills.len() >= 20, "{}", skills.len());
    let mut near = 0;
    for skill in &skills {
        let name = skill["name"].as_str().unwrap();
        assert_eq!(owner.find(&name.to_uppercase()).await[0], name);
        let sentence = skill["description"].as_str().unwrap().split(". ").next().unwrap();
        near += usize::from(owner.find(sentence).await.iter().take(3).any(|found| found == name));
    }
    assert!(near * 100 >= skills.len() * 95, "{near} of {}", skills.len());
}
