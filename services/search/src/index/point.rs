//! How subjects and documents are written as points, the same in both stores.
//!
//! There are three sorts: a document's point has both vectors; a subject's point has none, and
//! remembers its sequence even when no document is left; the one meta point names the index.
use std::collections::HashMap;

use ids::{IndexId, MemberId};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Error, VectorKind};
use crate::digest::sha256;
use crate::model::{Corpus, Document, Found, IndexedDocument, IndexedSubject, Sparse, Subject};

/// The names of a point's fields.
pub(super) mod field {
    pub(in crate::index) const ORG: &str = "org";
    pub(in crate::index) const KIND: &str = "kind";
    pub(in crate::index) const WORKSPACE: &str = "workspace";
    pub(in crate::index) const OWNER: &str = "owner";
    pub(in crate::index) const LABELS: &str = "labels";
    pub(in crate::index) const NAMES: &str = "names";
    pub(in crate::index) const TERMS: &str = "terms";
    /// The id of the subject's point.
    pub(in crate::index) const SUBJECT: &str = "subject";
    pub(in crate::index) const SUBJECT_ID: &str = "subject_id";
    pub(in crate::index) const DOCUMENT_ID: &str = "document_id";
    pub(in crate::index) const SEQUENCE: &str = "sequence";
    pub(in crate::index) const TEXT_SHA256: &str = "text_sha256";

    /// Those that are looked for as keywords. The first two divide the points among tenants.
    pub(in crate::index) const KEYWORDS: [&str; 7] =
        [ORG, WORKSPACE, KIND, OWNER, LABELS, NAMES, SUBJECT];
    /// Those that say what was found.
    pub(in crate::index) const ANSWERED: [&str; 3] = [SUBJECT_ID, DOCUMENT_ID, NAMES];

    /// Whether the field divides the points among tenants.
    pub(in crate::index) fn is_tenant(field: &str) -> bool {
        field == ORG || field == WORKSPACE
    }
}

/// The names of a point's vectors.
pub(super) mod vector {
    pub(in crate::index) const DENSE: &str = "dense";
    pub(in crate::index) const WORDS: &str = "words";
}

/// Changes when points are written differently, so that an older index is made anew.
const FORMAT: u64 = 1;

/// How far from one a squared length may be. What is kept is rounded, and made one long again.
const UNIT_TOLERANCE: f32 = 1e-3;

/// The one point that names the index.
pub(super) const META_POINT: Uuid = Uuid::nil();

/// A point, as both stores take it.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) id: Uuid,
    pub(super) payload: Map<String, Value>,
    pub(super) vectors: Option<IndexedDocument>,
}

/// What the meta point says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Meta {
    pub(super) index_id: Uuid,
    pub(super) model: String,
    pub(super) dimensions: usize,
    pub(super) format: u64,
    /// How many points there are, this one left out. Kept where a store can lose some unnoticed.
    pub(super) points: u64,
    /// How often the store was written to. Kept where a store can ignore a write.
    pub(super) writes: u64,
}

impl Meta {
    pub(super) fn new(kind: &VectorKind) -> Self {
        let VectorKind { model, dimensions } = kind.clone();
        Self {
            index_id: IndexId::new().uuid(),
            model,
            dimensions,
            format: FORMAT,
            points: 0,
            writes: 0,
        }
    }

    /// Whether the index can be used with these vectors.
    pub(super) fn fits(&self, kind: &VectorKind) -> bool {
        let same_vectors = self.model == kind.model && self.dimensions == kind.dimensions;
        same_vectors && self.format == FORMAT
    }

    pub(super) fn index_id(&self) -> IndexId {
        self.index_id.into()
    }

    pub(super) fn point(&self) -> Point {
        let payload = match serde_json::to_value(self) {
            Ok(Value::Object(payload)) => payload,
            // A struct of plain fields is always an object.
            Ok(_) | Err(_) => Map::new(),
        };
        Point { id: META_POINT, payload, vectors: None }
    }

    pub(super) fn read(payload: Map<String, Value>) -> Option<Self> {
        serde_json::from_value(Value::Object(payload)).ok()
    }
}

