//! A change of a skill, and how soon everybody sees it.
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::json;
use sqlx::PgPool;
use tests::{Client, Era, Layout, Site, Skill, Stack};

const ONE_SECOND: Duration = Duration::from_secs(1);
const BETWEEN_LOADS: Duration = Duration::from_millis(10);

/// Where there is one replica of each, who changes a skill sees it changed.
async fn who_changes_a_skill_loads_the_change(pool: &PgPool, layout: Layout) {
    let stack = Stack::laid_out(pool, layout).await;
    let owner = stack.organization("acme").await.owner;
    owner.import(&[Skill::new("tidy").saying("0")]).await;
    let pinned = owner.mcp(Era::Stateless, "/w/main?tag=prod");
    for round in 1..=5 {
        owner.put("/v1/skills/tidy/tags/prod", &json!({})).await.ok();
        let tagged = pinned.call("get_skill", json!({ "id": "tidy" })).await.unwrap();
        assert_eq!(tagged["version"], round, "{tagged}");
        let said = round.to_string();
        owner.import(&[Skill::new("tidy").saying(&said)]).await;
        let loaded = owner.tool("get_skill", &json!({ "id": "tidy" })).await.ok();
        assert_eq!(loaded["body"], said.as_str(), "{loaded}");
    }
    owner.delete("/v1/skills/tidy/tags/prod").await.ok();
    pinned.call("get_skill", json!({ "id": "tidy" })).await.unwrap_err();
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn in_one_process_who_changes_a_skill_loads_the_change(pool: PgPool) {
    who_changes_a_skill_loads_the_change(&pool, Layout::OneProcess).await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn apart_who_changes_a_skill_loads_the_change(pool: PgPool) {
    who_changes_a_skill_loads_the_change(&pool, Layout::Apart).await;
}

/// When a load began, and which version it gave.
type Seen = (Instant, u64);

/// Loads a skill at one gateway, 100 times a second.
async fn load_steadily(client: Client, how_long: Duration) -> Vec<Seen> {
    let (start, mut seen) = (Instant::now(), Vec::new());
    let mut ticks = tokio::time::interval(BETWEEN_LOADS);
    while start.elapsed() < how_long {
        ticks.tick().await;
        let began = Instant::now();
        let loaded = client.tool("get_skill", &json!({ "id": "tidy" })).await.ok();
        seen.push((began, loaded["version"].as_u64().unwrap()));
    }
    seen
}

/// Changes a skill in the middle of its use on every gateway.
async fn change_in_use(pool: &PgPool, site: Site) {
    let stack = Stack::of(pool, site).await;
    let owner = stack.organization("acme").await.owner;
    owner.import(&[Skill::new("tidy").saying("one")]).await;
    let loads = stack.gateways.iter().map(|at| load_steadily(owner.at(*at), 4 * ONE_SECOND));
    let change = async {
        tokio::time::sleep(ONE_SECOND).await;
        owner.import(&[Skill::new("tidy").saying("two")]).await;
        Instant::now()
    };
    let (seen, changed_at) = tokio::join!(join_all(loads), change);
    for seen in seen {
        assert!(seen.iter().any(|(_, version)| *version == 1), "the first was in use: {seen:?}");
        let late = seen.iter().filter(|(began, _)| *began > changed_at + ONE_SECOND);
        let late: Vec<u64> = late.map(|(_, version)| *version).collect();
        assert!(!late.is_empty() && late.iter().all(|version| *version == 2), "{late:?}");
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_change_in_use_is_seen_on_every_gateway_within_one_second(pool: PgPool) {
    change_in_use(&pool, Site { layout: Layout::Doubled, ..Site::default() }).await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_change_is_seen_within_one_second_without_redis_too(pool: PgPool) {
    let redis = Some("redis://127.0.0.1:1".to_owned());
    change_in_use(&pool, Site { layout: Layout::Doubled, redis, ..Site::default() }).await;
}
