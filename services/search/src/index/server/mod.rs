//! A Qdrant server, or a cluster of them: one collection for all organizations.
mod config;
mod request;

use std::fmt;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream};
use ids::IndexId;
use qdrant_client::{
    Qdrant, QdrantError,
    qdrant::{
        CountPointsBuilder, DeletePointsBuilder, GetPointsBuilder, PointId, QueryPoints,
        RetrievedPoint, ScrollPointsBuilder, UpdateMode, UpsertPointsBuilder, VectorInput,
        VectorsSelector, WriteOrdering, WriteOrderingType, point_id::PointIdOptions,
    },
};
use tonic::Code;
use uuid::Uuid;

use super::{
    Error, Known, VectorKind, VectorStore,
    condition::{Condition, visible, visible_by_name},
    point::{self, META_POINT, Meta, Point, field, vector},
};
use crate::model::{Corpus, Filter, Found, IndexedSubject, Sparse};

pub use config::ServerConfig;

/// How many points go into one request.
const POINTS_PER_REQUEST: usize = 256;
/// How many counts are under way at once.
const PARALLEL_COUNTS: usize = 8;

/// The store on a server.
pub struct ServerStore {
    client: Qdrant,
    collection: String,
    kind: VectorKind,
}

impl ServerStore {
    /// Connects, and makes the collection for these vectors if there is none.
    pub async fn open(config: &ServerConfig, kind: VectorKind) -> Result<Self, Error> {
        let collection = config.collection_of(&kind);
        let store = Self { client: config.client()?, collection, kind };
        store.ensure().await?;
        Ok(store)
    }

    /// Makes what is missing of the collection. Several may do so at once: the first to name the
    /// index has named it.
    async fn ensure(&self) -> Result<(), Error> {
        let collection = request::collection(&self.collection, &self.kind);
        if !self.client.collection_exists(&self.collection).await?
            && let Err(error) = self.client.create_collection(collection).await
            && !self.client.collection_exists(&self.collection).await?
        {
            return Err(error.into());
        }
        for index in request::indexes(&self.collection) {
            self.client.create_field_index(index).await?;
        }
        if self.meta().await?.is_none() {
            self.insert_meta().await?;
        }
        Ok(())
    }

    async fn insert_meta(&self) -> Result<(), Error> {
        let meta = Meta::new(&self.kind);
        let request = UpsertPointsBuilder::new(&self.collection, [request::point(&meta.point())])
            .wait(true)
            .ordering(strong())
            .update_mode(UpdateMode::InsertOnly);
        self.client.upsert_points(request).await?;
        Ok(())
    }

    async fn meta(&self) -> Result<Option<Meta>, Error> {
        let request =
            GetPointsBuilder::new(&self.collection, [request::id(META_POINT)]).with_payload(true);
        let points = self.client.get_points(request).await?.result;
        Ok(points.into_iter().next().and_then(|meta| Meta::read(request::json(meta.payload))))
    }

    async fn write(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        let subjects = self.newest(subjects).await?;
        let owners: Vec<(Uuid, i64)> = subjects
            .iter()
            .map(|each| (point::subject_point(&each.subject), each.subject.sequence))
            .collect();
        let points: Vec<Point> = subjects
            .into_iter()
            .flat_map(|each| point::points(&each.subject, each.vectors))
            .collect();
        for points in points.chunks(POINTS_PER_REQUEST) {
            let points: Vec<_> = points.iter().map(request::point).collect();
            let request = UpsertPointsBuilder::new(&self.collection, points);
            self.client.upsert_points(request.wait(true).ordering(strong())).await?;
        }
        if owners.is_empty() {
            return Ok(());
        }
        let kept: Vec<Uuid> = points.iter().map(|point| point.id).collect();
        let request = DeletePointsBuilder::new(&self.collection)
            .points(request::others(&owners, &kept))
            .wait(true)
            .ordering(strong());
        self.client.delete_points(request).await?;
        Ok(())
    }

    /// The subjects whose sequence is not lower than the one that is kept.
    async fn newest(&self, subjects: Vec<IndexedSubject>) -> Result<Vec<IndexedSubject>, Error> {
        let ids: Vec<PointId> =
            subjects.iter().map(|each| request::id(point::subject_point(&each.subject))).collect();
        let request = GetPointsBuilder::new(&self.collection, ids)
            .with_payload(request::fields(&[field::SEQUENCE]));
        let kept = self.client.get_points(request).await?.result;
        Ok(point::newest(subjects, kept.into_iter().filter_map(sequence).collect()))
    }

    async fn query(&self, request: QueryPoints) -> Result<Vec<Found>, Error> {
        let points = self.client.query(request).await?.result;
        points
            .into_iter()
            .map(|each| {
                let vectors = request::vectors(each.vectors.as_ref());
                point::found(Some(request::json(each.payload)), vectors)
            })
            .collect()
    }

    async fn count_term(&self, key: i64) -> Result<u64, Error> {
        let filter = request::filter(vec![Condition::Has(field::TERMS, key)]);
        let request = CountPointsBuilder::new(&self.collection).filter(filter).exact(false);
        Ok(self.client.count(request).await?.result.map_or(0, |counted| counted.count))
    }
}

