//! Keys: what they may be, what they allow, and when they stop.
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use tests::{Client, Era, Layout, Organization, Site, Skill, Stack, environment, eventually};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::task::JoinSet;

const ONE_SECOND: Duration = Duration::from_secs(1);
/// 100 calls a second.
const BETWEEN_CALLS: Duration = Duration::from_millis(10);
const EMOJI: &str = "🧰";

tests::over_every_layout!(
    a_key_is_checked_when_it_is_made,
    a_key_ends_by_itself,
    a_star_is_every_scope,
    a_list_of_tools_hides_the_others,
    nobody_gives_more_than_they_hold,
    a_key_is_listed_and_revoked_by_its_own_organization,
);

/// When a call began, and how it was answered.
type Seen = (Instant, u16);

/// Uses a key at one gateway, 100 times a second.
async fn use_steadily(key: Client, how_long: Duration) -> Vec<Seen> {
    let (began, mut calls) = (Instant::now(), JoinSet::new());
    let mut ticks = tokio::time::interval(BETWEEN_CALLS);
    while began.elapsed() < how_long {
        ticks.tick().await;
        let key = key.clone();
        calls.spawn(async move {
            let began = Instant::now();
            (began, key.tool("whoami", &json!({})).await.status.as_u16())
        });
    }
    calls.join_all().await
}

/// Revokes a key in the middle of its use on every gateway. Returns when that was answered, and the calls.
async fn revoke_in_use(stack: &Stack, acme: &Organization) -> (Instant, Vec<Seen>) {
    let (id, key) = acme.key_that(json!({ "name": "busy", "scopes": ["skills:read"] })).await;
    let uses = stack.gateways.iter().map(|gateway| use_steadily(key.at(*gateway), 4 * ONE_SECOND));
    let revoke = async {
        tokio::time::sleep(ONE_SECOND).await;
        let revoked = acme.owner.delete(&format!("/v1/keys/{id}")).await.ok();
        assert!(revoked["key"]["revoked_at"].is_string(), "{revoked}");
        Instant::now()
    };
    let (seen, revoked_at) = tokio::join!(join_all(uses), revoke);
    (revoked_at, seen.concat())
}

