//! An upload of files, each a part of a multipart body (RFC 7578) whose file name is its path.
use axum::body::BodyDataStream;
use bytes::Bytes;
use contract::registry::UploadFormat;
use http::StatusCode;
use multer::{Constraints, Field, Multipart, SizeLimit};

use super::{MAX_FRAMING_BYTES, MAX_UPLOAD_BYTES, Outlet, archive::Format, malformed, too_large};
use crate::problem::{Problem, repeated};

pub(super) async fn pass_on(
    body: BodyDataStream,
    boundary: String,
    mut outlet: Outlet,
) -> Result<(), Problem> {
    let most = SizeLimit::new().whole_stream(MAX_UPLOAD_BYTES + MAX_FRAMING_BYTES);
    let constraints = Constraints::new().size_limit(most);
    let mut parts = Multipart::with_constraints(body, boundary, constraints);
    let Some(first) = next(&mut parts).await? else {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "the upload has no files"));
    };
    match Part::begin(first).await? {
        Part { path, start, mut rest } if let Some(format) = archive(&path, &start) => {
            outlet.begin(format.wire()).await;
            give("", start, &mut rest, &mut outlet).await?;
            drop(rest);
            refuse_more(&mut parts, &path).await?;
        }
        Part { path, start, mut rest } => {
            outlet.begin(UploadFormat::Files).await;
            give(&path, start, &mut rest, &mut outlet).await?;
            drop(rest);
            give_all(&mut parts, &mut outlet).await?;
        }
    }
    outlet.end().await;
    Ok(())
}

/// A file of which the first bytes are here.
struct Part {
    path: String,
    start: Bytes,
    rest: Field<'static>,
}

impl Part {
    async fn begin(mut field: Field<'static>) -> Result<Self, Problem> {
        let path = path(&field)?;
        let start = chunk(&mut field).await?.unwrap_or_default();
        Ok(Self { path, start, rest: field })
    }
}

/// The path of a file, as it was sent: its folders are part of it.
fn path(field: &Field<'_>) -> Result<String, Problem> {
    let path = field.file_name().filter(|path| !path.is_empty()).map(ToOwned::to_owned);
    path.ok_or_else(|| {
        let name = repeated(field.name().unwrap_or_default());
        let detail = format!("the part `{name}` has no file name; it is the file's path");
        Problem::new(StatusCode::BAD_REQUEST, detail)
    })
}

/// What a lone archive is, which a form sends as a file, as any other.
fn archive(path: &str, start: &[u8]) -> Option<Format> {
    let name = path.to_ascii_lowercase();
    let is_named = [".zip", ".tar.gz", ".tgz"].iter().any(|ending| name.ends_with(ending));
    Format::of(start).filter(|_| is_named && !path.contains('/'))
}

async fn give_all(parts: &mut Multipart<'static>, outlet: &mut Outlet) -> Result<(), Problem> {
    while let Some(field) = next(parts).await? {
        let Part { path, start, mut rest } = Part::begin(field).await?;
        give(&path, start, &mut rest, outlet).await?;
    }
    Ok(())
}

async fn give(
    path: &str,
    start: Bytes,
    rest: &mut Field<'static>,
    outlet: &mut Outlet,
) -> Result<(), Problem> {
    outlet.start(path, start).await?;
    while let Some(data) = chunk(rest).await? {
        outlet.go_on(path, data).await?;
    }
    Ok(())
}

async fn refuse_more(parts: &mut Multipart<'static>, archive: &str) -> Result<(), Problem> {
    if next(parts).await?.is_none() {
        return Ok(());
    }
    let archive = repeated(archive);
    let detail = format!("the archive `{archive}` must be the only part of its upload");
    Err(Problem::new(StatusCode::BAD_REQUEST, detail))
}

async fn next(parts: &mut Multipart<'static>) -> Result<Option<Field<'static>>, Problem> {
    parts.next_field().await.map_err(problem)
}

async fn chunk(field: &mut Field<'static>) -> Result<Option<Bytes>, Problem> {
    field.chunk().await.map_err(problem)
}

fn problem(error: multer::Error) -> Problem {
    match error {
        multer::Error::StreamSizeExceeded { .. } => {
            too_large(&format!("more than {MAX_UPLOAD_BYTES}"))
        }
        error => malformed(&error),
    }
}