#[async_trait]
impl VectorStore for ServerStore {
    async fn index_id(&self) -> Result<IndexId, Error> {
        match self.meta().await {
            Ok(Some(meta)) => return Ok(meta.index_id()),
            // Someone removed the collection, or what it is named by.
            Ok(None) | Err(Error::Missing) => self.ensure().await?,
            Err(error) => return Err(error),
        }
        let meta = self.meta().await?;
        meta.map(|meta| meta.index_id()).ok_or(Error::Missing)
    }

    async fn put_subjects(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        point::check_vectors(&subjects, self.kind.dimensions)?;
        match self.write(subjects.clone()).await {
            Err(Error::Missing) => {
                self.ensure().await?;
                self.write(subjects).await
            }
            done => done,
        }
    }

    async fn nearest(
        &self,
        filter: &Filter,
        dense: &[f32],
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        let query = VectorInput::new_dense(dense);
        let conditions = visible(filter);
        self.query(request::nearest(&self.collection, query, vector::DENSE, conditions, limit))
            .await
    }

    async fn lexical(
        &self,
        filter: &Filter,
        words: &Sparse,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        if words.is_empty() {
            return Ok(vec![]);
        }
        let (query, conditions) = (request::sparse(words), visible(filter));
        self.query(request::nearest(&self.collection, query, vector::WORDS, conditions, limit))
            .await
    }

    async fn named(&self, filter: &Filter, name: &str, limit: usize) -> Result<Vec<Found>, Error> {
        let request = ScrollPointsBuilder::new(&self.collection)
            .filter(request::filter(visible_by_name(filter, name)))
            .limit(u32::try_from(limit).unwrap_or(u32::MAX))
            .with_payload(request::fields(&field::ANSWERED))
            .with_vectors(true);
        let points = self.client.scroll(request).await?.result;
        points.into_iter().map(found).collect()
    }

    async fn document_frequency(&self, corpus: Corpus, terms: &[u32]) -> Result<Vec<u64>, Error> {
        let counts: Vec<_> =
            terms.iter().map(|term| self.count_term(point::term_key(corpus, *term))).collect();
        stream::iter(counts).buffered(PARALLEL_COUNTS).try_collect().await
    }

    async fn count(&self, corpus: Corpus) -> Result<u64, Error> {
        self.count_term(point::corpus_term(corpus)).await
    }

    async fn known(&self, points: &[Uuid]) -> Result<Vec<Known>, Error> {
        let ids: Vec<PointId> = points.iter().copied().map(request::id).collect();
        let request = GetPointsBuilder::new(&self.collection, ids)
            .with_payload(request::fields(&[field::TEXT_SHA256]))
            .with_vectors(VectorsSelector { names: vec![vector::DENSE.to_owned()] });
        match self.client.get_points(request).await.map_err(Error::from) {
            Ok(found) => Ok(found.result.into_iter().filter_map(known).collect()),
            Err(Error::Missing) => Ok(vec![]),
            Err(error) => Err(error),
        }
    }
}

/// Writes go through one leader, so that they are in one order on every replica.
fn strong() -> WriteOrdering {
    WriteOrdering { r#type: WriteOrderingType::Strong.into() }
}

fn uuid(id: Option<PointId>) -> Option<Uuid> {
    match id?.point_id_options? {
        PointIdOptions::Uuid(text) => text.parse().ok(),
        PointIdOptions::Num(_) => None,
    }
}

fn sequence(point: RetrievedPoint) -> Option<(Uuid, i64)> {
    let sequence = point.payload.get(field::SEQUENCE)?.as_integer()?;
    Some((uuid(point.id)?, sequence))
}

fn found(point: RetrievedPoint) -> Result<Found, Error> {
    let vectors = request::vectors(point.vectors.as_ref());
    point::found(Some(request::json(point.payload)), vectors)
}

fn known(point: RetrievedPoint) -> Option<Known> {
    let text_sha256 = point.payload.get(field::TEXT_SHA256)?.as_str()?.clone();
    let dense = request::vectors(point.vectors.as_ref())?.dense;
    Some(Known { point: uuid(point.id)?, text_sha256, dense })
}

impl From<QdrantError> for Error {
    fn from(error: QdrantError) -> Self {
        let code = match &error {
            QdrantError::ResponseError { status } => status.code(),
            QdrantError::ResourceExhaustedError { .. } => Code::ResourceExhausted,
            _ => return Self::Failed(error.to_string()),
        };
        match code {
            Code::NotFound => Self::Missing,
            Code::Unavailable | Code::DeadlineExceeded | Code::ResourceExhausted => {
                Self::Unavailable(error.to_string())
            }
            Code::Unauthenticated | Code::PermissionDenied => {
                Self::Settings(format!("the server refuses the key: {error}"))
            }
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl fmt::Debug for ServerStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerStore").field("collection", &self.collection).finish_non_exhaustive()
    }
}
