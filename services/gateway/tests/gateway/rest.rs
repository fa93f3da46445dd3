//! REST: what is answered, and what is refused by name.
use axum::body::Body;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    stack::{OPERATOR, Stack, request},
    world::{ODD_PATH, SKILL, SLUG},
};

#[tokio::test]
async fn the_openapi_document_is_as_documented() {
    let stack = Stack::start();
    let reply = stack.send(request(Method::GET, "/v1/openapi.json", None, Body::empty())).await;
    assert_eq!(reply.header("content-type"), "application/json");
    insta::assert_json_snapshot!(reply.json(), { ".info.version" => "[version]" });
}

#[tokio::test]
async fn a_problem_says_what_it_is_and_in_which_request() {
    let stack = Stack::start();
    let mut get = request(Method::GET, "/v1/nowhere", None, Body::empty());
    get.headers_mut().insert("x-request-id", "r-1".parse().unwrap());
    let reply = stack.send(get).await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert_eq!(reply.header("x-request-id"), "r-1");
    insta::assert_json_snapshot!(reply.json());
}

#[tokio::test]
async fn what_is_not_listed_is_not_found() {
    let stack = Stack::start();
    let paths = [
        "/",
        "/v2",
        "/w",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/w/main",
        "/.well-known/oauth-authorization-server",
    ];
    for path in paths {
        let reply = stack.send(request(Method::GET, path, None, Body::empty())).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(reply.detail(), format!("nothing is at `{path}`"));
    }
}

#[tokio::test]
async fn another_method_is_refused_with_those_that_are_there() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    let reply = stack.call(Method::PATCH, &key, "/v1/keys", &json!({})).await;
    assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(reply.header("allow"), "GET,HEAD,POST");
    assert_eq!(reply.detail(), "`/v1/keys` does not answer PATCH");
}

#[tokio::test]
async fn every_tool_is_called_over_rest_too() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let path = "/v1/tools/get_skill?tag=prod";
    let reply = stack.post(&key, path, &json!({ "id": SLUG })).await;
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(reply.json()["version"], 1);
    let order: Vec<_> = reply.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(order, ["id", "version", "name", "body", "files"]);
}

#[tokio::test]
async fn a_tool_that_fails_over_rest_has_its_own_status() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let call = async |path: &str, body: Value| {
        let reply = stack.post(&key, path, &body).await;
        (reply.status.as_u16(), reply.detail())
    };
    let missing = call("/v1/tools/get_skill", json!({ "id": "none" })).await;
    assert_eq!(missing, (404, "no skill `none`".into()));
    let unknown = call("/v1/tools/fly", json!({})).await;
    assert_eq!(unknown, (404, "unknown tool `fly`".into()));
    assert_eq!(call("/v1/tools/get_skill", json!({ "i": 1 })).await.0, 400);
    assert_eq!(call("/v1/tools/get_skill?tags=x", json!({})).await.0, 400);
    assert_eq!(call("/v1/tools/get_skill", json!([1])).await.0, 400);
    stack.world.state().is_away = true;
    assert_eq!(call("/v1/tools/get_skill", json!({ "id": SLUG })).await.0, 503);
}

#[tokio::test]
async fn skills_are_listed_page_by_page() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let reply = stack.get(&key, "/v1/skills?cursor=c%20d&limit=200&tag=prod").await.json();
    assert_eq!(reply["next_cursor"], "after c d 200");
    assert_eq!(reply["skills"][0]["version"], 1);
    for limit in ["0", "201", "-1", "x"] {
        let reply = stack.get(&key, &format!("/v1/skills?limit={limit}")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{limit}");
        assert!(reply.detail().contains("limit"), "{reply:?}");
    }
    let reply = stack.get(&key, "/v1/skills?sort=name").await;
    assert!(reply.detail().starts_with("unknown parameter `sort`, expected one of `cursor`"));
}

