//! An upload, as it arrives in pieces.
use contract::registry::{
    FilePiece, ImportHeader, ImportSkillsRequest, UploadFormat, import_skills_request::Part,
};
use futures::{Stream, StreamExt};
use skillfile::{Limits, Source};
use tonic::Status;

use crate::{Error, Result};

/// The longest piece.
const PIECE: usize = 1024 * 1024;

/// A whole upload, and how to take it.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) header: ImportHeader,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Zip(Vec<u8>),
    TarGz(Vec<u8>),
    Files(Vec<(String, Vec<u8>)>),
}

/// Takes in an upload, up to its limit.
pub(super) async fn receive(
    mut stream: impl Stream<Item = Result<ImportSkillsRequest, Status>> + Unpin,
) -> Result<Arrived> {
    let first = stream.next().await.transpose().map_err(Error::Stream)?;
    let Some(Part::Header(header)) = first.and_then(|message| message.part) else {
        return Err(Error::InvalidUpload("an import begins with its header".to_owned()));
    };
    let mut content = match header.format() {
        UploadFormat::Zip => Content::Zip(Vec::new()),
        UploadFormat::TarGz => Content::TarGz(Vec::new()),
        UploadFormat::Files => Content::Files(Vec::new()),
        UploadFormat::Unspecified => {
            return Err(Error::InvalidUpload("the header names no format".to_owned()));
        }
    };
    let most = Limits::default().bytes_per_upload;
    let mut total = 0;
    while let Some(message) = stream.next().await {
        let Some(Part::Piece(piece)) = message.map_err(Error::Stream)?.part else {
            return Err(Error::InvalidUpload("an import has one header, then pieces".to_owned()));
        };
        total += piece.data.len() as u64;
        if piece.data.len() > PIECE || total > most {
            return Err(too_large(&piece, total, most));
        }
        content.add(piece)?;
    }
    Ok(Arrived { header, content })
}

fn too_large(piece: &FilePiece, total: u64, most: u64) -> Error {
    if piece.data.len() > PIECE {
        let actual = piece.data.len();
        return Error::InvalidUpload(format!("a piece has {actual} bytes; at most {PIECE} fit"));
    }
    Error::InvalidUpload(format!("the upload has {total} bytes or more; at most {most} fit"))
}

impl Content {
    fn add(&mut self, piece: FilePiece) -> Result<()> {
        let FilePiece { path, mut data, starts } = piece;
        match self {
            Self::Zip(bytes) | Self::TarGz(bytes) => bytes.append(&mut data),
            Self::Files(files) if starts => files.push((path, data)),
            Self::Files(files) => match files.last_mut() {
                Some((last, bytes)) if *last == path => bytes.append(&mut data),
                _ => {
                    let message = format!("a piece of `{path}` came before its file began");
                    return Err(Error::InvalidUpload(message));
                }
            },
        }
        Ok(())
    }
}

impl Arrived {
    /// Reads the skills. This computes for as long as the upload is large, so not on an async thread.
    pub(super) fn read(self) -> Result<skillfile::Upload> {
        let limits = Limits::default();
        let upload = match self.content {
            Content::Zip(bytes) => skillfile::read(Source::Zip(&bytes), &limits),
            Content::TarGz(bytes) => skillfile::read(Source::TarGz(&bytes), &limits),
            Content::Files(files) => skillfile::read(Source::Files(files), &limits),
        };
        Ok(upload?)
    }
}
