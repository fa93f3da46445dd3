//! The stream of an upload's pieces to the registry. It ends only when it is told to: an upload that
//! breaks off must never look complete.
use bytes::Bytes;
use contract::registry::{
    FilePiece, ImportHeader, ImportSkillsRequest, UploadFormat, import_skills_request::Part,
};
use futures::{Stream, stream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{MAX_UPLOAD_BYTES, too_large};
use crate::problem::Problem;

/// The largest piece that the registry takes.
const PIECE_BYTES: usize = 1 << 20;
/// How many pieces may wait for the registry.
const WAITING: usize = 4;

enum Message {
    Part(Part),
    End,
}

/// Where an upload's pieces go in.
pub(super) struct Outlet {
    messages: Sender<Message>,
    header: ImportHeader,
    bytes: u64,
}

/// Makes the stream.
pub(super) fn open(
    header: ImportHeader,
) -> (Outlet, impl Stream<Item = ImportSkillsRequest> + Send + 'static) {
    let (messages, waiting) = channel(WAITING);
    let outlet = Outlet { messages, header, bytes: 0 };
    (outlet, stream::unfold(waiting, next))
}

async fn next(mut waiting: Receiver<Message>) -> Option<(ImportSkillsRequest, Receiver<Message>)> {
    match waiting.recv().await {
        Some(Message::Part(part)) => Some((ImportSkillsRequest { part: Some(part) }, waiting)),
        Some(Message::End) => None,
        None => std::future::pending().await,
    }
}

impl Outlet {
    /// Says what the pieces are, before the first of them.
    pub(super) async fn begin(&mut self, format: UploadFormat) {
        let header = ImportHeader { format: format.into(), ..std::mem::take(&mut self.header) };
        self.send(Message::Part(Part::Header(header))).await;
    }

    /// Begins a file with its first bytes, which an empty one has none of.
    pub(super) async fn start(&mut self, path: &str, data: Bytes) -> Result<(), Problem> {
        self.give(path, data, true).await
    }

    /// Sends further bytes of the file that was begun last.
    pub(super) async fn go_on(&mut self, path: &str, data: Bytes) -> Result<(), Problem> {
        self.give(path, data, false).await
    }

    async fn give(&mut self, path: &str, mut data: Bytes, mut starts: bool) -> Result<(), Problem> {
        self.bytes += data.len() as u64;
        if self.bytes > MAX_UPLOAD_BYTES {
            return Err(too_large(&format!("more than {MAX_UPLOAD_BYTES}")));
        }
        loop {
            let piece = data.split_to(PIECE_BYTES.min(data.len()));
            let piece = FilePiece { path: path.to_owned(), data: piece.into(), starts };
            starts = false;
            self.send(Message::Part(Part::Piece(piece))).await;
            if data.is_empty() {
                return Ok(());
            }
        }
    }

    /// Says that this was all.
    pub(super) async fn end(self) {
        self.send(Message::End).await;
    }

    /// Where nobody listens any more the registry has answered already: its answer is what counts.
    async fn send(&self, message: Message) {
        if self.messages.send(message).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
