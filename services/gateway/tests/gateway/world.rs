//! A registry and a search that hold what a test gives them.
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use access::{Caller, Scope, answer};
use contract::registry::{
    Call, CreateKeyRequest, CreateKeyResponse, CreateOrganizationRequest,
    CreateOrganizationResponse, CreateWorkspaceRequest, CreateWorkspaceResponse,
    DescribeSkillsRequest, DescribeSkillsResponse, GetSkillFileRequest, GetSkillFileResponse,
    GetSkillRequest, GetSkillResponse, ImportHeader, ImportSkillsRequest, ImportSkillsResponse,
    Key, ListCallsRequest, ListCallsResponse, ListKeysRequest, ListKeysResponse,
    ListOrganizationsRequest, ListOrganizationsResponse, ListSkillsRequest, ListSkillsResponse,
    ListWorkspacesRequest, ListWorkspacesResponse, RecordCallsRequest, RecordCallsResponse,
    RemoveTagRequest, RemoveTagResponse, Resource, ResourceKind, RevokeKeyRequest,
    RevokeKeyResponse, SetTagRequest, SetTagResponse, Skill, SkillDescriptor, Tag,
    VerifyKeyRequest, VerifyKeyResponse, import_skills_request::Part,
    key_service_server::KeyService, organization_service_server::OrganizationService,
    skill_service_server::SkillService, usage_service_server::UsageService,
};
use contract::search::{
    FindDocumentsRequest, FindDocumentsResponse, GetIndexRequest, GetIndexResponse, Hit,
    PutSubjectsRequest, PutSubjectsResponse, search_service_server::SearchService,
};
use fault::{Fault, Kind};
use tokio_stream::StreamExt;
use tonic::{Request, Response, Status, Streaming, async_trait};

pub(crate) const SKILL: &str = "skl_00000000000000000000000000000001";
pub(crate) const SLUG: &str = "tidy-up";
pub(crate) const ODD_PATH: &str = "references/a b?#%2F\u{e9}e\u{301}.md";

/// What the services know, and what they were asked.
#[derive(Default)]
pub(crate) struct World(Mutex<State>);

#[derive(Default)]
pub(crate) struct State {
    /// By the hash of the secret.
    pub(crate) keys: HashMap<Vec<u8>, VerifyKeyResponse>,
    pub(crate) verified: usize,
    pub(crate) is_away: bool,
    /// How long a look-up of a key takes.
    pub(crate) delay: Duration,
    /// How long a skill takes.
    pub(crate) skill_delay: Duration,
    pub(crate) asked_for_skill: Vec<GetSkillRequest>,
    /// The state that skills are answered from.
    pub(crate) as_of: String,
    pub(crate) searched: Vec<FindDocumentsRequest>,
    pub(crate) uploads: Vec<Upload>,
    pub(crate) uploads_broken: usize,
    pub(crate) made_keys: Vec<CreateKeyRequest>,
    pub(crate) batches: Vec<(Caller, Vec<Call>)>,
    pub(crate) refuse_batches: bool,
    pub(crate) callers: Vec<Caller>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Upload {
    pub(crate) header: ImportHeader,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) largest_piece: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub(crate) struct Failed(Kind, String);

impl Fault for Failed {
    fn kind(&self) -> Kind {
        self.0
    }
}

impl From<access::Denied> for Failed {
    fn from(denied: access::Denied) -> Self {
        Self(Kind::Denied, denied.to_string())
    }
}

impl World {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn enter(&self, caller: &Caller, scope: Scope) -> Result<MutexGuard<'_, State>, Failed> {
        let mut state = self.state();
        if state.is_away {
            return Err(Failed(Kind::Unavailable, "away".into()));
        }
        caller.require(scope)?;
        state.callers.push(caller.clone());
        Ok(state)
    }
}

/// The versions: `prod` is 1, the current one is 2.
fn version(tag: &str, version: u32) -> Result<u32, Failed> {
    match (tag, version) {
        ("", 0 | 2) => Ok(2),
        ("prod", 0) | ("", 1) => Ok(1),
        (tag, 0) => Err(Failed(Kind::NotFound, format!("no tag `{tag}`"))),
        (_, version) => Err(Failed(Kind::NotFound, format!("no version `{version}`"))),
    }
}

