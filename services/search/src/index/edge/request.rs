//! Our conditions and points, in Qdrant Edge's words.
use std::collections::HashMap;

use qdrant_edge::{
    AnyVariants, Condition as EdgeCondition, CreateIndex, Distance, EdgeConfig, EdgeConfigBuilder,
    EdgeOptimizersConfig, EdgeSparseVectorParamsBuilder, EdgeVectorParamsBuilder, FieldCondition,
    FieldIndexOperations, Filter, HasIdCondition, HnswIndexConfig, IntegerIndexParams, JsonPath,
    KeywordIndexParams, Match, NamedQuery, PayloadFieldSchema, PayloadSchemaParams, PointId,
    PointInsertOperations, PointOperations, PointStruct, QueryEnum, QueryRequest, ScoringQuery,
    UpdateOperation, ValueVariants, Vector, VectorInternal, VectorStructInternal, WalOptions,
    WithPayloadInterface, WithVector,
};
use serde_json::Value;
use uuid::Uuid;

use super::super::{
    Error, VectorKind,
    condition::Condition,
    point::{Point, field, vector},
};
use crate::model::{IndexedDocument, Sparse};

/// How many bytes one file of the write-ahead log has. Edge reads them all when it starts.
pub(super) const WAL_FILE_BYTES: usize = 4 << 20;

/// Up to how many kibibytes of vectors are compared one by one: about 2,700 vectors of 384 numbers.
const SCANNED_KIBIBYTES: usize = 4_000;

/// One store for all organizations: no graph over all points, one for each organization and
/// workspace that is large enough to need it.
pub(super) fn config(kind: &VectorKind) -> EdgeConfig {
    let dense = EdgeVectorParamsBuilder::new(kind.dimensions, Distance::Cosine).on_disk(true);
    let words = EdgeSparseVectorParamsBuilder::new().on_disk(true);
    let graph = HnswIndexConfig {
        m: 0,
        payload_m: Some(16),
        full_scan_threshold: SCANNED_KIBIBYTES,
        ..HnswIndexConfig::default()
    };
    let optimizers = EdgeOptimizersConfig {
        indexing_threshold: Some(SCANNED_KIBIBYTES),
        ..EdgeOptimizersConfig::default()
    };
    let wal = WalOptions { segment_capacity: WAL_FILE_BYTES, ..WalOptions::default() };
    EdgeConfigBuilder::new()
        .vector(vector::DENSE, dense.build())
        .sparse_vector(vector::WORDS, words.build())
        .hnsw_config(graph)
        .optimizers(optimizers)
        .on_disk_payload(true)
        .wal_options(wal)
        .build()
}

/// What is looked for by: keywords, and a number for each term.
pub(super) fn indexes() -> Result<Vec<UpdateOperation>, Error> {
    let keyword = |name: &'static str| {
        let is_tenant = field::is_tenant(name);
        let parameters = KeywordIndexParams {
            is_tenant: Some(is_tenant),
            on_disk: Some(!is_tenant),
            enable_hnsw: Some(is_tenant),
            ..KeywordIndexParams::default()
        };
        index(name, PayloadSchemaParams::Keyword(parameters))
    };
    let terms = IntegerIndexParams {
        lookup: Some(true),
        range: Some(false),
        on_disk: Some(true),
        enable_hnsw: Some(false),
        ..IntegerIndexParams::default()
    };
    let terms = index(field::TERMS, PayloadSchemaParams::Integer(terms));
    field::KEYWORDS.into_iter().map(keyword).chain([terms]).collect()
}

fn index(name: &str, parameters: PayloadSchemaParams) -> Result<UpdateOperation, Error> {
    let schema = Some(PayloadFieldSchema::FieldParams(parameters));
    let index = CreateIndex { field_name: path(name)?, field_schema: schema };
    Ok(UpdateOperation::FieldIndexOperation(FieldIndexOperations::CreateIndex(index)))
}

pub(super) fn filter(conditions: Vec<Condition>) -> Result<Filter, Error> {
    let must = conditions.into_iter().map(condition).collect::<Result<_, Error>>()?;
    Ok(Filter { should: None, min_should: None, must: Some(must), must_not: None })
}

