//! What the tests of the index share: small subjects with plain vectors.
use std::path::Path;

use ids::{MemberId, OrgId, WorkspaceId};
use search::{
    index::VectorKind,
    model::{
        Corpus, Document, Filter, Found, IndexedDocument, IndexedSubject, Kind, Subject,
        document_vector,
    },
};
use tempfile::TempDir;

pub(crate) const DIMENSIONS: usize = 4;

/// A folder for a store; in memory where the system has a place for that, because an index syncs its
/// many files at each write.
pub(crate) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

pub(crate) fn vector_kind() -> VectorKind {
    VectorKind { model: "made up".into(), dimensions: DIMENSIONS }
}

/// One team in one organization.
#[derive(Clone, Copy)]
pub(crate) struct Team {
    pub(crate) org: OrgId,
    pub(crate) workspace: WorkspaceId,
}

impl Team {
    pub(crate) fn new() -> Self {
        Self { org: OrgId::new(), workspace: WorkspaceId::new() }
    }

    pub(crate) fn corpus(self) -> Corpus {
        Corpus { org: self.org, kind: Kind::Skill }
    }

    pub(crate) fn filter(self) -> Filter {
        let (corpus, workspace) = (self.corpus(), self.workspace);
        Filter { corpus, workspace, member: None, label: "latest".into() }
    }

    pub(crate) fn filter_of(self, member: MemberId) -> Filter {
        Filter { member: Some(member), ..self.filter() }
    }

    /// A subject with a document for each text; the first text is the latest one.
    pub(crate) fn subject(self, id: &str, sequence: i64, texts: &[&str]) -> IndexedSubject {
        let document = |(number, text): (usize, &&str)| Document {
            id: format!("{id} {number}"),
            labels: vec![if number == 0 { "latest".into() } else { format!("v{number}") }],
            names: vec![id.into()],
            text: (*text).into(),
        };
        let documents: Vec<Document> = texts.iter().enumerate().map(document).collect();
        let vectors = texts.iter().map(|text| vectors(text)).collect();
        let (corpus, workspace) = (self.corpus(), self.workspace);
        let id = id.into();
        let subject = Subject { id, corpus, workspace, member: None, sequence, documents };
        IndexedSubject { subject, vectors }
    }

    pub(crate) fn subject_of(self, member: MemberId, id: &str, texts: &[&str]) -> IndexedSubject {
        let mut subject = self.subject(id, 1, texts);
        subject.subject.member = Some(member);
        subject
    }
}

pub(crate) fn vectors(text: &str) -> IndexedDocument {
    IndexedDocument { dense: dense(text), sparse: document_vector(text) }
}

/// A unit vector that turns with the text's length: texts of like length are near each other.
pub(crate) fn dense(text: &str) -> Vec<f32> {
    let angle = f32::from(u16::try_from(text.len()).unwrap()) / 10.0;
    vec![angle.cos(), angle.sin(), 0.0, 0.0]
}

pub(crate) fn ids(found: &[Found]) -> Vec<&str> {
    let mut ids: Vec<&str> = found.iter().map(|found| found.document_id.as_str()).collect();
    ids.sort_unstable();
    ids
}
