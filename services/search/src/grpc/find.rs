//! Finding documents.
use access::{Caller, Scope};
use contract::search::{FindDocumentsRequest, FindDocumentsResponse};

use super::{Error, Result, check};
use crate::{
    engine::Engine,
    model::{Corpus, Filter, Kind},
};

const MAX_QUERY_CHARACTERS: usize = 8_000;
const MAX_LIMIT: usize = 200;
pub(super) const MAX_LABEL_CHARACTERS: usize = 128;
const LATEST: &str = "latest";

#[tracing::instrument(name = "documents.find", skip_all, fields(limit = message.limit))]
pub(super) async fn find(
    engine: &Engine,
    caller: Caller,
    message: FindDocumentsRequest,
) -> Result<FindDocumentsResponse> {
    let kind = Kind::try_from(message.kind()).map_err(|()| Error::UnknownKind)?;
    caller.require(scope(kind))?;
    let limit = usize::try_from(message.limit).unwrap_or(usize::MAX);
    check("query", "characters", 1..=MAX_QUERY_CHARACTERS, message.query.chars().count())?;
    check("limit", "documents", 1..=MAX_LIMIT, limit)?;
    check("label", "characters", 0..=MAX_LABEL_CHARACTERS, message.label.chars().count())?;
    let label = if message.label.is_empty() { LATEST.to_owned() } else { message.label };
    let corpus = Corpus { org: caller.org, kind };
    let filter = Filter { corpus, workspace: caller.workspace, member: caller.member, label };

    let ranked = engine.find(&filter, &message.query, limit).await?;

    Ok(FindDocumentsResponse { hits: ranked.into_iter().map(Into::into).collect() })
}

/// Who may read documents of a kind may find them.
fn scope(kind: Kind) -> Scope {
    match kind {
        Kind::Skill => Scope::SkillsRead,
    }
}
