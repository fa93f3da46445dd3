//! The one place where the model meets the wire.
use std::collections::{BTreeSet, HashSet};

use contract::search as wire;
use ids::{InvalidId, OrgId};

use super::{check, find::MAX_LABEL_CHARACTERS};
use crate::{
    error::Size,
    model::{Corpus, Document, Kind, Ranked, Subject, name_key},
};

const MAX_DOCUMENTS: usize = 64;
const MAX_LABELS: usize = 64;
const MAX_NAMES: usize = 16;
const MAX_NAME_CHARACTERS: usize = 256;
const MAX_TEXT_CHARACTERS: usize = 65_536;

/// Why a subject cannot be indexed, whoever asks and however often.
#[derive(Debug, thiserror::Error)]
pub(super) enum Poison {
    #[error("`kind` is missing or unknown, expected `KIND_SKILL`")]
    UnknownKind,
    #[error("`{0}` is not an id: expected a kind, `_` and 32 hexadecimal digits")]
    NotAnId(String),
    #[error("`workspace_id`: {0}")]
    Workspace(InvalidId),
    #[error("`member_id`: {0}")]
    Member(InvalidId),
    #[error("document `{0}` is there twice")]
    Twice(String),
    #[error("document `{0}` has no text")]
    NoText(String),
    #[error(transparent)]
    Size(#[from] Size),
}

pub(super) fn subject(org: OrgId, subject: wire::Subject) -> Result<Subject, Poison> {
    let kind = Kind::try_from(subject.kind()).map_err(|()| Poison::UnknownKind)?;
    let wire::Subject { kind: _, subject_id, sequence, workspace_id, member_id, documents } =
        subject;
    check("documents", "documents", 0..=MAX_DOCUMENTS, documents.len())?;
    let documents = documents.into_iter().map(document).collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::new();
    if let Some(twice) = documents.iter().find(|document| !seen.insert(&document.id)) {
        return Err(Poison::Twice(twice.id.clone()));
    }
    Ok(Subject {
        id: opaque_id(subject_id)?,
        corpus: Corpus { org, kind },
        workspace: workspace_id.parse().map_err(Poison::Workspace)?,
        member: (!member_id.is_empty())
            .then(|| member_id.parse().map_err(Poison::Member))
            .transpose()?,
        sequence,
        documents,
    })
}

fn document(document: wire::Document) -> Result<Document, Poison> {
    let wire::Document { document_id, labels, names, text } = document;
    let id = opaque_id(document_id)?;
    check("labels", "labels", 0..=MAX_LABELS, labels.len())?;
    check("names", "names", 0..=MAX_NAMES, names.len())?;
    for label in &labels {
        check("label", "characters", 1..=MAX_LABEL_CHARACTERS, label.chars().count())?;
    }
    for name in &names {
        check("name", "characters", 1..=MAX_NAME_CHARACTERS, name.chars().count())?;
    }
    if text.trim().is_empty() {
        return Err(Poison::NoText(id));
    }
    check("text", "characters", 1..=MAX_TEXT_CHARACTERS, text.chars().count())?;
    // As names are compared, a slug and a name are often the same.
    let names: BTreeSet<String> = names.iter().map(|name| name_key(name)).collect();
    Ok(Document { id, labels, names: names.into_iter().collect(), text })
}

/// Other services' ids are theirs; here they only have to look like one.
fn opaque_id(text: String) -> Result<String, Poison> {
    let is_id = text.split_once('_').is_some_and(|(kind, number)| {
        let is_kind = (1..=8).contains(&kind.len()) && kind.bytes().all(|b| b.is_ascii_lowercase());
        let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        is_kind && number.len() == 32 && number.bytes().all(is_digit)
    });
    if is_id { Ok(text) } else { Err(Poison::NotAnId(text.chars().take(80).collect())) }
}

impl TryFrom<wire::Kind> for Kind {
    type Error = ();

    fn try_from(kind: wire::Kind) -> Result<Self, ()> {
        match kind {
            wire::Kind::Unspecified => Err(()),
            wire::Kind::Skill => Ok(Self::Skill),
        }
    }
}

impl From<Ranked> for wire::Hit {
    fn from(ranked: Ranked) -> Self {
        let Ranked { subject_id, document_id, cosine } = ranked;
        Self { subject_id, document_id, score: cosine }
    }
}
