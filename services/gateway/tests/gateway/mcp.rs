//! What an agent sees and gets over MCP.
use axum::body::Body;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    stack::{Reply, Stack, request},
    world::{ODD_PATH, SKILL, SLUG},
};

fn names(list: &Reply) -> Vec<String> {
    let list = list.json();
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// What went wrong with a tool, as the agent reads it.
fn failure(answer: &Value) -> String {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

fn object(answer: &Value) -> &Value {
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let object = &answer["result"]["structuredContent"];
    assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), object);
    object
}

#[tokio::test]
async fn a_workspace_shows_exactly_three_tools_whatever_the_key_allows() {
    let stack = Stack::start();
    for scopes in [&["skills:read"][..], &["*"]] {
        let key = stack.key(scopes);
        let list = stack.rpc(&key, "/w/main", "tools/list", json!({})).await;
        assert_eq!(names(&list), ["find_skills", "get_skill", "get_skill_file"]);
    }
}

#[tokio::test]
async fn the_list_of_tools_is_as_documented() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    let list = stack.rpc(&key, "/mcp", "tools/list", json!({})).await;
    insta::assert_json_snapshot!(list.json()["result"]);
}

#[tokio::test]
async fn a_key_without_the_scope_sees_and_calls_none_of_a_scopes_tools() {
    let stack = Stack::start();
    let key = stack.key(&["skills:write"]);
    let list = stack.rpc(&key, "/mcp", "tools/list", json!({})).await;
    assert_eq!(names(&list), ["whoami"]);
    let list = stack.rpc(&key, "/w/main", "tools/list", json!({})).await;
    assert!(names(&list).is_empty());
    for name in ["find_skills", "get_skill", "get_skill_file"] {
        let answer = stack.tool(&key, "/mcp", name, json!({})).await;
        let unknown = stack.tool(&key, "/mcp", "no_tool", json!({})).await;
        assert_eq!(answer["error"]["message"], format!("unknown tool `{name}`"));
        assert_eq!(answer["error"]["code"], unknown["error"]["code"]);
    }
}

#[tokio::test]
async fn a_tool_of_the_organization_is_no_tool_of_the_workspace() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    let answer = stack.tool(&key, "/w/main", "whoami", json!({})).await;
    assert_eq!(answer["error"]["message"], "unknown tool `whoami`");
}

#[tokio::test]
async fn another_workspace_looks_as_if_it_did_not_exist() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    for slug in ["other", "MAIN", "main%20", "%6dain2"] {
        let reply = stack.rpc(&key, &format!("/w/{slug}"), "tools/list", json!({})).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
        assert!(reply.detail().ends_with("` for this key"), "{reply:?}");
    }
}

#[tokio::test]
async fn an_address_with_a_slash_at_its_end_is_the_same() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    for address in ["/w/main/", "/w/%6dain", "/mcp/"] {
        let reply = stack.rpc(&key, address, "tools/list", json!({})).await;
        assert_eq!(reply.status, StatusCode::OK, "{address}");
    }
}

#[tokio::test]
async fn a_parameter_that_the_address_does_not_know_is_refused_by_name() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    for address in ["/w/main?toolsets=a", "/mcp?toolsets=a", "/mcp?tag=prod&toolsets=b"] {
        let reply = stack.rpc(&key, address, "tools/list", json!({})).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST);
        assert_eq!(reply.detail(), "unknown parameter `toolsets`, expected `tag`");
    }
    let twice = stack.rpc(&key, "/mcp?tag=a&tag=b", "tools/list", json!({})).await;
    assert_eq!(twice.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_tag_that_is_none_is_refused() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    for tag in ["", "Prod", "1", "a%20b", &"a".repeat(65)] {
        let reply = stack.rpc(&key, &format!("/w/main?tag={tag}"), "tools/list", json!({})).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{tag}");
        assert!(reply.detail().contains("is no tag"), "{reply:?}");
    }
}

#[tokio::test]
async fn only_post_is_answered() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    for (method, path) in [(Method::GET, "/w/main"), (Method::DELETE, "/mcp")] {
        let reply = stack.send(request(method, path, Some(&key.text), Body::empty())).await;
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(reply.header("allow"), "POST");
    }
}

