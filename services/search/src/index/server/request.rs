//! Our conditions and points, in the Qdrant server's words.
use std::collections::HashMap;

use qdrant_client::{
    Payload,
    qdrant::{
        Condition as ServerCondition, CreateCollectionBuilder, CreateFieldIndexCollection,
        CreateFieldIndexCollectionBuilder, Distance, FieldType, Filter, HnswConfigDiffBuilder,
        IntegerIndexParamsBuilder, KeywordIndexParamsBuilder, NamedVectors, PayloadIncludeSelector,
        PointId, PointStruct, QueryPoints, QueryPointsBuilder, Range, SparseIndexConfigBuilder,
        SparseVectorParamsBuilder, SparseVectorsConfigBuilder, Value, Vector, VectorInput,
        VectorParamsBuilder, VectorsConfigBuilder, VectorsOutput, vector_output,
    },
};
use serde_json::Map;
use uuid::Uuid;

use super::super::{
    VectorKind,
    condition::Condition,
    point::{Point, field, vector},
};
use crate::model::{IndexedDocument, Sparse};

/// The same as on Edge: no graph over all points, one for each organization and workspace that is
/// large enough to need it.
pub(super) fn collection(name: &str, kind: &VectorKind) -> CreateCollectionBuilder {
    let dimensions = u64::try_from(kind.dimensions).unwrap_or(u64::MAX);
    let dense = VectorParamsBuilder::new(dimensions, Distance::Cosine).on_disk(true);
    let mut vectors = VectorsConfigBuilder::default();
    vectors.add_named_vector_params(vector::DENSE, dense);
    let words = SparseIndexConfigBuilder::default().on_disk(true);
    let mut sparse = SparseVectorsConfigBuilder::default();
    let words = SparseVectorParamsBuilder::default().index(words);
    sparse.add_named_vector_params(vector::WORDS, words);
    CreateCollectionBuilder::new(name)
        .vectors_config(vectors)
        .sparse_vectors_config(sparse)
        .hnsw_config(HnswConfigDiffBuilder::default().m(0).payload_m(16))
        .on_disk_payload(true)
}

/// What is looked for by: keywords, and a number for each term.
pub(super) fn indexes(collection: &str) -> Vec<CreateFieldIndexCollection> {
    let keyword = |name: &'static str| {
        let is_tenant = field::is_tenant(name);
        let parameters = KeywordIndexParamsBuilder::default()
            .is_tenant(is_tenant)
            .on_disk(!is_tenant)
            .enable_hnsw(is_tenant);
        CreateFieldIndexCollectionBuilder::new(collection, name, FieldType::Keyword)
            .field_index_params(parameters)
            .wait(true)
            .build()
    };
    let terms = IntegerIndexParamsBuilder::new(true, false).on_disk(true).enable_hnsw(false);
    let terms =
        CreateFieldIndexCollectionBuilder::new(collection, field::TERMS, FieldType::Integer)
            .field_index_params(terms)
            .wait(true);
    field::KEYWORDS.into_iter().map(keyword).chain([terms.build()]).collect()
}

pub(super) fn filter(conditions: Vec<Condition>) -> Filter {
    Filter::must(conditions.into_iter().map(|condition| match condition {
        Condition::Is(name, value) => ServerCondition::matches(name, value),
        Condition::In(name, values) => ServerCondition::matches(name, values),
        Condition::Has(name, value) => ServerCondition::matches(name, value),
    }))
}

pub(super) fn nearest(
    collection: &str,
    query: VectorInput,
    using: &str,
    conditions: Vec<Condition>,
    limit: usize,
) -> QueryPoints {
    QueryPointsBuilder::new(collection)
        .query(query)
        .using(using)
        .filter(filter(conditions))
        .limit(u64::try_from(limit).unwrap_or(u64::MAX))
        .with_payload(fields(&field::ANSWERED))
        .with_vectors(true)
        .build()
}

pub(super) fn fields(names: &[&str]) -> PayloadIncludeSelector {
    PayloadIncludeSelector { fields: names.iter().map(|name| (*name).to_owned()).collect() }
}

pub(super) fn sparse(words: &Sparse) -> VectorInput {
    VectorInput::new_sparse(words.indices(), words.values())
}

pub(super) fn point(point: &Point) -> PointStruct {
    let mut vectors = NamedVectors::default();
    if let Some(IndexedDocument { dense, sparse }) = &point.vectors {
        vectors = vectors.add_vector(vector::DENSE, Vector::new_dense(dense.clone()));
        if !sparse.is_empty() {
            let words = Vector::new_sparse(sparse.indices(), sparse.values());
            vectors = vectors.add_vector(vector::WORDS, words);
        }
    }
    PointStruct::new(id(point.id), vectors, Payload::from(point.payload.clone()))
}

/// The documents of these subjects up to these sequences, all but these points. A write that came
/// in between with a higher sequence keeps its own.
pub(super) fn others(subjects: &[(Uuid, i64)], keep: &[Uuid]) -> Filter {
    let older = subjects.iter().map(|(subject, sequence)| {
        #[expect(clippy::cast_precision_loss, reason = "sequences stay far below 2⁵³")]
        let up_to = Range { lte: Some(*sequence as f64), ..Range::default() };
        ServerCondition::from(Filter::must([
            ServerCondition::matches(field::SUBJECT, subject.to_string()),
            ServerCondition::range(field::SEQUENCE, up_to),
        ]))
    });
    let keep = ServerCondition::has_id(keep.iter().copied().map(id));
    Filter { must_not: vec![keep], ..Filter::should(older) }
}

pub(super) fn id(point: Uuid) -> PointId {
    point.to_string().into()
}

pub(super) fn json(payload: HashMap<String, Value>) -> Map<String, serde_json::Value> {
    payload.into_iter().map(|(name, value)| (name, value.into_json())).collect()
}

/// Both vectors of a point, if they are whole.
pub(super) fn vectors(vectors: Option<&VectorsOutput>) -> Option<IndexedDocument> {
    let vectors = vectors?;
    let vector_output::Vector::Dense(dense) = vectors.get_vector_by_name(vector::DENSE)? else {
        return None;
    };
    let sparse = match vectors.get_vector_by_name(vector::WORDS) {
        Some(vector_output::Vector::Sparse(words)) => {
            Sparse::from_unsorted(&words.indices, &words.values)
        }
        Some(vector_output::Vector::Dense(_) | vector_output::Vector::MultiDense(_)) => {
            return None;
        }
        None => Sparse::default(),
    };
    Some(IndexedDocument { dense: dense.data, sparse })
}