fn known(skill: &str) -> Result<(), Failed> {
    if [SKILL, SLUG].contains(&skill) {
        return Ok(());
    }
    Err(Failed(Kind::NotFound, format!("no skill `{skill}`")))
}

pub(crate) fn revision(version: u32) -> String {
    format!("rev_{version:032x}")
}

fn skill(version: u32) -> Skill {
    Skill {
        id: SKILL.into(),
        slug: SLUG.into(),
        name: "Tidy up".into(),
        description: "Tidies up. Use after work.".into(),
        version,
        revision_id: revision(version),
        owner: 1,
        tags: vec![Tag { name: "prod".into(), version: 1 }],
        ..Skill::default()
    }
}

fn files() -> Vec<(Resource, Vec<u8>)> {
    let file = |path: &str, kind: ResourceKind, content: &[u8]| {
        let resource = Resource {
            id: "res_00000000000000000000000000000001".into(),
            path: path.into(),
            kind: kind.into(),
            role: 1,
            size: content.len() as u64,
            sha256: format!("{:064x}", content.len()),
            is_text: std::str::from_utf8(content).is_ok(),
        };
        (resource, content.to_vec())
    };
    vec![
        file("logo.png", ResourceKind::Asset, b"\x89PNG\xff"),
        file(ODD_PATH, ResourceKind::Doc, b"# Odd"),
        file("run.sh", ResourceKind::Script, b"echo tidy\n"),
        file("SKILL.md", ResourceKind::Doc, b"---\nname: tidy-up\n---\nTidy."),
    ]
}

type Answer<T> = Result<Response<T>, Status>;

#[async_trait]
impl SkillService for &'static World {
    async fn import_skills(
        &self,
        request: Request<Streaming<ImportSkillsRequest>>,
    ) -> Answer<ImportSkillsResponse> {
        let guard = Broken(self);
        let act = async |caller: Caller, mut stream: Streaming<ImportSkillsRequest>| {
            drop(self.enter(&caller, Scope::SkillsWrite)?);
            let upload = receive(&mut stream).await?;
            self.state().uploads.push(upload);
            Ok::<_, Failed>(ImportSkillsResponse { indexing: 1, ..Default::default() })
        };
        let answered = answer(request, act).await;
        std::mem::forget(guard);
        answered
    }

    async fn list_skills(&self, request: Request<ListSkillsRequest>) -> Answer<ListSkillsResponse> {
        answer(request, async |caller, message: ListSkillsRequest| {
            drop(self.enter(&caller, Scope::SkillsRead)?);
            let skills = vec![skill(version(&message.tag, 0)?)];
            let next_cursor = Some(format!("after {} {}", message.cursor, message.limit));
            Ok::<_, Failed>(ListSkillsResponse { skills, next_cursor })
        })
        .await
    }

    async fn get_skill(&self, request: Request<GetSkillRequest>) -> Answer<GetSkillResponse> {
        let delay = self.state().skill_delay;
        tokio::time::sleep(delay).await;
        answer(request, async |caller, message: GetSkillRequest| {
            self.enter(&caller, Scope::SkillsRead)?.asked_for_skill.push(message.clone());
            known(&message.skill)?;
            let version = version(&message.tag, message.version)?;
            Ok::<_, Failed>(GetSkillResponse {
                skill: Some(skill(version)),
                body: format!("# Tidy {version}\n"),
                files: files().into_iter().map(|(file, _)| file).take(3).collect(),
                front_matter_json: r#"{"name": "tidy-up"}"#.into(),
                as_of: self.state().as_of.clone(),
            })
        })
        .await
    }

    async fn get_skill_file(
        &self,
        request: Request<GetSkillFileRequest>,
    ) -> Answer<GetSkillFileResponse> {
        answer(request, async |caller, message: GetSkillFileRequest| {
            drop(self.enter(&caller, Scope::SkillsRead)?);
            known(&message.skill)?;
            let version = version(&message.tag, message.version)?;
            let found = files().into_iter().find(|(file, _)| file.path == message.path);
            let none = || Failed(Kind::NotFound, format!("no file `{}`", message.path));
            let (file, content) = found.ok_or_else(none)?;
            let (skill_id, revision_id) = (SKILL.into(), revision(version));
            let file = Some(file);
            Ok::<_, Failed>(GetSkillFileResponse { skill_id, revision_id, version, file, content })
        })
        .await
    }

    async fn describe_skills(
        &self,
        request: Request<DescribeSkillsRequest>,
    ) -> Answer<DescribeSkillsResponse> {
        answer(request, async |caller, message: DescribeSkillsRequest| {
            drop(self.enter(&caller, Scope::SkillsRead)?);
            // Every hundredth revision is not there any more.
            let there = message.revision_ids.into_iter().filter(|id| !id.ends_with("99"));
            let skills = there.map(|revision_id| SkillDescriptor {
                skill_id: revision_id.replace("rev_", "skl_"),
                name: format!("Skill {}", revision_id.trim_start_matches("rev_0")),
                description: "One of many.".into(),
                found_as: revision_id.clone(),
                revision_id,
                ..Default::default()
            });
            Ok::<_, Failed>(DescribeSkillsResponse { skills: skills.collect() })
        })
        .await
    }

    async fn set_tag(&self, request: Request<SetTagRequest>) -> Answer<SetTagResponse> {
        answer(request, async |caller, SetTagRequest { skill, tag, version }| {
            drop(self.enter(&caller, Scope::SkillsWrite)?);
            known(&skill)?;
            let tag = Some(Tag { name: tag, version });
            Ok::<_, Failed>(SetTagResponse { tag, indexing: 1 })
        })
        .await
    }

    async fn remove_tag(&self, request: Request<RemoveTagRequest>) -> Answer<RemoveTagResponse> {
        answer(request, async |caller, message: RemoveTagRequest| {
            drop(self.enter(&caller, Scope::SkillsWrite)?);
            known(&message.skill)?;
            Ok::<_, Failed>(RemoveTagResponse { removed: message.tag == "prod" })
        })
        .await
    }
}

