//! What is away comes back: until then there are honest errors, and nobody has to help.
use std::{
    cell::Cell,
    collections::BTreeMap,
    net::SocketAddr,
    time::{Duration, Instant},
};

use serde_json::json;
use sqlx::PgPool;
use tests::{Client, Layout, Role, Site, Skill, Stack, environment, eventually, relay::Relay};

const DOWN: Duration = Duration::from_secs(3);
const RECOVERY: Duration = Duration::from_secs(20);

/// How often each status was answered, and the last time that one was wrong.
#[derive(Default)]
struct Seen(BTreeMap<u16, usize>);

/// Calls a tool over and over, until it is told to end.
async fn keep_calling(client: &Client, tool: &str, is_over: &Cell<bool>) -> Seen {
    let mut seen = Seen::default();
    let arguments = match tool {
        "find_skills" => json!({ "query": "tidy" }),
        _ => json!({ "id": "tidy" }),
    };
    while !is_over.get() {
        let reply = client.tool(tool, &arguments).await;
        *seen.0.entry(reply.status.as_u16()).or_default() += 1;
        if reply.status != 200 {
            assert_eq!(reply.status, 503, "{}", reply.shown());
            assert!(!reply.shown().contains("127.0.0.1"), "{}", reply.shown());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    seen
}

/// Under load, a service is lost for a while. Calls of `tool` fail in the one right way, and work again.
async fn survives_the_loss_of(pool: &PgPool, role: Role, tool: &str) {
    let mut stack = Stack::laid_out(pool, Layout::Apart).await;
    let owner = stack.organization("acme").await.owner;
    owner.import(&[Skill::new("tidy")]).await;
    let is_over = Cell::new(false);
    let lose = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stack.switch_off(role);
        tokio::time::sleep(DOWN).await;
        stack.switch_on(role).await;
        let back = Instant::now();
        eventually("it works again", RECOVERY, async || {
            let arguments = json!({ "id": "tidy" });
            let arguments =
                if tool == "find_skills" { json!({ "query": "tidy" }) } else { arguments };
            (owner.tool(tool, &arguments).await.status == 200).then_some(())
        })
        .await;
        is_over.set(true);
        back.elapsed()
    };
    let load = async || keep_calling(&owner, tool, &is_over).await;
    let (recovered_in, a, b, c, d) = tokio::join!(lose, load(), load(), load(), load());
    eprintln!("{role:?} was back after {recovered_in:?}");
    let total =
        |status| [&a, &b, &c, &d].iter().filter_map(|seen| seen.0.get(&status)).sum::<usize>();
    assert!(total(200) > 10, "{}", total(200));
    assert!(total(503) > 10, "{}", total(503));
    owner.import(&[Skill::new("another")]).await;
    assert_eq!(owner.find("another").await[0], "another");
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_lost_registry_is_503_until_it_is_back(pool: PgPool) {
    survives_the_loss_of(&pool, Role::Registry, "get_skill").await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_lost_search_is_503_until_it_is_back(pool: PgPool) {
    survives_the_loss_of(&pool, Role::Search, "find_skills").await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_lost_search_keeps_nobody_from_loading_a_skill(pool: PgPool) {
    let mut stack = Stack::laid_out(&pool, Layout::Apart).await;
    let owner = stack.organization("acme").await.owner;
    owner.import(&[Skill::new("tidy")]).await;
    stack.switch_off(Role::Search);
    assert_eq!(owner.get_skill("tidy").await["version"], 1);
    owner.file("tidy", "SKILL.md", "").await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn calls_made_while_the_registry_is_away_for_a_moment_are_recorded_later(pool: PgPool) {
    let mut stack = Stack::laid_out(&pool, Layout::Apart).await;
    let acme = stack.organization("acme").await;
    let (id, key) = acme.key_that(json!({ "name": "k", "scopes": ["skills:read"] })).await;
    key.tool("whoami", &json!({})).await.ok();
    stack.switch_off(Role::Registry);
    let mut answered = 1;
    // The key is remembered for a moment.
    while key.tool("whoami", &json!({})).await.status == 200 {
        answered += 1;
    }
    stack.switch_on(Role::Registry).await;
    eventually("every answered call is recorded", RECOVERY, async || {
        let listed = acme.owner.get("/v1/calls?limit=200").await;
        if listed.status != 200 {
            return None;
        }
        let calls = acme.owner.list_all("/v1/calls", "calls").await;
        let own = calls.iter().filter(|call| call["key_id"] == *id && call["outcome"] == "ok");
        (own.count() == answered).then_some(())
    })
    .await;
}

/// Where Redis is, and its address with another host and port.
async fn relay() -> (Relay, String) {
    let url = environment::redis_url();
    let (before, host) =
        url.rsplit_once('@').unwrap_or(("redis:/", url.trim_start_matches("redis://")));
    let (host, rest) = host.split_once('/').unwrap_or((host, "0"));
    let target: SocketAddr = tokio::net::lookup_host(host).await.unwrap().next().unwrap();
    let relay = Relay::to(target).await;
    let joint = if url.contains('@') { "@" } else { "/" };
    let told = format!("{before}{joint}{}/{rest}", relay.address);
    (relay, told)
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn redis_can_go_and_come_back(pool: PgPool) {
    let (mut relay, url) = relay().await;
    let site = Site { layout: Layout::Doubled, redis: Some(url), ..Site::default() };
    let stack = Stack::of(&pool, site).await;
    let acme = stack.organization("acme").await;
    for step in ["with it", "without it", "with it again"] {
        match step {
            "without it" => relay.cut(),
            "with it again" => relay.mend().await,
            _ => {}
        }
        let (id, key) = acme.key_that(json!({ "name": step, "scopes": ["skills:read"] })).await;
        for gateway in &stack.gateways {
            key.at(*gateway).get("/v1/skills").await.ok();
        }
        let began = Instant::now();
        acme.owner.delete(&format!("/v1/keys/{id}")).await.ok();
        assert!(began.elapsed() < Duration::from_secs(2), "{step}: {:?}", began.elapsed());
        tokio::time::sleep(Duration::from_secs(1)).await;
        for gateway in &stack.gateways {
            key.at(*gateway).get("/v1/skills").await.failed(401);
        }
        acme.owner.import(&[Skill::new("tidy").saying(step)]).await;
    }
}