fn check((revoked_at, seen): &(Instant, Vec<Seen>)) {
    let before =
        seen.iter().filter(|(began, _)| began < revoked_at && began.elapsed() > ONE_SECOND);
    let let_in = before.filter(|(_, status)| *status == 200).count();
    let late = seen.iter().filter(|(began, _)| *began > *revoked_at + ONE_SECOND);
    let late: Vec<u16> = late.map(|(_, status)| *status).collect();
    assert!(let_in > 50, "the key was in use: {let_in}");
    assert!(late.len() > 100, "the key was in use still: {}", late.len());
    assert!(late.iter().all(|status| *status == 401), "{late:?}");
    assert!(seen.iter().all(|(_, status)| [200, 401].contains(status)), "{seen:?}");
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_revoked_key_in_use_stops_on_every_gateway_within_one_second(pool: PgPool) {
    let stack = Stack::laid_out(&pool, Layout::Doubled).await;
    let acme = stack.organization("acme").await;
    check(&revoke_in_use(&stack, &acme).await);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_revoked_key_stops_within_one_second_without_redis_too(pool: PgPool) {
    let redis = Some("redis://127.0.0.1:1".to_owned());
    let stack = Stack::of(&pool, Site { layout: Layout::Doubled, redis, ..Site::default() }).await;
    let acme = stack.organization("acme").await;
    check(&revoke_in_use(&stack, &acme).await);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_key_that_is_not_in_use_stops_too(pool: PgPool) {
    let stack = Stack::laid_out(&pool, Layout::Doubled).await;
    let acme = stack.organization("acme").await;
    let (id, key) = acme.key_that(json!({ "name": "idle", "scopes": ["skills:read"] })).await;
    for gateway in &stack.gateways {
        key.at(*gateway).get("/v1/skills").await.ok();
    }
    acme.owner.delete(&format!("/v1/keys/{id}")).await.ok();
    tokio::time::sleep(ONE_SECOND).await;
    for gateway in &stack.gateways {
        key.at(*gateway).get("/v1/skills").await.failed(401);
    }
}

async fn a_key_is_checked_when_it_is_made(stack: &Stack) {
    let acme = stack.organization("acme").await;
    let make = async |asked: Value| acme.owner.post("/v1/keys", &asked).await;
    for (characters, status) in [(1, 201), (199, 201), (200, 201), (201, 400), (0, 400)] {
        let asked = json!({ "name": EMOJI.repeat(characters), "scopes": ["skills:read"] });
        let reply = make(asked).await;
        assert_eq!(reply.status, status, "{characters}: {}", reply.shown());
    }
    let twice = json!({ "name": "k", "scopes": ["skills:read", "skills:read"] });
    assert_eq!(make(twice).await.created()["key"]["scopes"], json!(["skills:read"]));
    let refusal = async |field: &str, value: Value| {
        let mut asked = json!({ "name": "k", "scopes": ["skills:read"] });
        asked[field] = value;
        make(asked).await.failed(400)
    };
    assert!(refusal("scopes", json!(["skills:fly"])).await.contains("`skills:fly`"));
    assert!(refusal("scopes", json!(["internal:operate"])).await.contains("`internal:operate`"));
    assert!(refusal("scopes", json!([])).await.contains("scope"));
    assert!(refusal("tools", json!(["find_skills", "fly"])).await.contains("`fly`"));
    assert!(refusal("expires_at", json!("2020-01-01T00:00:00Z")).await.contains("2020-01-01"));
    assert!(refusal("expires_at", json!("tomorrow")).await.contains("`tomorrow`"));
    assert!(refusal("expiry", json!(1)).await.contains("`expiry`"));
}

async fn a_key_ends_by_itself(stack: &Stack) {
    let acme = stack.organization("acme").await;
    let ends = clock::Clock::default().now() + Duration::from_secs(2);
    let expires_at = OffsetDateTime::format(ends, &Rfc3339).unwrap();
    let asked = json!({ "name": "k", "scopes": ["skills:read"], "expires_at": expires_at });
    let (_, key) = acme.key_that(asked).await;
    key.get("/v1/skills").await.ok();
    eventually("the key ends", 4 * ONE_SECOND, async || {
        (key.get("/v1/skills").await.status == 401).then_some(())
    })
    .await;
    assert!(clock::Clock::default().now() >= ends);
    key.get("/v1/skills").await.failed(401);
}

async fn a_star_is_every_scope(stack: &Stack) {
    let acme = stack.organization("acme").await;
    let key = acme.key(&["*"]).await;
    let who = key.tool("whoami", &json!({})).await.ok();
    let every: Vec<&str> = access::Scope::all().map(access::Scope::name).collect();
    assert_eq!(who["scopes"], json!(every));
    assert_eq!(who["tools"], Value::Null);
}

async fn a_list_of_tools_hides_the_others(stack: &Stack) {
    let acme = stack.organization("acme").await;
    acme.owner.import(&[Skill::new("tidy")]).await;
    let asked = json!({ "name": "k", "scopes": ["*"], "tools": ["find_*", "whoami"] });
    let (_, key) = acme.key_that(asked).await;
    for era in Era::BOTH {
        assert_eq!(key.mcp(era, "/w/main").connect().await.tools().await, ["find_skills"]);
        let all = key.mcp(era, "/mcp");
        assert_eq!(all.tools().await, ["find_skills", "whoami"]);
        assert!(all.call("find_skills", json!({ "query": "tidy" })).await.is_ok());
        let hidden = all.raw_call("get_skill", json!({ "id": "tidy" })).await.json();
        let none = all.raw_call("fly", json!({ "id": "tidy" })).await.json();
        assert_eq!(hidden["error"]["code"], none["error"]["code"]);
        assert_eq!(hidden["error"]["message"], "unknown tool `get_skill`");
    }
    assert_eq!(key.find("tidy").await, ["tidy"]);
    key.tool("get_skill", &json!({ "id": "tidy" })).await.failed(404);
    for path in ["/v1/skills/tidy", "/v1/skills/tidy/files/SKILL.md", "/v1/keys", "/v1/calls"] {
        key.get(path).await.failed(403);
    }
}

async fn nobody_gives_more_than_they_hold(stack: &Stack) {
    let acme = stack.organization("acme").await;
    let giver = acme.key(&["keys:write", "skills:read"]).await;
    let give = async |scopes: &[&str]| {
        giver.post("/v1/keys", &json!({ "name": "k", "scopes": scopes })).await
    };
    give(&["skills:read", "keys:write"]).await.created();
    assert!(give(&["skills:read", "org:admin"]).await.failed(403).contains("`org:admin`"));
    assert!(give(&["*"]).await.failed(403).contains("`*`"));
}

async fn a_key_is_listed_and_revoked_by_its_own_organization(stack: &Stack) {
    let (acme, bravo) = (stack.organization("acme").await, stack.organization("bravo").await);
    let (id, key) = acme.key_that(json!({ "name": "ci", "scopes": ["skills:read"] })).await;
    let listed = bravo.owner.list_all("/v1/keys", "keys").await;
    assert!(listed.iter().all(|key| key["id"] != *id));
    bravo.owner.delete(&format!("/v1/keys/{id}")).await.failed(404);
    key.get("/v1/skills").await.ok();
    let listed = acme.owner.list_all("/v1/keys", "keys").await;
    assert_eq!(listed.len(), 2);
    assert_eq!((&listed[0]["id"], &listed[0]["revoked_at"]), (&json!(id), &Value::Null));
    let first = acme.owner.delete(&format!("/v1/keys/{id}")).await.ok();
    let again = acme.owner.delete(&format!("/v1/keys/{id}")).await.ok();
    assert_eq!(first["key"]["revoked_at"], again["key"]["revoked_at"]);
}

#[test]
fn the_tests_know_their_redis() {
    assert!(environment::redis_url().starts_with("redis://"));
}
