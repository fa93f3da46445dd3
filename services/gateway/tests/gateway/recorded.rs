//! Account of every call.
use std::time::Duration;

use contract::registry::Call;
use futures::future::join_all;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::{
    stack::{Shown, Stack},
    world::{SKILL, SLUG, revision},
};

/// The calls that the registry was told of.
async fn recorded(stack: &Stack) -> Vec<Call> {
    sleep(Duration::from_secs(2)).await;
    let state = stack.world.state();
    state.batches.iter().flat_map(|(_, calls)| calls.clone()).collect()
}

async fn whoami(stack: &Stack, key: &Shown) {
    stack.tool(key, "/mcp", "whoami", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_recorded_with_all_that_is_known_of_it() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let arguments = json!({ "id": SLUG, "path": "run.sh" });
    stack.tool(&key, "/w/main?tag=prod", "get_skill_file", arguments).await;
    let calls = recorded(&stack).await;
    let [call] = &calls[..] else { panic!("{calls:?}") };
    assert!(call.id.starts_with("cal_"));
    assert_eq!(call.at.unwrap().seconds, stack.clock.now().unix_timestamp());
    assert_eq!([&call.tool, &call.surface, &call.outcome], ["get_skill_file", "mcp", "ok"]);
    assert_eq!(call.key_id, key.id.to_string());
    assert_eq!(call.skill_id.as_deref(), Some(SKILL));
    assert_eq!(call.revision_id.as_ref(), Some(&revision(1)));
    assert_eq!([&call.path, &call.tag].map(Option::as_deref), [Some("run.sh"), Some("prod")]);
    let callers: Vec<_> = stack.world.state().batches.iter().map(|(c, _)| c.org).collect();
    assert_eq!(callers, [key.org]);
}

#[tokio::test(start_paused = true)]
async fn a_search_is_recorded_with_its_query_and_what_it_showed() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let arguments = json!({ "query": "ü".repeat(1_001), "limit": 2 });
    stack.post(&key, "/v1/tools/find_skills", &arguments).await;
    let call = recorded(&stack).await.pop().unwrap();
    assert_eq!(call.surface, "rest");
    assert_eq!(call.query.unwrap(), "ü".repeat(1_000));
    assert_eq!(call.shown_skill_ids, ["97", "98"].map(|n| format!("skl_{n:0>32}")));
}

#[tokio::test(start_paused = true)]
async fn reading_a_skill_over_rest_is_recorded_as_the_tool_that_reads_it() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    stack.get(&key, &format!("/v1/skills/{SLUG}?tag=prod")).await;
    stack.get(&key, &format!("/v1/skills/{SLUG}/files/run.sh")).await;
    stack.get(&key, "/v1/skills").await;
    let calls = recorded(&stack).await;
    let tools: Vec<_> = calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["get_skill", "get_skill_file", "list_skills"]);
    assert_eq!(calls[0].tag.as_deref(), Some("prod"));
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_recorded_as_the_way_it_failed() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    stack.tool(&key, "/mcp", "get_skill", json!({ "id": "none" })).await;
    stack.tool(&key, "/mcp", "get_skill", json!({ "x": 1 })).await;
    stack.tool(&key, "/mcp", "no_tool", json!({})).await;
    let calls = recorded(&stack).await;
    let outcomes: Vec<_> = calls.iter().map(|call| call.outcome.as_str()).collect();
    assert_eq!(outcomes, ["not_found", "invalid", "unknown_tool"]);
    assert_eq!(calls[2].tool, "no_tool");
}

#[tokio::test(start_paused = true)]
async fn calls_are_sent_together_each_organizations_apart() {
    let stack = Stack::start();
    let (one, other) = (stack.key(&[]), stack.key(&[]));
    for _ in 0..5 {
        whoami(&stack, &one).await;
        whoami(&stack, &other).await;
    }
    assert_eq!(recorded(&stack).await.len(), 10);
    let state = stack.world.state();
    for (caller, calls) in &state.batches {
        let key = if caller.org == one.org { &one } else { &other };
        assert!(calls.iter().all(|call| call.key_id == key.id.to_string()));
    }
    assert!(state.batches.len() <= 4, "{}", state.batches.len());
}

#[tokio::test(start_paused = true)]
async fn while_the_registry_is_away_calls_are_kept_and_sent_later() {
    let stack = Stack::start();
    let key = stack.key(&[]);
    stack.world.state().refuse_batches = true;
    for _ in 0..3 {
        whoami(&stack, &key).await;
        sleep(Duration::from_secs(1)).await;
    }
    assert!(recorded(&stack).await.is_empty());
    stack.world.state().refuse_batches = false;
    sleep(Duration::from_secs(10)).await;
    assert_eq!(recorded(&stack).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_request_to_the_registry_carries_at_most_1000_calls() {
    let stack = Stack::start();
    let key = stack.key(&[]);
    stack.world.state().refuse_batches = true;
    for _ in 0..25 {
        join_all((0..100).map(|_| whoami(&stack, &key))).await;
        sleep(Duration::from_millis(100)).await;
    }
    stack.world.state().refuse_batches = false;
    sleep(Duration::from_secs(20)).await;
    assert_eq!(recorded(&stack).await.len(), 2_500);
    assert!(stack.world.state().batches.iter().all(|(_, calls)| calls.len() <= 1_000));
}

#[tokio::test]
async fn a_shutdown_loses_no_call() {
    let stack = Stack::start();
    let key = stack.key(&[]);
    join_all((0..700).map(|_| whoami(&stack, &key))).await;
    stack.process.drain().await;
    let state = stack.world.state();
    assert_eq!(state.batches.iter().map(|(_, calls)| calls.len()).sum::<usize>(), 700);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_is_recorded_too() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    stack.world.state().skill_delay = Duration::from_secs(1);
    let arguments = json!({ "id": SLUG });
    let call = stack.post(&key, "/v1/tools/get_skill", &arguments);
    timeout(Duration::from_millis(100), call).await.unwrap_err();
    let call = recorded(&stack).await.pop().unwrap();
    assert_eq!((call.outcome.as_str(), call.duration_us), ("cancelled", 100_000));
}