#[tokio::test]
async fn a_skill_is_got_with_all_that_is_known_of_it() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let reply = stack.get(&key, &format!("/v1/skills/{SLUG}?version=1")).await;
    insta::assert_json_snapshot!(reply.json());
    let both = stack.get(&key, &format!("/v1/skills/{SLUG}?version=1&tag=prod")).await;
    assert_eq!(both.detail(), "`tag` and `version` name two revisions, give one");
}

#[tokio::test]
async fn a_file_is_sent_as_it_is_and_never_as_a_page() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let types = [
        ("run.sh", "text/plain; charset=utf-8", "script", ""),
        ("SKILL.md", "text/markdown; charset=utf-8", "doc", ""),
        ("logo.png", "application/octet-stream", "asset", "attachment"),
    ];
    for (path, media, kind, disposition) in types {
        let reply = stack.get(&key, &format!("/v1/skills/{SKILL}/files/{path}?tag=prod")).await;
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(reply.header("content-type"), media);
        assert_eq!(reply.header("content-disposition"), disposition);
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("x-loadout-kind"), kind);
        assert_eq!(reply.header("x-loadout-version"), "1");
    }
    let reply = stack.get(&key, &format!("/v1/skills/{SKILL}/files/logo.png")).await;
    assert_eq!(&reply.body[..], b"\x89PNG\xff");
}