/// Counts an upload whose call was given up before it ended.
struct Broken(&'static World);

impl Drop for Broken {
    fn drop(&mut self) {
        self.0.state().uploads_broken += 1;
    }
}

async fn receive(stream: &mut Streaming<ImportSkillsRequest>) -> Result<Upload, Failed> {
    let mut upload = Upload::default();
    while let Some(message) = stream.next().await {
        let message = message.map_err(|error| Failed(Kind::Invalid, error.to_string()))?;
        match message.part.unwrap() {
            Part::Header(header) => upload.header = header,
            Part::Piece(piece) => {
                upload.largest_piece = upload.largest_piece.max(piece.data.len());
                match upload.files.last_mut().filter(|(path, _)| *path == piece.path) {
                    Some((_, content)) => content.extend_from_slice(&piece.data),
                    None => upload.files.push((piece.path, piece.data)),
                }
            }
        }
    }
    Ok(upload)
}

#[async_trait]
impl KeyService for &'static World {
    async fn create_key(&self, request: Request<CreateKeyRequest>) -> Answer<CreateKeyResponse> {
        answer(request, async |caller, message: CreateKeyRequest| {
            self.enter(&caller, Scope::KeysWrite)?.made_keys.push(message.clone());
            let key = Some(Key { name: message.name, ..Key::default() });
            Ok::<_, Failed>(CreateKeyResponse { key, secret: "lo_shown_once".into() })
        })
        .await
    }

    async fn list_keys(&self, request: Request<ListKeysRequest>) -> Answer<ListKeysResponse> {
        answer(request, async |caller, _| {
            drop(self.enter(&caller, Scope::KeysWrite)?);
            Ok::<_, Failed>(ListKeysResponse::default())
        })
        .await
    }

    async fn revoke_key(&self, request: Request<RevokeKeyRequest>) -> Answer<RevokeKeyResponse> {
        answer(request, async |caller, message: RevokeKeyRequest| {
            let mut state = self.enter(&caller, Scope::KeysWrite)?;
            state.keys.retain(|_, known| known.key.as_ref().unwrap().id != message.key_id);
            Ok::<_, Failed>(RevokeKeyResponse::default())
        })
        .await
    }

    async fn verify_key(&self, request: Request<VerifyKeyRequest>) -> Answer<VerifyKeyResponse> {
        let delay = self.state().delay;
        tokio::time::sleep(delay).await;
        answer(request, async |caller, message: VerifyKeyRequest| {
            let mut state = self.enter(&caller, Scope::KeysVerify)?;
            state.verified += 1;
            let known = state.keys.get(&message.secret_sha256).cloned();
            let known = known.filter(|k| k.key.as_ref().unwrap().id == message.key_id);
            known.ok_or_else(|| Failed(Kind::NotFound, "no such key".into()))
        })
        .await
    }
}

