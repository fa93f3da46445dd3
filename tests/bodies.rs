//! What REST and MCP answer, word by word.
use serde_json::{Value, json};
use sqlx::PgPool;
use tests::{Client, Era, Skill, Stack, Upload};

/// An owner with one skill of two versions, the first of which is `prod`.
async fn owner(stack: &Stack) -> Client {
    let owner = stack.organization("acme").await.owner;
    let skill =
        Skill::new("tidy-desk").described("Tidies a desk.").with("scripts/tidy.sh", "exit\n");
    owner.import_as("prod", std::slice::from_ref(&skill)).await;
    owner.import(&[skill.saying("# Tidy\n\nThrow nothing away.\n").with("notes.md", "…")]).await;
    owner
}

/// The same with what differs from run to run taken out.
fn settled(body: &Value) -> Value {
    match body {
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, value)| (name.clone(), settled_field(name, value)));
            fields.collect()
        }
        Value::Array(items) => items.iter().map(settled).collect(),
        other => other.clone(),
    }
}

fn settled_field(name: &str, value: &Value) -> Value {
    let differs =
        name == "id" || name.ends_with("_id") || name.ends_with("_at") || name == "secret";
    match value {
        Value::String(text) if differs && text.len() > 10 => json!(format!("[{name}]")),
        other => settled(other),
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn an_import_names_what_became_of_each_skill(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let owner = owner(&stack).await;
    let broken = Skill::new("broken").described("").with("../x", "");
    let upload = [
        Skill::new("tidy-desk")
            .described("Tidies a desk.")
            .with("scripts/tidy.sh", "exit\n")
            .files(),
        Skill::new("new-one").named("New one").files(),
        broken.files(),
        vec![("README.md".to_owned(), b"About".to_vec())],
    ]
    .concat();
    let answer = owner.upload("", Upload::parts(&upload)).await.ok();
    insta::assert_json_snapshot!(settled(&answer));
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_skill_is_shown_whole(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let owner = owner(&stack).await;
    insta::assert_json_snapshot!(settled(&owner.get("/v1/skills/tidy-desk").await.ok()));
    insta::assert_json_snapshot!(settled(&owner.get("/v1/skills").await.ok()));
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_key_is_shown_once_and_listed_without_its_secret(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let acme = stack.organization("acme").await;
    let asked = json!({ "name": "ci", "scopes": ["skills:read"], "tools": ["find_*"] });
    let made = acme.owner.post("/v1/keys", &asked).await.created();
    insta::assert_json_snapshot!(settled(&made));
    insta::assert_json_snapshot!(settled(&acme.owner.get("/v1/keys").await.ok()));
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn the_tools_answer_agents(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let agent = owner(&stack).await.mcp(Era::Stateless, "/mcp?tag=prod");
    for (tool, arguments) in [
        ("find_skills", json!({ "query": "tidy-desk" })),
        ("get_skill", json!({ "id": "tidy-desk" })),
        ("get_skill_file", json!({ "id": "tidy-desk", "path": "scripts/tidy.sh" })),
        ("whoami", json!({})),
    ] {
        let object = agent.call(tool, arguments).await.unwrap();
        insta::assert_json_snapshot!(tool, settled(&object));
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_failure_is_a_problem(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let owner = owner(&stack).await;
    for (name, reply) in [
        ("no_key", owner.with_key("").get("/v1/skills").await),
        ("no_skill", owner.get("/v1/skills/none").await),
        ("no_route", owner.get("/.well-known/oauth-authorization-server").await),
        ("no_scope", owner.post("/v1/keys", &json!({ "name": "x", "scopes": ["fly"] })).await),
        ("no_limit", owner.get("/v1/skills?limit=201").await),
    ] {
        assert_eq!(reply.header("content-type"), "application/problem+json", "{name}");
        insta::assert_json_snapshot!(name, settled(&reply.json()));
    }
}
