//! What the gateway answers from what the registry sent it a moment ago.
use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::json;

use crate::{
    stack::{Shown, Stack},
    world::SLUG,
};

impl Stack {
    /// Loads the skill, and returns how often the registry has been asked for it so far.
    async fn load(&self, key: &Shown) -> usize {
        let loaded = self.tool(key, "/w/main", "get_skill", json!({ "id": SLUG })).await;
        assert_eq!(loaded["result"]["isError"], false, "{loaded}");
        self.world.state().asked_for_skill.len()
    }
}

fn in_a_state() -> Stack {
    let stack = Stack::start();
    stack.world.state().as_of.push_str("a.1");
    stack
}

#[tokio::test]
async fn a_registry_that_just_answered_is_not_asked_again() {
    let stack = in_a_state();
    let key = stack.key(&["skills:read"]);
    assert_eq!(stack.load(&key).await, 1);
    assert_eq!(stack.load(&key).await, 1);
    tokio::time::sleep(Duration::from_millis(450)).await;
    assert_eq!(stack.load(&key).await, 2);
    let asked = stack.world.state().asked_for_skill.clone();
    assert_eq!(asked[0].known_revision_id, None);
    assert!(asked[1].known_revision_id.is_some(), "{asked:?}");
}

#[tokio::test]
async fn a_registry_that_knows_of_no_state_is_asked_each_time() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    assert_eq!(stack.load(&key).await, 1);
    assert_eq!(stack.load(&key).await, 2);
}

#[tokio::test]
async fn another_organization_is_answered_its_own() {
    let stack = in_a_state();
    let (key, other) = (stack.key(&["skills:read"]), stack.key(&["skills:read"]));
    assert_ne!(key.org, other.org);
    assert_eq!(stack.load(&key).await, 1);
    assert_eq!(stack.load(&other).await, 2);
}

#[tokio::test]
async fn after_a_change_through_the_gateway_the_registry_is_asked() {
    let stack = in_a_state();
    let key = stack.key(&["skills:read", "skills:write"]);
    assert_eq!(stack.load(&key).await, 1);
    let path = format!("/v1/skills/{SLUG}/tags/prod");
    let set = stack.call(Method::PUT, &key, &path, &json!({})).await;
    assert_eq!(set.status, StatusCode::OK, "{set:?}");
    assert_eq!(stack.load(&key).await, 2);
}

#[tokio::test]
async fn a_key_that_ended_gets_nothing_of_what_is_kept() {
    let stack = in_a_state();
    let key = stack.key(&["skills:read"]);
    stack.load(&key).await;
    stack.revoke(&key);
    tokio::time::sleep(Duration::from_millis(900)).await;
    let refused = stack.rpc(&key, "/w/main", "tools/list", json!({})).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert_eq!(stack.world.state().asked_for_skill.len(), 1);
}