#[async_trait]
impl OrganizationService for &'static World {
    async fn create_organization(
        &self,
        request: Request<CreateOrganizationRequest>,
    ) -> Answer<CreateOrganizationResponse> {
        answer(request, async |caller, _| {
            drop(self.enter(&caller, Scope::Operate)?);
            Ok::<_, Failed>(CreateOrganizationResponse::default())
        })
        .await
    }

    async fn list_organizations(
        &self,
        request: Request<ListOrganizationsRequest>,
    ) -> Answer<ListOrganizationsResponse> {
        answer(request, async |caller, _| {
            drop(self.enter(&caller, Scope::Operate)?);
            Ok::<_, Failed>(ListOrganizationsResponse::default())
        })
        .await
    }

    async fn create_workspace(
        &self,
        request: Request<CreateWorkspaceRequest>,
    ) -> Answer<CreateWorkspaceResponse> {
        answer(request, async |caller, _| {
            drop(self.enter(&caller, Scope::OrgAdmin)?);
            Ok::<_, Failed>(CreateWorkspaceResponse::default())
        })
        .await
    }

    async fn list_workspaces(
        &self,
        request: Request<ListWorkspacesRequest>,
    ) -> Answer<ListWorkspacesResponse> {
        answer(request, async |caller, _| {
            drop(self.enter(&caller, Scope::OrgAdmin)?);
            Ok::<_, Failed>(ListWorkspacesResponse::default())
        })
        .await
    }
}

#[async_trait]
impl UsageService for &'static World {
    async fn record_calls(
        &self,
        request: Request<RecordCallsRequest>,
    ) -> Answer<RecordCallsResponse> {
        answer(request, async |caller, message: RecordCallsRequest| {
            let mut state = self.enter(&caller, Scope::CallsWrite)?;
            if state.refuse_batches {
                return Err(Failed(Kind::Unavailable, "away".into()));
            }
            state.batches.push((caller, message.calls));
            Ok(RecordCallsResponse {})
        })
        .await
    }

    async fn list_calls(&self, request: Request<ListCallsRequest>) -> Answer<ListCallsResponse> {
        answer(request, async |caller, _| {
            drop(self.enter(&caller, Scope::AnalyticsRead)?);
            Ok::<_, Failed>(ListCallsResponse::default())
        })
        .await
    }
}

#[async_trait]
impl SearchService for &'static World {
    async fn put_subjects(&self, _: Request<PutSubjectsRequest>) -> Answer<PutSubjectsResponse> {
        Err(Status::unimplemented("the gateway never writes"))
    }

    async fn find_documents(
        &self,
        request: Request<FindDocumentsRequest>,
    ) -> Answer<FindDocumentsResponse> {
        answer(request, async |caller, message: FindDocumentsRequest| {
            self.enter(&caller, Scope::SkillsRead)?.searched.push(message.clone());
            let hit = |number: u32| Hit {
                subject_id: format!("skl_{number:032}"),
                document_id: format!("rev_{number:032}"),
                score: 1.0 / f32::from(u16::try_from(number - 96).unwrap()),
            };
            let hits = (97..97 + message.limit).map(hit).collect();
            Ok::<_, Failed>(FindDocumentsResponse { hits })
        })
        .await
    }

    async fn get_index(&self, _: Request<GetIndexRequest>) -> Answer<GetIndexResponse> {
        Err(Status::unimplemented("the gateway never asks"))
    }
}