fn condition(condition: Condition) -> Result<EdgeCondition, Error> {
    let (name, wanted) = match condition {
        Condition::Is(name, value) => (name, Match::new_value(ValueVariants::String(value))),
        Condition::In(name, values) => {
            (name, Match::new_any(AnyVariants::Strings(values.into_iter().collect())))
        }
        Condition::Has(name, value) => (name, Match::new_value(ValueVariants::Integer(value))),
    };
    Ok(EdgeCondition::Field(FieldCondition::new_match(path(name)?, wanted)))
}

pub(super) fn nearest(
    query: VectorInternal,
    using: &str,
    filter: Filter,
    limit: usize,
) -> Result<QueryRequest, Error> {
    let near = NamedQuery { query, using: Some(using.into()) };
    Ok(QueryRequest {
        prefetches: vec![],
        query: Some(ScoringQuery::Vector(QueryEnum::Nearest(near))),
        filter: Some(filter),
        score_threshold: None,
        limit,
        offset: 0,
        params: None,
        with_vector: WithVector::Bool(true),
        with_payload: fields(&field::ANSWERED)?,
    })
}

pub(super) fn fields(names: &[&str]) -> Result<WithPayloadInterface, Error> {
    let paths = names.iter().map(|name| path(name)).collect::<Result<_, Error>>()?;
    Ok(WithPayloadInterface::Fields(paths))
}

pub(super) fn sparse(words: &Sparse) -> Result<VectorInternal, Error> {
    let vector = Vector::new_sparse(words.indices(), words.values());
    vector.map(VectorInternal::from).map_err(|error| Error::Failed(error.to_string()))
}

pub(super) fn upsert(points: &[Point]) -> Result<UpdateOperation, Error> {
    let points = points.iter().map(|point| {
        let mut vectors: HashMap<String, Vector> = HashMap::new();
        if let Some(IndexedDocument { dense, sparse: words }) = &point.vectors {
            vectors.insert(vector::DENSE.into(), Vector::new_dense(dense.clone()));
            if !words.is_empty() {
                vectors.insert(vector::WORDS.into(), sparse(words)?.into());
            }
        }
        let payload = Value::Object(point.payload.clone());
        Ok(PointStruct::new(PointId::Uuid(point.id), vectors, payload).into())
    });
    let points = PointInsertOperations::PointsList(points.collect::<Result<_, Error>>()?);
    Ok(UpdateOperation::PointOperation(PointOperations::UpsertPoints(points)))
}

/// Removes the documents of these subjects, all but these points.
pub(super) fn remove_others(subjects: &[Uuid], keep: &[Uuid]) -> Result<UpdateOperation, Error> {
    let subjects = subjects.iter().map(ToString::to_string).collect();
    let mut others = filter(vec![Condition::In(field::SUBJECT, subjects)])?;
    let keep: HasIdCondition = keep.iter().copied().map(PointId::Uuid).collect();
    others.must_not = Some(vec![EdgeCondition::HasId(keep)]);
    Ok(UpdateOperation::PointOperation(PointOperations::DeletePointsByFilter(others)))
}

/// Both vectors of a point, if they are whole.
pub(super) fn vectors(vectors: Option<VectorStructInternal>) -> Option<IndexedDocument> {
    let Some(VectorStructInternal::Named(mut named)) = vectors else { return None };
    let Some(VectorInternal::Dense(dense)) = named.remove(vector::DENSE) else { return None };
    let sparse = match named.remove(vector::WORDS) {
        Some(VectorInternal::Sparse(words)) => Sparse::from_unsorted(&words.indices, &words.values),
        Some(VectorInternal::Dense(_) | VectorInternal::MultiDense(_)) => return None,
        None => Sparse::default(),
    };
    Some(IndexedDocument { dense, sparse })
}

fn path(name: &str) -> Result<JsonPath, Error> {
    name.parse().map_err(|()| Error::Failed(format!("`{name}` is no field")))
}
