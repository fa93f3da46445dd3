//! One open store: what can be done with it, with Edge's panics turned into errors.
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use ids::IndexId;
use qdrant_edge::{
    CountRequest, EdgeShard, Filter, OperationResult, PointId, QueryRequest, Record, ScoredPoint,
    ScrollRequest, UpdateOperation, WithPayloadInterface, WithVector,
};
use uuid::Uuid;

use super::{
    super::{
        Error, Known, VectorKind,
        condition::{Condition, visible, visible_by_name},
        point::{self, META_POINT, Meta, Point, field, vector},
    },
    check::Origin,
    request,
};
use crate::model::{Corpus, Filter as Visible, Found, IndexedSubject, Sparse};

/// How many points one update takes: bounds a record of the write-ahead log.
const POINTS_PER_UPDATE: usize = 256;

/// An open store.
#[derive(Debug)]
pub(super) struct Shard {
    edge: EdgeShard,
    meta: Meta,
    /// Grows with each write, so that one that Edge ignored is noticed.
    writes: AtomicU64,
}

impl Shard {
    /// Makes a new, empty store.
    pub(super) fn create(folder: &Path, kind: &VectorKind) -> Result<Self, Error> {
        let edge = guarded("creating", || EdgeShard::new(folder, request::config(kind)))?;
        let shard = Self { edge, meta: Meta::new(kind), writes: AtomicU64::new(0) };
        for index in request::indexes()? {
            shard.update(index)?;
        }
        shard.write_meta()?;
        shard.flush()?;
        Ok(shard)
    }

    /// Opens a store and makes sure that it is whole, and made of these vectors.
    pub(super) fn load(folder: &Path, kind: &VectorKind, origin: Origin) -> Result<Self, Error> {
        let config = request::config(kind);
        let edge = guarded("loading", || EdgeShard::load(folder, Some(config)))?;
        let meta = read_meta(&edge)?;
        if !meta.fits(kind) {
            return Err(Error::Failed(format!("it was made by `{}`", meta.model)));
        }
        let writes = AtomicU64::new(meta.writes);
        let shard = Self { edge, meta, writes };
        shard.check(origin)?;
        Ok(shard)
    }

    pub(super) fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(super) fn dimensions(&self) -> usize {
        self.meta.dimensions
    }

    pub(super) fn index_id(&self) -> IndexId {
        self.meta.index_id()
    }

    /// Replaces what is kept of these subjects. Durable after [`Self::flush`].
    pub(super) fn write(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        let subjects = self.newest(subjects)?;
        let owners: Vec<Uuid> =
            subjects.iter().map(|each| point::subject_point(&each.subject)).collect();
        let points: Vec<Point> = subjects
            .into_iter()
            .flat_map(|each| point::points(&each.subject, each.vectors))
            .collect();
        for points in points.chunks(POINTS_PER_UPDATE) {
            self.update(request::upsert(points)?)?;
        }
        let kept: Vec<Uuid> = points.iter().map(|point| point.id).collect();
        self.update(request::remove_others(&owners, &kept)?)?;
        self.write_meta()
    }

    /// Makes what was written durable. Never beside another update: Edge would panic.
    pub(super) fn flush(&self) -> Result<(), Error> {
        guarded("flushing", || {
            self.edge.flush();
            Ok(())
        })
    }

    /// Rebuilds what has grown or emptied enough; tells whether anything did.
    pub(super) fn optimize(&self) -> Result<bool, Error> {
        guarded("optimizing", || self.edge.optimize())
    }

    pub(super) fn nearest(
        &self,
        visible_to: &Visible,
        dense: Vec<f32>,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        self.query_nearest(dense, request::filter(visible(visible_to))?, limit)
    }

    pub(super) fn lexical(
        &self,
        visible_to: &Visible,
        words: &Sparse,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        self.query_lexical(words, request::filter(visible(visible_to))?, limit)
    }

    pub(super) fn named(
        &self,
        visible_to: &Visible,
        name: &str,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        let filter = request::filter(visible_by_name(visible_to, name))?;
        let fields = request::fields(&field::ANSWERED)?;
        self.scroll(Some(filter), fields, limit)?.into_iter().map(found_record).collect()
    }

    /// How many documents have the term, or any term at all.
    pub(super) fn count_term(&self, corpus: Corpus, term: Option<u32>) -> Result<u64, Error> {
        let key =
            term.map_or_else(|| point::corpus_term(corpus), |term| point::term_key(corpus, term));
        let filter = request::filter(vec![Condition::Has(field::TERMS, key)])?;
        // Not counted one by one: the index knows how many points have one value.
        self.count(Some(filter), Exactness::AsIndexed)
    }

    pub(super) fn known(&self, points: &[Uuid]) -> Result<Vec<Known>, Error> {
        let fields = request::fields(&[field::TEXT_SHA256])?;
        let dense = WithVector::Selector(vec![vector::DENSE.into()]);
        let records = self.retrieve(points, fields, dense)?;
        Ok(records.into_iter().filter_map(known).collect())
    }

