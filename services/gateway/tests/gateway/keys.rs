//! Who is let in, and for how long.
use std::time::Duration;

use access::KeyText;
use axum::body::Body;
use futures::future::join_all;
use http::{Method, StatusCode};
use ids::KeyId;
use tokio::time::{Instant, advance, sleep};

use crate::stack::{OPERATOR, Stack, request};

const SKILLS: &str = "/v1/skills";

#[tokio::test]
async fn no_address_answers_without_a_key() {
    let stack = Stack::start();
    let document = stack.send(request(Method::GET, "/v1/openapi.json", None, Body::empty())).await;
    let mut addresses: Vec<_> = ["/mcp", "/mcp/", "/w/main", "/w/main/", "/w/nowhere"]
        .map(|path| (Method::POST, path.to_owned()))
        .into();
    for (path, item) in document.json()["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().keys().map(|method| method.to_uppercase());
        let path = path.replace(['{', '}'], "");
        addresses.extend(methods.map(|method| (method.parse().unwrap(), path.clone())));
    }
    addresses.retain(|(_, path)| path != "/v1/openapi.json");
    assert!(addresses.len() > 20);
    for (method, path) in addresses {
        let reply = stack.send(request(method, &path, None, Body::empty())).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(reply.header("www-authenticate"), r#"Bearer realm="loadout""#, "{path}");
        assert!(reply.detail().starts_with("no API key"));
    }
}

#[tokio::test]
async fn a_key_that_is_none_is_an_invalid_token() {
    let stack = Stack::start();
    let unknown = KeyText::make(KeyId::new()).unwrap().reveal();
    for text in ["", "lo_x", "swordfish", &unknown] {
        let reply = stack.send(request(Method::GET, SKILLS, Some(text), Body::empty())).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
        assert!(reply.header("www-authenticate").ends_with(r#"error="invalid_token""#));
    }
}

#[tokio::test]
async fn a_key_is_taken_from_either_header() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let mut other = request(Method::GET, SKILLS, None, Body::empty());
    other.headers_mut().insert("x-api-key", key.text.parse().unwrap());
    assert_eq!(stack.send(other).await.status, StatusCode::OK);
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_known_id_with_another_secret_is_refused() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
    let forged = KeyText::make(key.id).unwrap().reveal();
    let reply = stack.send(request(Method::GET, SKILLS, Some(&forged), Body::empty())).await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_warm_key_is_not_asked_for_again() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    stack.get(&key, SKILLS).await;
    advance(Duration::from_millis(399)).await;
    stack.get(&key, SKILLS).await;
    tokio::task::yield_now().await;
    assert_eq!(stack.world.state().verified, 1);
}

#[tokio::test(start_paused = true)]
async fn a_key_in_use_is_renewed_beside_its_calls_which_never_wait() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    stack.get(&key, SKILLS).await;
    stack.world.state().delay = Duration::from_millis(100);
    for _ in 0..30 {
        advance(Duration::from_millis(100)).await;
        let began = Instant::now();
        assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
    assert!((6..=8).contains(&stack.world.state().verified));
}

#[tokio::test(start_paused = true)]
async fn a_revoked_key_is_refused_within_a_second_although_nobody_tells() {
    for delay in [0, 100, 850] {
        let stack = Stack::start();
        let key = stack.key(&["skills:read"]);
        stack.get(&key, SKILLS).await;
        stack.world.state().delay = Duration::from_millis(delay);
        sleep(Duration::from_millis(700)).await;
        stack.get(&key, SKILLS).await;
        stack.revoke(&key);
        let revoked_at = Instant::now();
        let mut last_let_in = Duration::ZERO;
        while revoked_at.elapsed() < Duration::from_secs(4) {
            let asked_at = revoked_at.elapsed();
            if stack.get(&key, SKILLS).await.status == StatusCode::OK {
                last_let_in = asked_at;
            }
            sleep(Duration::from_millis(7)).await;
        }
        assert!(last_let_in < Duration::from_secs(1), "{last_let_in:?} at {delay}");
    }
}

#[tokio::test(start_paused = true)]
async fn many_first_calls_ask_for_their_key_once() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    stack.world.state().delay = Duration::from_millis(50);
    let replies = join_all((0..100).map(|_| stack.get(&key, SKILLS))).await;
    assert!(replies.iter().all(|reply| reply.status == StatusCode::OK));
    assert_eq!(stack.world.state().verified, 1);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_is_not_asked_for_again_at_once() {
    let stack = Stack::start();
    let unknown = KeyText::make(KeyId::new()).unwrap().reveal();
    let ask = async || {
        stack.send(request(Method::GET, SKILLS, Some(&unknown), Body::empty())).await.status
    };
    for _ in 0..5 {
        assert_eq!(ask().await, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(stack.world.state().verified, 1);
    advance(Duration::from_millis(800)).await;
    ask().await;
    assert_eq!(stack.world.state().verified, 2);
}

#[tokio::test(start_paused = true)]
async fn a_key_expires_by_the_clock_also_when_it_is_warm() {
    let stack = Stack::start();
    let end = stack.clock.now().unix_timestamp() + 10;
    let ends = prost_types::Timestamp { seconds: end, nanos: 0 };
    let key = stack.key_that(&["skills:read"], |key| key.expires_at = Some(ends));
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
    stack.clock.advance(Duration::from_millis(9_999));
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::OK);
    stack.clock.advance(Duration::from_millis(1));
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(start_paused = true)]
async fn while_the_registry_is_away_a_warm_key_serves_as_long_as_its_answer() {
    let stack = Stack::start();
    let key = stack.key(&[]);
    let whoami = async || stack.post(&key, "/v1/tools/whoami", &serde_json::json!({})).await;
    assert_eq!(whoami().await.status, StatusCode::OK);
    stack.world.state().is_away = true;
    advance(Duration::from_millis(799)).await;
    assert_eq!(whoami().await.status, StatusCode::OK);
    advance(Duration::from_millis(1)).await;
    let reply = whoami().await;
    assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(reply.header("retry-after"), "1");
    stack.world.state().is_away = false;
    assert_eq!(whoami().await.status, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_ended_here_is_refused_here_at_once() {
    let stack = Stack::start();
    let (owner, key) = (stack.key(&["*"]), stack.key(&["skills:read"]));
    stack.get(&key, SKILLS).await;
    let path = format!("/v1/keys/{}", key.id);
    let reply = stack.call(Method::DELETE, &owner, &path, &serde_json::json!({})).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(stack.get(&key, SKILLS).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_operator_alone_makes_organizations() {
    let stack = Stack::start();
    let owner = stack.key(&["*"]);
    let list = async |token: &str| {
        stack.send(request(Method::GET, "/v1/organizations", Some(token), Body::empty())).await
    };
    assert_eq!(list(OPERATOR).await.status, StatusCode::OK);
    for token in [&owner.text, "", "the operator's own toke", "the operator's own token2"] {
        assert_eq!(list(token).await.status, StatusCode::UNAUTHORIZED, "{token}");
    }
}

#[tokio::test]
async fn without_an_operator_there_are_no_organizations_to_make() {
    let stack = Stack::with(|_| {});
    let ask = async |method, path| stack.send(request(method, path, None, Body::empty())).await;
    for method in [Method::GET, Method::POST, Method::PUT] {
        let (hidden, unknown) = (
            ask(method.clone(), "/v1/organizations").await,
            ask(method, "/v1/organisations").await,
        );
        assert_eq!(hidden.status, StatusCode::NOT_FOUND);
        assert_eq!(unknown.detail(), hidden.detail().replace("zations", "sations"));
    }
}