#[tokio::test]
async fn a_strange_host_or_origin_is_refused() {
    let stack =
        Stack::with(|config| config.allowed_origins = vec!["https://app.example.com:*".into()]);
    let key = stack.key(&["*"]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let send = async |name: &'static str, value: &str| {
        let mut post = request(Method::POST, "/mcp", Some(&key.text), Body::from(list.clone()));
        post.headers_mut().insert(name, value.parse().unwrap());
        stack.send(post).await.status
    };
    for host in ["localhost", "127.0.0.1:1", "[::1]:8080", "loadout.example.com"] {
        assert_eq!(send("host", host).await, StatusCode::OK, "{host}");
    }
    assert_eq!(send("host", "evil.example.com").await, StatusCode::FORBIDDEN);
    let fine = ["http://localhost:3000", "https://loadout.example.com", "https://app.example.com"];
    for origin in fine {
        assert_eq!(send("origin", origin).await, StatusCode::OK, "{origin}");
    }
    for origin in ["https://evil.example.com", "http://loadout.example.com", "null"] {
        assert_eq!(send("origin", origin).await, StatusCode::FORBIDDEN, "{origin}");
    }
}

#[tokio::test]
async fn a_request_has_at_most_4_mebibytes() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    let send = async |bytes: usize, says_so: bool| {
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let body = message.to_owned() + &" ".repeat(bytes - message.len());
        let mut post = request(Method::POST, "/mcp", Some(&key.text), Body::from(body));
        if says_so {
            post.headers_mut().insert("content-length", bytes.into());
        }
        stack.send(post).await
    };
    for says_so in [true, false] {
        assert_eq!(send((4 << 20) - 1, says_so).await.status, StatusCode::OK);
        assert_eq!(send(4 << 20, says_so).await.status, StatusCode::OK);
        let over = send((4 << 20) + 1, says_so).await;
        assert_eq!(over.status, StatusCode::PAYLOAD_TOO_LARGE);
    }
    let over = send((4 << 20) + 1, true).await.detail();
    assert_eq!(over, "the request has 4194305 bytes, allowed are at most 4194304");
}

#[tokio::test]
async fn both_eras_of_the_protocol_are_served() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = json!({ "name": "c", "version": "1" });
        let hello = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let reply = stack.rpc(&key, "/w/main", "initialize", hello).await.json();
        assert_eq!(reply["result"]["protocolVersion"], version);
        assert!(reply["result"]["instructions"].as_str().unwrap().contains("`find_skills`"));
        assert_eq!(reply["result"]["serverInfo"]["name"], "loadout");
    }
    let prefix = "io.modelcontextprotocol";
    let meta = json!({
        format!("{prefix}/protocolVersion"): "2026-07-28",
        format!("{prefix}/clientInfo"): { "name": "c", "version": "1" },
        format!("{prefix}/clientCapabilities"): {},
    });
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let mut post = request(Method::POST, "/mcp", Some(&key.text), Body::from(message.to_string()));
    post.headers_mut().insert("mcp-protocol-version", "2026-07-28".parse().unwrap());
    post.headers_mut().insert("mcp-method", "tools/list".parse().unwrap());
    let reply = stack.send(post).await.json();
    assert_eq!(reply["result"]["cacheScope"], "private", "{reply}");
}

#[tokio::test]
async fn skills_are_found_best_first_without_those_that_are_gone() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let arguments = json!({ "query": "  tidy my desk ", "limit": 3 });
    let answer = stack.tool(&key, "/w/main", "find_skills", arguments).await;
    insta::assert_json_snapshot!(object(&answer));
    let searched = stack.world.state().searched.pop().unwrap();
    assert_eq!((searched.query.as_str(), searched.label.as_str()), ("tidy my desk", ""));
}

#[tokio::test]
async fn a_limit_is_1_to_50_and_10_without_one() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let find = async |arguments| stack.tool(&key, "/mcp", "find_skills", arguments).await;
    let count = |answer: &Value| object(answer)["results"].as_array().unwrap().len();
    assert_eq!(count(&find(json!({ "query": "x" })).await), 10);
    for limit in [1, 50] {
        assert_eq!(count(&find(json!({ "query": "x", "limit": limit })).await), limit);
    }
    for limit in [0, 51, -1] {
        let answer = find(json!({ "query": "x", "limit": limit })).await;
        assert_eq!(failure(&answer), format!("`limit` is {limit}, allowed are 1 to 50"));
    }
    let answer = find(json!({ "query": "x", "limit": "ten" })).await;
    assert_eq!(failure(&answer), "`limit`: invalid type: string \"ten\", expected an integer");
}