    /// The subjects whose sequence is not lower than the one that is kept.
    fn newest(&self, subjects: Vec<IndexedSubject>) -> Result<Vec<IndexedSubject>, Error> {
        let ids: Vec<Uuid> =
            subjects.iter().map(|each| point::subject_point(&each.subject)).collect();
        let fields = request::fields(&[field::SEQUENCE])?;
        let records = self.retrieve(&ids, fields, WithVector::Bool(false))?;
        Ok(point::newest(subjects, records.into_iter().filter_map(sequence).collect()))
    }

    fn write_meta(&self) -> Result<(), Error> {
        let writes = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        let points = self.count(None, Exactness::OneByOne)?;
        let meta = Meta { points, writes, ..self.meta.clone() };
        self.update(request::upsert(&[meta.point()])?)
    }

    /// Whether the last write of all is kept. Edge ignores writes when its log has fallen behind its
    /// points; then nothing can be changed.
    pub(super) fn keeps_meta(&self) -> Result<bool, Error> {
        Ok(read_meta(&self.edge)?.writes == self.writes.load(Ordering::Relaxed))
    }

    fn update(&self, operation: UpdateOperation) -> Result<(), Error> {
        guarded("updating", || self.edge.update(operation))
    }

    pub(super) fn query_nearest(
        &self,
        dense: Vec<f32>,
        filter: Filter,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        self.query(request::nearest(dense.into(), vector::DENSE, filter, limit)?)
    }

    pub(super) fn query_lexical(
        &self,
        words: &Sparse,
        filter: Filter,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        if words.is_empty() {
            return Ok(vec![]);
        }
        self.query(request::nearest(request::sparse(words)?, vector::WORDS, filter, limit)?)
    }

    fn query(&self, request: QueryRequest) -> Result<Vec<Found>, Error> {
        let points = guarded("searching", || self.edge.query(request))?;
        points.into_iter().map(found).collect()
    }

    pub(super) fn scroll(
        &self,
        filter: Option<Filter>,
        with_payload: WithPayloadInterface,
        limit: usize,
    ) -> Result<Vec<Record>, Error> {
        let request = ScrollRequest {
            limit: Some(limit),
            filter,
            with_payload: Some(with_payload),
            with_vector: WithVector::Bool(true),
            ..ScrollRequest::default()
        };
        guarded("scrolling", || self.edge.scroll(request)).map(|(records, _)| records)
    }

    fn retrieve(
        &self,
        ids: &[Uuid],
        payload: WithPayloadInterface,
        vectors: WithVector,
    ) -> Result<Vec<Record>, Error> {
        let ids: Vec<PointId> = ids.iter().copied().map(PointId::Uuid).collect();
        guarded("retrieving", || self.edge.retrieve(&ids, Some(payload), Some(vectors)))
    }

    pub(super) fn count(&self, filter: Option<Filter>, exactness: Exactness) -> Result<u64, Error> {
        let exact = exactness == Exactness::OneByOne;
        let count = guarded("counting", || self.edge.count(CountRequest { filter, exact }))?;
        Ok(count as u64)
    }

    /// Closes the store. Edge flushes as it goes, which can panic like any flush.
    pub(super) fn close(self) -> Result<(), Error> {
        guarded("closing", || {
            drop(self.edge);
            Ok(())
        })
    }
}

/// How points are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exactness {
    OneByOne,
    AsIndexed,
}

fn read_meta(edge: &EdgeShard) -> Result<Meta, Error> {
    let payload = Some(WithPayloadInterface::Bool(true));
    let id = [PointId::Uuid(META_POINT)];
    let records = guarded("reading", || edge.retrieve(&id, payload, None))?;
    let payload = records.into_iter().next().and_then(|record| record.payload);
    let meta = payload.and_then(|payload| Meta::read(payload.0));
    meta.ok_or_else(|| Error::Failed("it does not say what it is".into()))
}

fn found(point: ScoredPoint) -> Result<Found, Error> {
    let ScoredPoint { payload, vector, .. } = point;
    point::found(payload.map(|payload| payload.0), request::vectors(vector))
}

fn found_record(record: Record) -> Result<Found, Error> {
    let Record { payload, vector, .. } = record;
    point::found(payload.map(|payload| payload.0), request::vectors(vector))
}

fn known(record: Record) -> Option<Known> {
    let PointId::Uuid(point) = record.id else { return None };
    let payload = record.payload?;
    let text_sha256 = payload.0.get(field::TEXT_SHA256)?.as_str()?.to_owned();
    Some(Known { point, text_sha256, dense: request::vectors(record.vector)?.dense })
}

fn sequence(record: Record) -> Option<(Uuid, i64)> {
    let PointId::Uuid(point) = record.id else { return None };
    Some((point, record.payload?.0.get(field::SEQUENCE)?.as_i64()?))
}

/// Does something with Edge. It panics where other libraries return an error.
fn guarded<T>(what: &str, work: impl FnOnce() -> OperationResult<T>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| Error::Failed(format!("{what}: {error}"))),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(Error::Failed(format!("{what}: {}", text.unwrap_or("a panic"))))
        }
    }
}
