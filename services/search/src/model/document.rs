//! What is indexed, by whom it may be seen, and what is found.
use ids::{MemberId, OrgId, WorkspaceId};

/// What a document describes. Kinds never mix in one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A skill in the registry.
    Skill,
}

/// Everything of one kind in one organization: nothing is ever looked for beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Corpus {
    /// The organization.
    pub org: OrgId,
    /// The kind.
    pub kind: Kind,
}

/// Which documents a query may find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Those of this organization and kind,
    pub corpus: Corpus,
    /// that this workspace sees,
    pub workspace: WorkspaceId,
    /// that no member, or this member, owns,
    pub member: Option<MemberId>,
    /// and that carry this label.
    pub label: String,
}

/// Everything that is to be found of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The thing's id.
    pub id: String,
    /// The organization and kind it belongs to.
    pub corpus: Corpus,
    /// The workspace that sees it.
    pub workspace: WorkspaceId,
    /// The member whose own it is; none where the workspace shares it.
    pub member: Option<MemberId>,
    /// Grows with each of its changes.
    pub sequence: i64,
    /// Its texts.
    pub documents: Vec<Document>,
}

/// One text that can be found.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The id of what is found.
    pub id: String,
    /// What it is pinned as, such as `latest`.
    pub labels: Vec<String>,
    /// What it is called exactly, each as [`name_key`](super::name_key) writes it.
    pub names: Vec<String>,
    /// The text.
    pub text: String,
}

/// A subject with what its documents are found by.
#[derive(Clone, Debug)]
pub struct IndexedSubject {
    /// The subject.
    pub subject: Subject,
    /// Two vectors for each of its documents, in their order.
    pub vectors: Vec<IndexedDocument>,
}

/// What one document is found by.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedDocument {
    /// What it means: a unit vector.
    pub dense: Vec<f32>,
    /// Which words it has.
    pub sparse: Sparse,
}

/// A document that a store found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The id of the thing.
    pub subject_id: String,
    /// The id of the document.
    pub document_id: String,
    /// What it is called exactly.
    pub names: Vec<String>,
    /// What it is found by.
    pub vectors: IndexedDocument,
}

/// A vector that is zero nearly everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl Sparse {
    /// Makes one from its non-zero places, which come in growing order.
    pub fn from_sorted(places: impl IntoIterator<Item = (u32, f32)>) -> Self {
        let (indices, values) = places.into_iter().unzip();
        Self { indices, values }
    }

    /// Makes one from its non-zero places, in any order.
    #[must_use]
    pub fn from_unsorted(indices: &[u32], values: &[f32]) -> Self {
        let mut places: Vec<(u32, f32)> =
            indices.iter().copied().zip(values.iter().copied()).collect();
        places.sort_unstable_by_key(|(index, _)| *index);
        Self::from_sorted(places)
    }

    /// Where it is not zero.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// What it is there.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Whether it is zero everywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The product with another one.
    #[must_use]
    pub fn dot(&self, other: &Self) -> f32 {
        let place = |(index, value): (&u32, &f32)| {
            let at = other.indices.binary_search(index).ok()?;
            Some(value * other.values.get(at)?)
        };
        self.indices.iter().zip(&self.values).filter_map(place).sum()
    }
}

impl Kind {
    /// How it is written in a store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_counts_the_shared_places_only() {
        let one = Sparse::from_sorted([(1, 2.0), (5, 3.0)]);
        let other = Sparse::from_unsorted(&[9, 5, 0], &[1.0, 4.0, 7.0]);
        assert!((one.dot(&other) - 12.0).abs() < f32::EPSILON);
        assert!(one.dot(&Sparse::default()).abs() < f32::EPSILON);
    }
}
