//! `POST /v1/skills/import`: passes an upload on to the registry as it arrives.
mod archive;
mod files;
mod outlet;

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::{Request, State},
};
use contract::registry::{ImportHeader, ImportSkillsResponse};
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{Query, content_length};
use crate::{
    app::App,
    behind,
    call::Visit,
    pin::{self, Tag},
    problem::{Problem, repeated},
};
use outlet::Outlet;

/// The largest upload, by the bytes of its archive or of its files.
pub(super) const MAX_UPLOAD_BYTES: u64 = 64 << 20;
/// How much of a multipart body may be other than its files.
const MAX_FRAMING_BYTES: u64 = 16 << 20;
/// How long an upload may take, from its first byte to the registry's answer.
const DEADLINE: Duration = Duration::from_mins(10);

pub(crate) const MEDIA_TYPES: &[&str] =
    &["application/zip", "application/gzip", "application/octet-stream", "multipart/form-data"];

/// How to take an upload.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportQuery {
    /// Tell what would happen, and change nothing.
    #[serde(default)]
    dry_run: bool,
    /// Make this tag name each skill's revision, also where its content is unchanged.
    #[serde(default)]
    tag: Option<String>,
}

/// What an upload is sent as.
enum Upload {
    /// One archive, of this format if the client named it.
    Archive(Option<archive::Format>),
    /// Files, each a part.
    Files { boundary: String },
}

pub(crate) async fn import(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Query(query): Query<ImportQuery>,
    request: Request,
) -> Result<Json<ImportSkillsResponse>, Problem> {
    let header = query.header()?;
    let upload = Upload::of(&request)?;
    upload.check_length(content_length(request.headers()))?;
    let behind = app.services.for_caller(visit.caller());
    let (outlet, pieces) = outlet::open(header);
    let mut message = behind.to_registry(pieces)?;
    message.set_timeout(DEADLINE);
    let mut skills = behind.skills();
    let published = behind::answer_within(DEADLINE, skills.import_skills(message));
    // An upload that breaks off is given up with the call: it never looks to the registry as if it ended.
    tokio::select! {
        published = published => Ok(Json(published?)),
        problem = upload.pass_on(request, outlet) => Err(problem),
    }
}

impl ImportQuery {
    fn header(self) -> Result<ImportHeader, Problem> {
        let Self { dry_run, tag } = self;
        let tag = tag.as_deref().map(Tag::parse).transpose();
        let tag = tag.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))?;
        let tag = tag.as_ref().map(|tag| pin::wire(Some(tag)));
        Ok(ImportHeader { format: 0, dry_run, tag })
    }
}

impl Upload {
    fn of(request: &Request) -> Result<Self, Problem> {
        let media = request.headers().get(header::CONTENT_TYPE);
        let media = media.and_then(|media| media.to_str().ok()).unwrap_or_default();
        let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/zip" | "application/x-zip-compressed" => {
                Ok(Self::Archive(Some(archive::Format::Zip)))
            }
            "application/gzip"
            | "application/x-gzip"
            | "application/x-tar+gzip"
            | "application/x-compressed-tar"
            | "application/x-gtar" => Ok(Self::Archive(Some(archive::Format::TarGz))),
            // The latter is what curl says of any bytes.
            "" | "application/octet-stream" | "application/x-www-form-urlencoded" => {
                Ok(Self::Archive(None))
            }
            "multipart/form-data" => {
                let boundary = multer::parse_boundary(media);
                let boundary = boundary.map_err(|error| malformed(&error))?;
                Ok(Self::Files { boundary })
            }
            _ => Err(unsupported(media)),
        }
    }

    fn check_length(&self, length: Option<u64>) -> Result<(), Problem> {
        let most = match self {
            Self::Archive(_) => MAX_UPLOAD_BYTES,
            Self::Files { .. } => MAX_UPLOAD_BYTES + MAX_FRAMING_BYTES,
        };
        match length.filter(|length| *length > most) {
            Some(length) => Err(too_large(&length.to_string())),
            None => Ok(()),
        }
    }

    /// Passes the whole upload on, then waits; returns only where it cannot.
    async fn pass_on(self, request: Request, outlet: Outlet) -> Problem {
        let body = request.into_body().into_data_stream();
        let passed = match self {
            Self::Archive(format) => archive::pass_on(body, format, outlet).await,
            Self::Files { boundary } => files::pass_on(body, boundary, outlet).await,
        };
        match passed {
            Ok(()) => std::future::pending().await,
            Err(problem) => problem,
        }
    }
}

fn too_large(actual: &str) -> Problem {
    Problem::too_large("the upload", actual, MAX_UPLOAD_BYTES)
}

fn malformed(error: &dyn std::fmt::Display) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, format!("the upload cannot be read: {error}"))
}

fn unsupported(media: &str) -> Problem {
    let media = repeated(media);
    let known: Vec<_> = MEDIA_TYPES.iter().map(|known| format!("`{known}`")).collect();
    let detail = format!("the upload is `{media}`, expected one of {}", known.join(", "));
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
}
