//! Keys whose end Redis tells of.
use std::time::Duration;

use gateway::RedisConfig;
use http::StatusCode;
use tokio::time::{sleep, timeout};

use crate::stack::Stack;

const SKILLS: &str = "/v1/skills";

#[expect(clippy::disallowed_methods, reason = "how a test is told of the Redis to use")]
fn url() -> Option<String> {
    let url = std::env::var("LOADOUT_REDIS_URL").ok();
    if url.is_none() {
        eprintln!("skipped: `LOADOUT_REDIS_URL` is not set");
    }
    url
}

#[tokio::test]
async fn a_key_that_redis_tells_of_is_asked_for_again_at_once() {
    let Some(url) = url() else { return };
    let stack = Stack::with(|config| config.redis = Some(RedisConfig { url: url.clone().into() }));
    let key = stack.key(&["skills:read"]);
    let client = redis::Client::open(url).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    sleep(Duration::from_millis(300)).await;
    stack.get(&key, SKILLS).await;
    stack.revoke(&key);
    let told: i64 = redis::cmd("PUBLISH")
        .arg("loadout:keys")
        .arg(key.id.to_string())
        .query_async(&mut connection)
        .await
        .unwrap();
    assert!(told >= 1);
    let refused = async {
        while stack.get(&key, SKILLS).await.status == StatusCode::OK {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_millis(300), refused).await.expect("refused sooner than by its age");
}

#[tokio::test]
async fn a_redis_that_is_away_stops_nobody() {
    let away = RedisConfig { url: "redis://127.0.0.1:1".into() };
    let stack = Stack::with(|config| config.redis = Some(away));
    let key = stack.key(&["skills:read"]);
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
    stack.process.drain().await;
}
