//! Requests as they go over the socket, written beforehand.
use std::{cell::Cell, net::SocketAddr};

use bytes::Bytes;
use serde_json::Value;

/// What to ask of one server.
#[derive(Debug)]
pub(crate) struct Requests {
    pub(crate) server: SocketAddr,
    pub(crate) all: Vec<Bytes>,
    pub(crate) pick: Pick,
    /// What every right answer holds.
    pub(crate) answer_holds: &'static str,
}

/// Which request is the next.
#[derive(Debug)]
pub(crate) enum Pick {
    /// Any, each as likely.
    Random,
    /// The next that was not asked yet, from the first again after the last.
    InTurn(Cell<usize>),
}

impl Requests {
    pub(crate) fn next(&self) -> Bytes {
        let count = self.all.len().max(1);
        let at = match &self.pick {
            Pick::Random => fastrand::usize(..count),
            Pick::InTurn(turn) => turn.replace((turn.get() + 1) % count),
        };
        self.all.get(at).cloned().unwrap_or_default()
    }
}

/// A `GET`.
pub(crate) fn get(server: SocketAddr, path: &str) -> Bytes {
    format!("GET {path} HTTP/1.1\r\nHost: {server}\r\n\r\n").into()
}

/// A `POST` of JSON, as MCP clients send it.
pub(crate) fn post(server: SocketAddr, path: &str, key: Option<&str>, body: &Value) -> Bytes {
    let body = body.to_string();
    let authorization =
        key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {server}\r\n{authorization}Content-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn requests(pick: Pick) -> Requests {
        let all = ["a", "b", "c"].map(Bytes::from).to_vec();
        Requests { server: ([127, 0, 0, 1], 1).into(), all, pick, answer_holds: "" }
    }

    #[test]
    fn in_turn_none_is_asked_twice_before_all_were_asked() {
        let requests = requests(Pick::InTurn(Cell::new(0)));
        let asked: Vec<_> = (0..4).map(|_| requests.next()).collect();
        assert_eq!(asked, ["a", "b", "c", "a"]);
    }

    #[test]
    fn at_random_every_one_is_asked() {
        let requests = requests(Pick::Random);
        let asked: HashSet<_> = (0..200).map(|_| requests.next()).collect();
        assert_eq!(asked.len(), 3);
    }

    #[test]
    fn a_post_says_how_long_its_body_is() {
        let body = serde_json::json!({ "text": "ä" });
        let request = post(([127, 0, 0, 1], 80).into(), "/mcp", Some("k"), &body);
        let text = String::from_utf8(request.to_vec()).unwrap();
        assert!(text.contains("Content-Length: 13\r\n\r\n{") && text.contains("Bearer k\r\n"));
    }
}