/// A short name for one kind of vectors, and for how points are written.
pub(super) fn fingerprint(kind: &VectorKind) -> String {
    let [first, ..] = words(&[&kind.model, &kind.dimensions.to_string(), &FORMAT.to_string()]);
    format!("{first:016x}")
}

/// The point of a document: the same for the same document, never that of another one.
#[must_use]
pub fn document_point(subject: &Subject, document_id: &str) -> Uuid {
    id(&["document", &corpus_key(subject.corpus), &subject.id, document_id])
}

/// The point of a subject.
pub(super) fn subject_point(subject: &Subject) -> Uuid {
    id(&["subject", &corpus_key(subject.corpus), &subject.id])
}

/// The number that stands for a term within one organization and kind, so that counting its points
/// counts nobody else's.
pub(super) fn term_key(corpus: Corpus, term: u32) -> i64 {
    key(&[&corpus_key(corpus), &term.to_string()])
}

/// The number that stands for any document at all of one organization and kind.
pub(super) fn corpus_term(corpus: Corpus) -> i64 {
    key(&[&corpus_key(corpus)])
}

/// Who owns a document: a member, or the workspace.
pub(super) fn owner(member: Option<MemberId>) -> String {
    member.map_or_else(|| "workspace".to_owned(), |member| member.to_string())
}

/// The SHA-256 of a text, in hexadecimal digits.
#[must_use]
pub fn text_sha256(text: &str) -> String {
    sha256(text)
}

/// The points of a subject: its own, then its documents'.
pub(super) fn points(subject: &Subject, vectors: Vec<IndexedDocument>) -> Vec<Point> {
    let own = subject_point(subject);
    let first = Point {
        id: own,
        payload: object(json!({ (field::SEQUENCE): subject.sequence })),
        vectors: None,
    };
    let rest = subject.documents.iter().zip(vectors).map(|(document, vectors)| Point {
        id: document_point(subject, &document.id),
        payload: payload(own, subject, document, &vectors.sparse),
        vectors: Some(vectors),
    });
    std::iter::once(first).chain(rest).collect()
}

fn payload(
    own: Uuid,
    subject: &Subject,
    document: &Document,
    words: &Sparse,
) -> Map<String, Value> {
    let corpus = subject.corpus;
    let terms = words.indices().iter().map(|term| term_key(corpus, *term));
    let terms: Vec<i64> = std::iter::once(corpus_term(corpus)).chain(terms).collect();
    object(json!({
        (field::ORG): corpus.org.to_string(),
        (field::KIND): corpus.kind.as_str(),
        (field::WORKSPACE): subject.workspace.to_string(),
        (field::OWNER): owner(subject.member),
        (field::LABELS): document.labels,
        (field::NAMES): document.names,
        (field::TERMS): terms,
        (field::SUBJECT): own.to_string(),
        (field::SUBJECT_ID): subject.id,
        (field::DOCUMENT_ID): document.id,
        (field::SEQUENCE): subject.sequence,
        (field::TEXT_SHA256): text_sha256(&document.text),
    }))
}

/// What was found, if its point is whole.
pub(super) fn found(
    payload: Option<Map<String, Value>>,
    vectors: Option<IndexedDocument>,
) -> Result<Found, Error> {
    let found = payload.zip(vectors).and_then(|(payload, vectors)| whole(&payload, vectors));
    found.ok_or_else(|| Error::Failed("a point is damaged".into()))
}

/// Makes sure that every document has both vectors, so that a store never fails for what it is given.
pub(super) fn check_vectors(subjects: &[IndexedSubject], dimensions: usize) -> Result<(), Error> {
    for IndexedSubject { subject, vectors } in subjects {
        let are_whole =
            vectors.iter().all(|each| each.dense.len() == dimensions && is_unit(&each.dense));
        if subject.documents.len() != vectors.len() || !are_whole {
            return Err(Error::Failed(format!("`{}` comes without whole vectors", subject.id)));
        }
    }
    Ok(())
}

