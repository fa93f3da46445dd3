//! A small MCP client over Streamable HTTP, in both eras of the protocol.
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, Reply, reply};

/// How the protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// With `initialize`, up to 2025-11-25.
    Initialize,
    /// Without, from 2026-07-28.
    Stateless,
}

/// A connection to one address.
#[derive(Clone, Debug)]
pub struct Mcp {
    client: Client,
    era: Era,
    address: String,
}

impl Era {
    pub const BOTH: [Self; 2] = [Self::Initialize, Self::Stateless];

    fn version(self) -> &'static str {
        match self {
            Self::Initialize => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }
}

impl Mcp {
    pub(crate) fn new(client: Client, era: Era, address: &str) -> Self {
        Self { client, era, address: address.to_owned() }
    }

    /// Greets the server, where the era has a greeting.
    pub async fn connect(self) -> Self {
        if self.era == Era::Initialize {
            let hello = json!({
                "protocolVersion": self.era.version(),
                "capabilities": {},
                "clientInfo": { "name": "a test", "version": "1" },
            });
            let answer = self.rpc("initialize", hello).await.ok();
            assert_eq!(answer["result"]["protocolVersion"], self.era.version(), "{answer}");
            let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            let noted = self.post(&message, "notifications/initialized", None).await;
            assert_eq!(noted.status.as_u16(), 202, "{}", noted.shown());
        }
        self
    }

    /// The names of the tools.
    pub async fn tools(&self) -> Vec<String> {
        let list = self.rpc("tools/list", json!({})).await.ok();
        let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// What a tool answers as an object, or the text that says why it does not.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.raw_call(tool, arguments).await.ok();
        if let Some(message) = answer["error"]["message"].as_str() {
            return Err(message.to_owned());
        }
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        if result["isError"] == true {
            return Err(text.to_owned());
        }
        let object = &result["structuredContent"];
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), object);
        Ok(object.clone())
    }

    /// The whole answer to a call of a tool.
    pub async fn raw_call(&self, tool: &str, arguments: Value) -> Reply {
        self.rpc("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// One request.
    pub async fn rpc(&self, method: &str, mut params: Value) -> Reply {
        if self.era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.era.version(),
                "io.modelcontextprotocol/clientInfo": { "name": "a test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let name = params["name"].as_str().map(str::to_owned);
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.post(&message, method, name.as_deref()).await
    }

    async fn post(&self, message: &Value, method: &str, name: Option<&str>) -> Reply {
        let mut request = self
            .client
            .request(Method::POST, &self.address)
            .header("accept", "application/json, text/event-stream")
            .json(message);
        if method != "initialize" {
            request = request.header("mcp-protocol-version", self.era.version());
        }
        if self.era == Era::Stateless {
            request = request.header("mcp-method", method);
            if let Some(name) = name {
                request = request.header("mcp-name", name);
            }
        }
        reply(request).await
    }
}
