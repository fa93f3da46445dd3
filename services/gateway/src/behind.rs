//! The services behind the gateway, as one caller reaches them.
use std::{sync::Arc, time::Duration};

use access::{Audience, Caller, Signer};
use contract::{
    registry::{
        key_service_client::KeyServiceClient,
        organization_service_client::OrganizationServiceClient,
        skill_service_client::SkillServiceClient, usage_service_client::UsageServiceClient,
    },
    search::search_service_client::SearchServiceClient,
    transport::Transport,
};
use process::RequestId;
use tonic::{Request, Response, Status, metadata::MetadataValue};

use crate::failure::Failure;

/// How long a service may take for one answer.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
/// The largest answer: a file of 16 MiB, and what stands around it.
const ANSWER_BYTES: usize = 24 << 20;

/// The ways to the services.
#[derive(Clone)]
pub(crate) struct Services(Arc<Ways>);

struct Ways {
    registry: Transport,
    search: Transport,
    signer: Signer,
}

/// The services, in one caller's name.
#[derive(Clone)]
pub(crate) struct Behind {
    services: Services,
    caller: Caller,
    request_id: Option<RequestId>,
}

impl Services {
    pub(crate) fn new(registry: Transport, search: Transport, signer: Signer) -> Self {
        Self(Arc::new(Ways { registry, search, signer }))
    }

    /// The services as `caller` reaches them, for the request that is being answered.
    pub(crate) fn for_caller(&self, caller: Caller) -> Behind {
        Behind { services: self.clone(), caller, request_id: RequestId::current() }
    }
}

impl Behind {
    /// The same, for a request that another task took in.
    pub(crate) fn in_request(self, request_id: Option<RequestId>) -> Self {
        Self { request_id, ..self }
    }

    pub(crate) fn skills(&self) -> SkillServiceClient<Transport> {
        let client = SkillServiceClient::new(self.services.0.registry.clone());
        client.max_decoding_message_size(ANSWER_BYTES)
    }

    pub(crate) fn keys(&self) -> KeyServiceClient<Transport> {
        KeyServiceClient::new(self.services.0.registry.clone())
    }

    pub(crate) fn organizations(&self) -> OrganizationServiceClient<Transport> {
        OrganizationServiceClient::new(self.services.0.registry.clone())
    }

    pub(crate) fn usage(&self) -> UsageServiceClient<Transport> {
        UsageServiceClient::new(self.services.0.registry.clone())
    }

    pub(crate) fn search(&self) -> SearchServiceClient<Transport> {
        SearchServiceClient::new(self.services.0.search.clone())
    }

    /// A request to the registry.
    pub(crate) fn to_registry<M>(&self, message: M) -> Result<Request<M>, Failure> {
        self.request(Audience::Registry, message)
    }

    /// A request to search.
    pub(crate) fn to_search<M>(&self, message: M) -> Result<Request<M>, Failure> {
        self.request(Audience::Search, message)
    }

    fn request<M>(&self, audience: Audience, message: M) -> Result<Request<M>, Failure> {
        let token = self.services.0.signer.token(&self.caller, audience);
        let token = token.map_err(Failure::internal)?;
        let header = MetadataValue::try_from(format!("Bearer {token}"));
        let mut request = Request::new(message);
        request.set_timeout(DEADLINE);
        let metadata = request.metadata_mut();
        metadata.insert("authorization", header.map_err(Failure::internal)?);
        process::outgoing(metadata);
        let id = self.request_id.as_ref().map(|id| MetadataValue::try_from(id.as_str()));
        if let Some(Ok(id)) = id {
            metadata.insert("x-request-id", id);
        }
        Ok(request)
    }
}

/// Waits for one answer of a service, within the deadline.
pub(crate) async fn answer<R>(
    rpc: impl Future<Output = Result<Response<R>, Status>>,
) -> Result<R, Failure> {
    answer_within(DEADLINE, rpc).await
}

pub(crate) async fn answer_within<R>(
    deadline: Duration,
    rpc: impl Future<Output = Result<Response<R>, Status>>,
) -> Result<R, Failure> {
    match tokio::time::timeout(deadline, rpc).await {
        Ok(answer) => Ok(answer?.into_inner()),
        Err(_elapsed) => {
            tracing::warn!(?deadline, "a service did not answer in time");
            Err(Failure::unavailable())
        }
    }
}
