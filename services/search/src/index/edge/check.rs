//! Whether a store that was opened is whole. Edge keeps no checksums, so this asks it for what it must
//! know: a lost or spoiled file shows as a missing point, a broken vector, a count or query that
//! leaves out what is there, or a write that is not kept.
use std::collections::{HashMap, HashSet};

use ids::{OrgId, WorkspaceId};
use qdrant_edge::Record;
use serde_json::Value;

use super::{
    super::{
        Error,
        condition::Condition,
        point::{self, field},
    },
    request,
    shard::{Exactness, Shard},
};
use crate::model::{
    Corpus, Document, IndexedDocument, IndexedSubject, Kind, Subject, document_vector,
};

/// How many points are looked at.
const POINTS: usize = 10_000;
/// Of how many points each field is looked up.
const LOOKED_UP: usize = 64;
/// How many documents are searched for.
const SEARCHED: usize = 8;

/// Where a store comes from: how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// This process has just closed it. Queries wait for it, so it is only counted.
    JustClosed,
    /// It was there when the process started, whatever happened to it meanwhile.
    Found,
}

impl Shard {
    /// Makes sure that the store is whole.
    pub(super) fn check(&self, origin: Origin) -> Result<(), Error> {
        let (expected, actual) = (self.meta().points, self.count(None, Exactness::OneByOne)?);
        if actual < expected {
            return Err(Error::Failed(format!("it has {actual} points, expected {expected}")));
        }
        match origin {
            Origin::JustClosed => Ok(()),
            Origin::Found => self.check_content(),
        }
    }

    fn check_content(&self) -> Result<(), Error> {
        let all = self.scroll(None, true.into(), POINTS)?;
        let is_document = |record: &Record| {
            let payload = record.payload.as_ref();
            payload.is_some_and(|payload| payload.0.contains_key(field::DOCUMENT_ID))
        };
        let documents: Vec<Record> = all.into_iter().filter(is_document).collect();
        self.check_fields(&documents)?;
        for (number, document) in documents.into_iter().enumerate() {
            let vectors = Self::check_vectors(document)?;
            if number < SEARCHED {
                self.check_search(vectors)?;
            }
        }
        self.check_writes()
    }

    /// The indexes count at least what is there.
    fn check_fields(&self, documents: &[Record]) -> Result<(), Error> {
        let mut expected: HashMap<(&'static str, String), u64> = HashMap::new();
        for name in field::KEYWORDS.into_iter().chain([field::TERMS]) {
            for value in documents.iter().take(LOOKED_UP).flat_map(|record| values(record, name)) {
                *expected.entry((name, value)).or_default() += 1;
            }
        }
        for ((name, value), expected) in expected {
            let condition = match value.parse() {
                Ok(number) if name == field::TERMS => Condition::Has(name, number),
                Ok(_) | Err(_) => Condition::Is(name, value),
            };
            let filter = request::filter(vec![condition])?;
            let actual = self.count(Some(filter), Exactness::AsIndexed)?;
            if actual < expected {
                return Err(Error::Failed(format!("its index of `{name}` is damaged")));
            }
        }
        Ok(())
    }

    /// Random bytes make no unit vector, and no payload.
    fn check_vectors(document: Record) -> Result<(Value, IndexedDocument), Error> {
        let payload = document.payload.map(|payload| payload.0);
        let org = payload.as_ref().and_then(|payload| payload.get(field::ORG)).cloned();
        let found = point::found(payload, request::vectors(document.vector))?;
        Ok((org.unwrap_or_default(), found.vectors))
    }

    /// What is looked for by its own vectors is found, or something just as near.
    fn check_search(&self, (org, vectors): (Value, IndexedDocument)) -> Result<(), Error> {
        let IndexedDocument { dense, sparse } = vectors;
        let org = org.as_str().unwrap_or_default().to_owned();
        let filter = || request::filter(vec![Condition::Is(field::ORG, org.clone())]);
        let own = sparse.dot(&sparse);
        let nearest = self.query_nearest(dense.clone(), filter()?, 1)?;
        let nearest = nearest.first().map_or(0.0, |found| dot(&found.vectors.dense, &dense));
        let lexical = self.query_lexical(&sparse, filter()?, 1)?;
        let lexical = lexical.first().map_or(0.0, |found| found.vectors.sparse.dot(&sparse));
        if nearest > 0.99 && (sparse.is_empty() || lexical > 0.99 * own) {
            return Ok(());
        }
        Err(Error::Failed("a search does not find what is there".into()))
    }

    /// What is written is kept, and can be removed again.
    fn check_writes(&self) -> Result<(), Error> {
        let probe = |documents: Vec<Document>| {
            let vectors = documents.iter().map(|document| IndexedDocument {
                dense: (0..self.dimensions()).map(|at| if at == 0 { 1.0 } else { 0.0 }).collect(),
                sparse: document_vector(&document.text),
            });
            let vectors = vectors.collect();
            IndexedSubject { subject: probe_subject(documents), vectors }
        };
        let document = Document {
            id: "probe".into(),
            labels: vec!["probe".into()],
            names: vec!["probe".into()],
            text: "probe".into(),
        };
        self.write(vec![probe(vec![document])])?;
        let corpus = probe_subject(vec![]).corpus;
        let kept = self.count_term(corpus, None)?;
        self.write(vec![probe(vec![])])?;
        self.flush()?;
        let left = self.count_term(corpus, None)?;
        if (kept, left) == (1, 0) && self.keeps_meta()? {
            return Ok(());
        }
        Err(Error::Failed("it does not keep what is written".into()))
    }
}

/// A subject of nobody.
fn probe_subject(documents: Vec<Document>) -> Subject {
    Subject {
        id: "probe".into(),
        corpus: Corpus { org: OrgId::nil(), kind: Kind::Skill },
        workspace: WorkspaceId::nil(),
        member: None,
        sequence: 0,
        documents,
    }
}

/// The values of a point's field, as text. One that a point has twice is looked up, and counted, once.
fn values(record: &Record, name: &str) -> HashSet<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match record.payload.as_ref().and_then(|payload| payload.0.get(name)) {
        Some(Value::Array(values)) => values.iter().map(text).collect(),
        Some(value) => HashSet::from([text(value)]),
        None => HashSet::new(),
    }
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