#[tokio::test]
async fn a_query_has_1_to_8000_characters_between_its_spaces() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let find = async |query: &str| {
        stack.tool(&key, "/mcp", "find_skills", json!({ "query": query })).await
    };
    for length in [1, 8_000] {
        object(&find(&format!(" {} ", "ü".repeat(length))).await);
    }
    for (query, length) in [(String::new(), 0), ("  \n".into(), 0), ("ü".repeat(8_001), 8_001)] {
        let expected = format!("`query` has {length} characters, allowed are 1 to 8000");
        assert_eq!(failure(&find(&query).await), expected);
    }
}

#[tokio::test]
async fn arguments_that_are_unknown_or_missing_are_named() {
    let stack = Stack::start();
    let key = stack.key(&["*"]);
    let cases = [
        (
            "find_skills",
            json!({ "query": "x", "top": 1 }),
            "unknown argument `top`; the arguments are `query`, `limit`",
        ),
        ("find_skills", json!({}), "missing argument `query`"),
        (
            "get_skill",
            json!({ "name": "x" }),
            "unknown argument `name`; the arguments are `id`, `version`",
        ),
        ("get_skill_file", json!({ "id": "x" }), "missing argument `path`"),
        ("whoami", json!({ "a": 1 }), "unknown argument `a`; the arguments are none"),
    ];
    for (tool, arguments, expected) in cases {
        assert_eq!(failure(&stack.tool(&key, "/mcp", tool, arguments).await), expected);
    }
}

#[tokio::test]
async fn a_skill_is_got_by_id_or_slug_in_the_version_asked_for() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let get = async |address: &str, arguments| {
        let answer = stack.tool(&key, address, "get_skill", arguments).await;
        object(&answer)["version"].as_u64().unwrap()
    };
    assert_eq!(get("/w/main", json!({ "id": SKILL })).await, 2);
    assert_eq!(get("/w/main", json!({ "id": SLUG, "version": 1 })).await, 1);
    assert_eq!(get("/w/main?tag=prod", json!({ "id": SLUG })).await, 1);
    assert_eq!(get("/mcp?tag=prod", json!({ "id": SLUG })).await, 1);
    assert_eq!(get("/w/main?tag=prod", json!({ "id": SLUG, "version": 2 })).await, 2);
    assert_eq!(get("/w/main?tag=latest", json!({ "id": SLUG })).await, 2);
}

#[tokio::test]
async fn a_skill_has_its_body_and_the_list_of_its_files() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let answer = stack.tool(&key, "/w/main", "get_skill", json!({ "id": SLUG })).await;
    insta::assert_json_snapshot!(object(&answer));
}

#[tokio::test]
async fn what_is_not_there_is_said_to_the_agent() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let get = async |address: &str, arguments| {
        failure(&stack.tool(&key, address, "get_skill", arguments).await)
    };
    assert_eq!(get("/mcp", json!({ "id": "none" })).await, "no skill `none`");
    assert_eq!(get("/mcp?tag=beta", json!({ "id": SLUG })).await, "no tag `beta`");
    let version = json!({ "id": SLUG, "version": 0 });
    assert_eq!(get("/mcp", version).await, "`version` is 0, allowed are 1 to 4294967295");
    let empty = get("/mcp", json!({ "id": "" })).await;
    assert_eq!(empty, "`id` has 0 characters, allowed are 1 to 200");
}

#[tokio::test]
async fn a_file_is_text_where_it_is_text_and_base64_elsewhere() {
    let stack = Stack::start();
    let key = stack.key(&["skills:read"]);
    let get = async |path: &str| {
        let arguments = json!({ "id": SLUG, "path": path, "version": 1 });
        object(&stack.tool(&key, "/w/main", "get_skill_file", arguments).await).clone()
    };
    let files = [get(ODD_PATH).await, get("logo.png").await, get("SKILL.md").await];
    insta::assert_json_snapshot!(files);
}

#[tokio::test]
async fn a_key_is_told_who_it_is() {
    let stack = Stack::start();
    let ends = prost_types::Timestamp { seconds: 2_000_000_000, nanos: 0 };
    let key = stack.key_that(&["skills:read", "skills:write"], |key| {
        key.expires_at = Some(ends);
        key.tools = vec!["who*".into()];
    });
    let answer = stack.tool(&key, "/mcp", "whoami", json!({})).await;
    insta::assert_json_snapshot!(object(&answer), {
        ".*.id" => "[id]",
    });
}
