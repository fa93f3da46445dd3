//! An upload that is one archive.
use axum::body::BodyDataStream;
use bytes::{Bytes, BytesMut};
use contract::registry::UploadFormat;
use futures::StreamExt;
use http::StatusCode;

use super::{Outlet, malformed};
use crate::problem::Problem;

/// What an archive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Zip,
    TarGz,
}

/// How many bytes tell what an archive is.
const MAGIC_BYTES: usize = 4;

impl Format {
    /// What an archive is by its first bytes.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        match start {
            // A zip with entries, and one without.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Zip),
            [0x1f, 0x8b, ..] => Some(Self::TarGz),
            _ => None,
        }
    }

    pub(super) fn wire(self) -> UploadFormat {
        match self {
            Self::Zip => UploadFormat::Zip,
            Self::TarGz => UploadFormat::TarGz,
        }
    }
}

pub(super) async fn pass_on(
    mut body: BodyDataStream,
    format: Option<Format>,
    mut outlet: Outlet,
) -> Result<(), Problem> {
    let start = start(&mut body).await?;
    if start.is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "the upload is empty"));
    }
    let format = format.or_else(|| Format::of(&start)).ok_or_else(|| {
        let detail = "the upload begins like neither a zip nor a gzipped tar";
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    })?;
    outlet.begin(format.wire()).await;
    outlet.start("", start).await?;
    while let Some(data) = body.next().await {
        outlet.go_on("", data.map_err(|error| malformed(&error))?).await?;
    }
    outlet.end().await;
    Ok(())
}

/// As many of the first bytes as tell what they are.
async fn start(body: &mut BodyDataStream) -> Result<Bytes, Problem> {
    let mut start = BytesMut::new();
    while start.len() < MAGIC_BYTES
        && let Some(data) = body.next().await
    {
        start.extend_from_slice(&data.map_err(|error| malformed(&error))?);
    }
    Ok(start.freeze())
}