#[tokio::test]
async fn a_path_is_decoded_exactly_once() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let encoded = "references/a%20b%3F%23%252F%C3%A9e%CC%81.md";
    let get = async |path: &str| stack.get(&key, &format!("/v1/skills/{SLUG}/files/{path}")).await;
    assert_eq!(&get(encoded).await.body[..], b"# Odd");
    assert_eq!(&get(&encoded.replacen('/', "%2F", 1)).await.body[..], b"# Odd");
    for other in [encoded.replace("%252F", "%2F"), encoded.replace("%C3%A9", "e%CC%81")] {
        assert_eq!(get(&other).await.status, StatusCode::NOT_FOUND, "{ODD_PATH} is not {other}");
    }
    assert_eq!(get("%FF").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(get("../../keys").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_file_that_the_client_has_is_not_sent_again() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let path = format!("/v1/skills/{SLUG}/files/run.sh");
    let etag = stack.get(&key, &path).await.header("etag").to_owned();
    let mut again = request(Method::GET, &path, Some(&key.text), Body::empty());
    again.headers_mut().insert("if-none-match", etag.parse().unwrap());
    let reply = stack.send(again).await;
    assert_eq!(reply.status, StatusCode::NOT_MODIFIED);
    assert!(reply.body.is_empty());
    assert_eq!(reply.header("etag"), etag);
}

#[tokio::test]
async fn a_tag_is_set_and_removed() {
    let stack = Stack::start();
    let key = stack.key(&["skills:write"]);
    let path = format!("/v1/skills/{SLUG}/tags/prod");
    let set = stack.call(Method::PUT, &key, &path, &json!({ "version": 2 })).await.json();
    assert_eq!(set["tag"], json!({ "name": "prod", "version": 2 }));
    let mut bare = request(Method::PUT, &path, Some(&key.text), Body::empty());
    bare.headers_mut().remove("content-type");
    assert_eq!(stack.send(bare).await.json()["tag"]["version"], 0);
    let removed = stack.call(Method::DELETE, &key, &path, &json!({})).await.json();
    assert_eq!(removed["removed"], true);
    let wrong = stack.call(Method::PUT, &key, &path, &json!({ "revision": 2 })).await;
    assert_eq!(wrong.detail(), "unknown field `revision`, expected `version`");
}

#[tokio::test]
async fn every_route_asks_the_service_with_the_callers_own_scopes() {
    let stack = Stack::start();
    let key = stack.key(&["components:read"]);
    let routes = [
        (Method::GET, "/v1/skills", "skills:read"),
        (Method::GET, "/v1/skills/x", "skills:read"),
        (Method::GET, "/v1/skills/x/files/y", "skills:read"),
        (Method::PUT, "/v1/skills/x/tags/y", "skills:write"),
        (Method::DELETE, "/v1/skills/x/tags/y", "skills:write"),
        (Method::GET, "/v1/keys", "keys:write"),
        (Method::DELETE, "/v1/keys/x", "keys:write"),
        (Method::GET, "/v1/workspaces", "org:admin"),
        (Method::GET, "/v1/calls", "analytics:read"),
    ];
    for (method, path, scope) in routes {
        let reply = stack.call(method, &key, path, &json!({})).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(reply.detail(), format!("this key lacks the scope `{scope}`"));
    }
}

#[tokio::test]
async fn a_key_that_is_limited_to_tools_reads_nothing_else_by_other_addresses() {
    let stack = Stack::start();
    let key = stack.key_that(&["*"], |key| key.tools = vec!["get_skill".into(), "get_x*".into()]);
    let status = async |path: &str| stack.get(&key, path).await.status;
    assert_eq!(status(&format!("/v1/skills/{SLUG}")).await, StatusCode::OK);
    let refused = ["/v1/skills", "/v1/skills/x/files/y", "/v1/keys", "/v1/calls", "/v1/workspaces"];
    for path in refused {
        assert_eq!(status(path).await, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn a_key_is_made_with_what_was_asked_for() {
    let stack = Stack::start();
    let owner = stack.key(&["*"]);
    let body = json!({
        "name": "🔑".repeat(200), "scopes": ["skills:read"], "tools": ["get_*"],
        "expires_at": "2031-01-01T02:00:00+02:00",
    });
    let reply = stack.post(&owner, "/v1/keys", &body).await;
    assert_eq!(reply.status, StatusCode::CREATED);
    assert_eq!(reply.json()["secret"], "lo_shown_once");
    let made = stack.world.state().made_keys.pop().unwrap();
    assert_eq!((made.tools, made.workspace), (vec!["get_*".to_owned()], String::new()));
    assert_eq!(made.expires_at.unwrap().seconds, 1_924_992_000);
}

#[tokio::test]
async fn a_body_that_is_not_as_documented_is_refused_by_name() {
    let stack = Stack::start();
    let owner = stack.key(&["*"]);
    let cases = [
        (json!({ "name": "k" }), "missing field `scopes`"),
        (json!({ "name": "k", "scopes": [], "owner": 1 }), "unknown field `owner`"),
        (json!({ "name": 1, "scopes": [] }), "`name`: invalid type"),
        (json!({ "name": "k", "scopes": [1] }), "`scopes[0]`: invalid type"),
        (json!({ "name": "k", "scopes": [], "tools": ["fly"] }), "`tools` names `fly`, no tool"),
        (json!({ "name": "k", "scopes": [], "expires_at": "now" }), "`expires_at` is `now`"),
    ];
    for (body, expected) in cases {
        let reply = stack.post(&owner, "/v1/keys", &body).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST);
        assert!(reply.detail().starts_with(expected), "{reply:?}");
    }
}

#[tokio::test]
async fn a_body_has_at_most_4_mebibytes() {
    let stack = Stack::start();
    let owner = stack.key(&["*"]);
    let send = async |bytes: usize| {
        let body = format!("{{{}}}", " ".repeat(bytes - 2));
        let post = request(Method::POST, "/v1/tools/whoami", Some(&owner.text), Body::from(body));
        stack.send(post).await
    };
    assert_eq!(send((4 << 20) - 1).await.status, StatusCode::OK);
    assert_eq!(send(4 << 20).await.status, StatusCode::OK);
    let over = send((4 << 20) + 1).await;
    assert_eq!(over.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(over.detail().ends_with("allowed are at most 4194304"), "{over:?}");
}

#[tokio::test]
async fn the_operator_makes_an_organization() {
    let stack = Stack::start();
    let body = Body::from(json!({ "slug": "acme" }).to_string());
    let reply = stack.send(request(Method::POST, "/v1/organizations", Some(OPERATOR), body)).await;
    assert_eq!(reply.status, StatusCode::CREATED);
    let body = Body::from(json!({ "slug": "acme", "plan": "gold" }).to_string());
    let reply = stack.send(request(Method::POST, "/v1/organizations", Some(OPERATOR), body)).await;
    assert!(reply.detail().starts_with("unknown field `plan`"));
}