fn is_unit(vector: &[f32]) -> bool {
    (vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < UNIT_TOLERANCE
}

fn whole(payload: &Map<String, Value>, vectors: IndexedDocument) -> Option<Found> {
    let text = |field| payload.get(field)?.as_str().map(str::to_owned);
    let names = payload.get(field::NAMES)?.as_array()?;
    let names = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let (subject_id, document_id) = (text(field::SUBJECT_ID)?, text(field::DOCUMENT_ID)?);
    is_unit(&vectors.dense).then_some(Found { subject_id, document_id, names, vectors })
}

/// The subjects whose sequence is not lower than the one that is kept, each once.
pub(super) fn newest(
    subjects: Vec<IndexedSubject>,
    kept: HashMap<Uuid, i64>,
) -> Vec<IndexedSubject> {
    let mut newest: HashMap<Uuid, IndexedSubject> = HashMap::new();
    let mut sequences = kept;
    for each in subjects {
        let (id, sequence) = (subject_point(&each.subject), each.subject.sequence);
        if sequences.get(&id).is_none_or(|kept| *kept <= sequence) {
            sequences.insert(id, sequence);
            newest.insert(id, each);
        }
    }
    newest.into_values().collect()
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(object) = value { object } else { Map::new() }
}

fn corpus_key(corpus: Corpus) -> String {
    format!("{} {}", corpus.org, corpus.kind.as_str())
}

fn id(parts: &[&str]) -> Uuid {
    let [first_half, second_half, ..] = words(parts);
    Uuid::from_u64_pair(first_half, second_half)
}

fn key(parts: &[&str]) -> i64 {
    let [first, ..] = words(parts);
    // One bit less, so that it is never negative.
    i64::try_from(first >> 1).unwrap_or_default()
}

/// The SHA-256 of some texts, with their lengths, so that no two lists of texts look the same.
fn words(parts: &[&str]) -> [u64; 4] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    let mut words = [0_u64; 4];
    for (word, bytes) in words.iter_mut().zip(hash.finalize().chunks(8)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

#[cfg(test)]
mod tests {
    use ids::{OrgId, WorkspaceId};

    use super::*;
    use crate::model::Kind;

    fn subject(org: OrgId, id: &str) -> Subject {
        Subject {
            id: id.into(),
            corpus: Corpus { org, kind: Kind::Skill },
            workspace: WorkspaceId::new(),
            member: None,
            sequence: 1,
            documents: vec![],
        }
    }

    #[test]
    fn the_same_ids_in_two_organizations_are_different_points() {
        let (one, other) = (subject(OrgId::new(), "s"), subject(OrgId::new(), "s"));
        assert_ne!(subject_point(&one), subject_point(&other));
        assert_ne!(document_point(&one, "d"), document_point(&other, "d"));
        assert_ne!(term_key(one.corpus, 7), term_key(other.corpus, 7));
    }

    #[test]
    fn ids_that_run_into_each_other_are_different_points() {
        let org = OrgId::new();
        let (one, other) = (subject(org, "ab"), subject(org, "a"));
        assert_ne!(document_point(&one, "c"), document_point(&other, "bc"));
        assert_eq!(document_point(&one, "c"), document_point(&one, "c"));
    }

    #[test]
    fn a_subject_without_documents_keeps_its_own_point() {
        let points = points(&subject(OrgId::new(), "s"), vec![]);
        assert_eq!(points.len(), 1);
        assert_eq!(points[0].payload[field::SEQUENCE], 1);
    }

    #[test]
    fn the_meta_point_reads_back_and_fits_its_own_kind_of_vectors_only() {
        let kind = VectorKind { model: "m".into(), dimensions: 3 };
        let meta = Meta::new(&kind);
        assert_eq!(Meta::read(meta.point().payload), Some(meta.clone()));
        assert!(meta.fits(&kind));
        assert!(!meta.fits(&VectorKind { model: "n".into(), ..kind.clone() }));
        assert!(!meta.fits(&VectorKind { dimensions: 4, ..kind }));
    }
}
