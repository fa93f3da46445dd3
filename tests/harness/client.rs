//! A client with a key, which speaks REST and MCP to every gateway in turn.
use std::{
    fmt::Write,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use reqwest::{Method, RequestBuilder, StatusCode, header::HeaderMap};
use serde_json::{Value, json};

use crate::{
    mcp::{Era, Mcp},
    skill::{Skill, files},
    upload::Upload,
};

const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    gateways: Arc<[SocketAddr]>,
    turn: Arc<AtomicUsize>,
    pub key: String,
}

/// A new organization.
#[derive(Clone, Debug)]
pub struct Organization {
    pub id: String,
    pub slug: String,
    pub workspace_id: String,
    pub owner_key_id: String,
    pub owner: Client,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Organization {
    pub async fn make(operator: &Client, slug: &str, name: &str) -> Self {
        let made = operator.post("/v1/organizations", &json!({ "slug": slug, "name": name })).await;
        let made = made.created();
        let text = |pointer: &str| made.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        Self {
            id: text("/organization/id"),
            slug: slug.to_owned(),
            workspace_id: text("/workspace/id"),
            owner_key_id: text("/owner_key_id"),
            owner: operator.with_key(&text("/owner_key")),
        }
    }

    /// A new key of the organization, in its first workspace.
    pub async fn key(&self, scopes: &[&str]) -> Client {
        self.key_that(json!({ "name": "a key", "scopes": scopes })).await.1
    }

    /// A new key as asked for, and its id.
    pub async fn key_that(&self, asked: Value) -> (String, Client) {
        let made = self.owner.post("/v1/keys", &asked).await.created();
        let client = self.owner.with_key(made["secret"].as_str().unwrap());
        (made["key"]["id"].as_str().unwrap().to_owned(), client)
    }
}

impl Client {
    pub fn new(gateways: &[SocketAddr], key: &str) -> Self {
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        let (gateways, turn) = (gateways.into(), Arc::default());
        Self { http, gateways, turn, key: key.to_owned() }
    }

    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// The same client, which knows one of the gateways only.
    #[must_use]
    pub fn at(&self, gateway: SocketAddr) -> Self {
        Self { gateways: [gateway].into(), ..self.clone() }
    }

    pub fn mcp(&self, era: Era, address: &str) -> Mcp {
        Mcp::new(self.clone(), era, address)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let gateway = self.gateways[turn % self.gateways.len()];
        let request = self.http.request(method, format!("http://{gateway}{path}"));
        if self.key.is_empty() { request } else { request.bearer_auth(&self.key) }
    }

    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Reply {
        reply(self.request(method, path).json(body)).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        reply(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(Method::POST, path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Reply {
        self.send(Method::PUT, path, body).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        reply(self.request(Method::DELETE, path)).await
    }

    /// Uploads; `query` is such as `?tag=prod`.
    pub async fn upload(&self, query: &str, upload: Upload) -> Reply {
        let path = format!("/v1/skills/import{query}");
        let request = self.request(Method::POST, &path);
        let request = request.header("content-type", upload.media_type);
        reply(request.body(upload.body)).await
    }

    /// Publishes skills, and returns what became of the upload.
    pub async fn import(&self, skills: &[Skill]) -> Value {
        self.upload("", Upload::parts(&files(skills))).await.ok()
    }

    pub async fn import_as(&self, tag: &str, skills: &[Skill]) -> Value {
        self.upload(&format!("?tag={tag}"), Upload::parts(&files(skills))).await.ok()
    }

    /// Calls a tool over REST.
    pub async fn tool(&self, name: &str, arguments: &Value) -> Reply {
        self.post(&format!("/v1/tools/{name}"), arguments).await
    }

    /// The slugs or names that are found, best first.
    pub async fn find(&self, query: &str) -> Vec<String> {
        let found = self.tool("find_skills", &json!({ "query": query })).await.ok();
        let found = found["results"].as_array().unwrap().iter();
        found.map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
    }

    pub async fn get_skill(&self, id: &str) -> Value {
        self.tool("get_skill", &json!({ "id": id })).await.ok()
    }

    /// A file's bytes over REST; `query` is such as `?version=1`.
    pub async fn file(&self, id: &str, path: &str, query: &str) -> Reply {
        self.get(&format!("/v1/skills/{id}/files/{}{query}", encoded(path))).await
    }

    /// Every item of a list, page by page.
    pub async fn list_all(&self, path: &str, field: &str) -> Vec<Value> {
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}?limit=200{cursor}")).await.ok();
            items.extend(page[field].as_array().unwrap().iter().cloned());
            let Some(next) = page["next_cursor"].as_str() else { return items };
            cursor = format!("&cursor={next}");
        }
    }
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.shown()))
    }

    /// The answer, which must be one.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.shown());
        self.json()
    }

    pub fn created(&self) -> Value {
        assert_eq!(self.status, StatusCode::CREATED, "{}", self.shown());
        self.json()
    }

    /// Why it failed, which it must have with this status.
    pub fn failed(&self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.shown());
        self.json()["detail"].as_str().unwrap().to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn shown(&self) -> String {
        let body: String = String::from_utf8_lossy(&self.body).chars().take(2_000).collect();
        format!("{} {body}", self.status)
    }
}

/// A path with everything encoded that is not a letter, a digit or one of `-._~/`.
pub fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => write!(text, "%{byte:02X}").unwrap(),
        }
    }
    text
}

/// Sends a request.
pub async fn reply(request: RequestBuilder) -> Reply {
    try_reply(request).await.unwrap()
}

/// Sends a request to whom may not be there.
pub async fn try_reply(request: RequestBuilder) -> reqwest::Result<Reply> {
    let response = request.send().await?;
    let (status, headers) = (response.status(), response.headers().clone());
    Ok(Reply { status, headers, body: response.bytes().await?.to_vec() })
}
