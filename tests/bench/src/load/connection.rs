//! A client of HTTP/1.1 that does as little as one can: what it takes is taken from the server, on the
//! same cores.
use std::{net::SocketAddr, rc::Rc};

use anyhow::{Context, bail};
use memchr::memmem;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{Client, Requests};

const MAX_HEADERS: usize = 64;
/// How much of a wrong answer is shown, in bytes.
const SHOWN: usize = 400;

/// A connection that is kept, and what is asked on it.
#[derive(Debug)]
pub(crate) struct HttpClient {
    stream: TcpStream,
    requests: Rc<Requests>,
    answer: Vec<u8>,
}

/// The start of an answer.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    bytes: usize,
    body_bytes: usize,
}

impl HttpClient {
    pub(crate) async fn open(requests: Rc<Requests>) -> anyhow::Result<Self> {
        let stream = connect(requests.server).await?;
        Ok(Self { stream, requests, answer: Vec::with_capacity(64 << 10) })
    }

    /// Reads one answer, whole.
    async fn read(&mut self) -> anyhow::Result<Head> {
        self.answer.clear();
        let head = loop {
            self.read_more().await?;
            if let Some(head) = head(&self.answer)? {
                break head;
            }
        };
        while self.answer.len() < head.bytes + head.body_bytes {
            self.read_more().await?;
        }
        Ok(head)
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        let read = self.stream.read_buf(&mut self.answer).await.context("reading an answer")?;
        if read == 0 {
            bail!("the server closed a connection");
        }
        Ok(())
    }
}

impl Client for HttpClient {
    async fn ask(&mut self) -> anyhow::Result<()> {
        let request = self.requests.next();
        self.stream.write_all(&request).await.context("asking")?;
        let head = self.read().await?;
        let body = self.answer.get(head.bytes..).unwrap_or_default();
        let is_right = memmem::find(body, self.requests.answer_holds.as_bytes()).is_some();
        if head.status != 200 || !is_right {
            let shown = String::from_utf8_lossy(body.get(..SHOWN).unwrap_or(body));
            bail!("the server answered {} and `{shown}`", head.status);
        }
        Ok(())
    }
}

async fn connect(server: SocketAddr) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(server).await;
    let stream = stream.with_context(|| format!("connecting to `{server}`"))?;
    stream.set_nodelay(true).context("setting up a connection")?;
    Ok(stream)
}

/// The head of an answer, once all of it is there.
fn head(answer: &[u8]) -> anyhow::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(bytes) = response.parse(answer).context("reading an answer")?
    else {
        return Ok(None);
    };
    let status = response.code.unwrap_or_default();
    let length = response.headers.iter().find(|h| h.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.parse().ok());
    let body_bytes = length.context("an answer does not say how long it is")?;
    Ok(Some(Head { status, bytes, body_bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let whole = b"HTTP/1.1 200 OK\r\ncontent-Length: 12\r\n\r\n{";
        assert_eq!(head(&whole[..30]).unwrap(), None);
        let read = head(whole).unwrap().unwrap();
        assert_eq!(read, Head { status: 200, bytes: whole.len() - 1, body_bytes: 12 });
    }

    #[test]
    fn an_answer_without_a_length_is_no_answer() {
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
