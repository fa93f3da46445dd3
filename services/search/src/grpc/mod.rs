//! The door of search: it decodes, checks the caller, acts and encodes.
mod convert;
mod find;
mod put;

use access::{Caller, Door, Scope, answer};
use contract::search::{
    FindDocumentsRequest, FindDocumentsResponse, GetIndexRequest, GetIndexResponse,
    PutSubjectsRequest, PutSubjectsResponse,
    search_service_server::{SearchService, SearchServiceServer},
};
use tonic::{
    Request, Response, Status, async_trait,
    service::{Routes, interceptor::InterceptedService},
};

use crate::{Error, Result, engine::Engine, error::Size};

/// How large a message may be: 256 subjects with long texts fit.
const MESSAGE_BYTES: usize = 64 << 20;

pub(crate) fn routes(engine: Engine, door: Door) -> Routes {
    let server =
        SearchServiceServer::new(Search { engine }).max_decoding_message_size(MESSAGE_BYTES);
    Routes::new(InterceptedService::new(server, door))
}

struct Search {
    engine: Engine,
}

#[async_trait]
impl SearchService for Search {
    async fn put_subjects(
        &self,
        request: Request<PutSubjectsRequest>,
    ) -> Result<Response<PutSubjectsResponse>, Status> {
        answer(request, |caller, message| put::put(&self.engine, caller, message)).await
    }

    async fn find_documents(
        &self,
        request: Request<FindDocumentsRequest>,
    ) -> Result<Response<FindDocumentsResponse>, Status> {
        answer(request, |caller, message| find::find(&self.engine, caller, message)).await
    }

    async fn get_index(
        &self,
        request: Request<GetIndexRequest>,
    ) -> Result<Response<GetIndexResponse>, Status> {
        answer(request, |caller, _| get_index(&self.engine, caller)).await
    }
}

#[tracing::instrument(name = "index.get", skip_all)]
async fn get_index(engine: &Engine, caller: Caller) -> Result<GetIndexResponse> {
    caller.require(Scope::SearchWrite)?;
    let embedder = engine.embedder();
    Ok(GetIndexResponse {
        index_id: engine.index_id().await?.to_string(),
        model: embedder.name().to_owned(),
        dimensions: u32::try_from(embedder.dimensions()).unwrap_or(u32::MAX),
    })
}

/// Checks that something is as large as it may be.
fn check(
    field: &'static str,
    unit: &'static str,
    allowed: std::ops::RangeInclusive<usize>,
    actual: usize,
) -> Result<(), Size> {
    if allowed.contains(&actual) {
        return Ok(());
    }
    Err(Size { field, unit, least: *allowed.start(), most: *allowed.end(), actual })
}
