//! The registry's door: it decodes, checks the caller, acts and encodes.
mod convert;
mod import;
mod key;
mod organization;
mod skill;
mod tag;
mod upload;
mod usage;

use std::sync::Arc;

use access::{Door, answer};
use clock::Clock;
use contract::registry::{
    self as wire, key_service_server::KeyService, key_service_server::KeyServiceServer,
    organization_service_server::OrganizationService,
    organization_service_server::OrganizationServiceServer, skill_service_server::SkillService,
    skill_service_server::SkillServiceServer, usage_service_server::UsageService,
    usage_service_server::UsageServiceServer,
};
use database::Database;
use ids::OrgId;
use tonic::{
    Request, Response, Status, Streaming, async_trait,
    service::{Routes, interceptor::InterceptedService},
};

use crate::{announce::Announcer, blob::Blobs, outbox::Outbox, recent::Recent};

/// A file of 16 MiB, and room for what stands around it.
const LARGEST_MESSAGE: usize = 17 * 1024 * 1024;

/// What the calls work with.
#[derive(Debug)]
pub(crate) struct Rooms {
    pub(crate) database: Database,
    pub(crate) blobs: Blobs,
    pub(crate) outbox: Outbox,
    pub(crate) recent: Recent,
    pub(crate) announcer: Announcer,
    pub(crate) clock: Clock,
}

impl Rooms {
    /// A skill of the organization has changed: nobody answers any more what was true before.
    async fn skill_changed(&self, org: OrgId) {
        self.recent.forget(org);
        self.announcer.skill_changed(org).await;
    }
}

pub(crate) fn routes(rooms: Arc<Rooms>, door: &Door) -> Routes {
    let registry = Arc::new(Registry(rooms));
    let skills = SkillServiceServer::from_arc(Arc::clone(&registry));
    let skills = skills.max_encoding_message_size(LARGEST_MESSAGE);
    let keys = KeyServiceServer::from_arc(Arc::clone(&registry));
    let organizations = OrganizationServiceServer::from_arc(Arc::clone(&registry));
    let usage = UsageServiceServer::from_arc(registry);
    Routes::new(InterceptedService::new(skills, door.clone()))
        .add_service(InterceptedService::new(keys, door.clone()))
        .add_service(InterceptedService::new(organizations, door.clone()))
        .add_service(InterceptedService::new(usage, door.clone()))
}

struct Registry(Arc<Rooms>);

type Answer<T> = Result<Response<T>, Status>;

#[async_trait]
impl OrganizationService for Registry {
    async fn create_organization(
        &self,
        request: Request<wire::CreateOrganizationRequest>,
    ) -> Answer<wire::CreateOrganizationResponse> {
        answer(request, |caller, message| organization::create(&self.0, caller, message)).await
    }

    async fn list_organizations(
        &self,
        request: Request<wire::ListOrganizationsRequest>,
    ) -> Answer<wire::ListOrganizationsResponse> {
        answer(request, |caller, message| organization::list(&self.0, caller, message)).await
    }

    async fn create_workspace(
        &self,
        request: Request<wire::CreateWorkspaceRequest>,
    ) -> Answer<wire::CreateWorkspaceResponse> {
        answer(request, |caller, message| organization::create_workspace(&self.0, caller, message))
            .await
    }

    async fn list_workspaces(
        &self,
        request: Request<wire::ListWorkspacesRequest>,
    ) -> Answer<wire::ListWorkspacesResponse> {
        answer(request, |caller, message| organization::list_workspaces(&self.0, caller, message))
            .await
    }
}

#[async_trait]
impl KeyService for Registry {
    async fn create_key(
        &self,
        request: Request<wire::CreateKeyRequest>,
    ) -> Answer<wire::CreateKeyResponse> {
        answer(request, |caller, message| key::create(&self.0, caller, message)).await
    }

    async fn list_keys(
        &self,
        request: Request<wire::ListKeysRequest>,
    ) -> Answer<wire::ListKeysResponse> {
        answer(request, |caller, message| key::list(&self.0, caller, message)).await
    }

    async fn revoke_key(
        &self,
        request: Request<wire::RevokeKeyRequest>,
    ) -> Answer<wire::RevokeKeyResponse> {
        answer(request, |caller, message| key::revoke(&self.0, caller, message)).await
    }

    async fn verify_key(
        &self,
        request: Request<wire::VerifyKeyRequest>,
    ) -> Answer<wire::VerifyKeyResponse> {
        answer(request, |caller, message| key::verify(&self.0, caller, message)).await
    }
}

#[async_trait]
impl SkillService for Registry {
    async fn import_skills(
        &self,
        request: Request<Streaming<wire::ImportSkillsRequest>>,
    ) -> Answer<wire::ImportSkillsResponse> {
        answer(request, |caller, stream| import::import(&self.0, caller, stream)).await
    }

    async fn list_skills(
        &self,
        request: Request<wire::ListSkillsRequest>,
    ) -> Answer<wire::ListSkillsResponse> {
        answer(request, |caller, message| skill::list(&self.0, caller, message)).await
    }

    async fn get_skill(
        &self,
        request: Request<wire::GetSkillRequest>,
    ) -> Answer<wire::GetSkillResponse> {
        answer(request, |caller, message| skill::get(&self.0, caller, message)).await
    }

    async fn get_skill_file(
        &self,
        request: Request<wire::GetSkillFileRequest>,
    ) -> Answer<wire::GetSkillFileResponse> {
        answer(request, |caller, message| skill::get_file(&self.0, caller, message)).await
    }

    async fn describe_skills(
        &self,
        request: Request<wire::DescribeSkillsRequest>,
    ) -> Answer<wire::DescribeSkillsResponse> {
        answer(request, |caller, message| skill::describe(&self.0, caller, message)).await
    }

    async fn set_tag(&self, request: Request<wire::SetTagRequest>) -> Answer<wire::SetTagResponse> {
        answer(request, |caller, message| tag::set(&self.0, caller, message)).await
    }

    async fn remove_tag(
        &self,
        request: Request<wire::RemoveTagRequest>,
    ) -> Answer<wire::RemoveTagResponse> {
        answer(request, |caller, message| tag::remove(&self.0, caller, message)).await
    }
}

#[async_trait]
impl UsageService for Registry {
    async fn record_calls(
        &self,
        request: Request<wire::RecordCallsRequest>,
    ) -> Answer<wire::RecordCallsResponse> {
        answer(request, |caller, message| usage::record(&self.0, caller, message)).await
    }

    async fn list_calls(
        &self,
        request: Request<wire::ListCallsRequest>,
    ) -> Answer<wire::ListCallsResponse> {
        answer(request, |caller, message| usage::list(&self.0, caller, message)).await
    }
}
