//! The ways in which one organization tries to get at another.
use std::pin::Pin;

use access::{Audience, Caller, Scope};
use contract::{
    registry::{
        CreateKeyRequest, DescribeSkillsRequest, GetSkillFileRequest, GetSkillRequest,
        ListCallsRequest, ListKeysRequest, ListSkillsRequest, RemoveTagRequest, RevokeKeyRequest,
        SetTagRequest, VerifyKeyRequest, key_service_client::KeyServiceClient,
        skill_service_client::SkillServiceClient, usage_service_client::UsageServiceClient,
    },
    search::{
        FindDocumentsRequest, Kind, PutSubjectsRequest, Subject,
        search_service_client::SearchServiceClient,
    },
    transport::Transport,
};
use serde_json::{Value, json};
use tests::{Era, Reply, client::encoded, token::request};
use tonic::{Request, Response, Status};

use super::world::{Attacker, Thing};

type Answering<'a> = Pin<Box<dyn Future<Output = String> + 'a>>;
type Ask = for<'a> fn(&'a Attacker, String) -> Answering<'a>;

/// Every way, with what it is about.
pub(super) const ASKS: &[(Thing, Ask)] = &[
    // By id.
    (Thing::Id, |a, id| Box::pin(async move { a.rest(&format!("/v1/skills/{id}")).await })),
    (Thing::Id, |a, id| {
        Box::pin(async move { a.rest(&format!("/v1/skills/{id}?version=1")).await })
    }),
    (Thing::Id, |a, id| {
        Box::pin(async move { a.rest(&format!("/v1/skills/{id}?tag=prod")).await })
    }),
    (Thing::Id, |a, id| Box::pin(async move { a.file(&id, "SKILL.md").await })),
    (Thing::Id, |a, id| Box::pin(async move { a.file(&id, "references/notes.md").await })),
    (Thing::Id, |a, id| Box::pin(async move { a.file("deploy", &id).await })),
    (Thing::Id, |a, id| Box::pin(async move { a.delete(&format!("/v1/keys/{id}")).await })),
    (Thing::Id, |a, id| {
        Box::pin(async move { a.delete(&format!("/v1/skills/{id}/tags/prod")).await })
    }),
    (Thing::Id, |a, id| {
        Box::pin(async move { a.put(&format!("/v1/skills/{id}/tags/prod")).await })
    }),
    (Thing::Id, |a, id| Box::pin(async move { a.tool("get_skill", json!({ "id": id })).await })),
    (Thing::Id, |a, id| Box::pin(async move { a.mcp(Era::Initialize, "/w/main", &id).await })),
    (Thing::Id, |a, id| Box::pin(async move { a.mcp(Era::Stateless, "/mcp?tag=prod", &id).await })),
    (Thing::Id, |a, id| Box::pin(async move { a.mcp_file(&id, "SKILL.md").await })),
    (Thing::Id, |a, id| Box::pin(async move { a.rest(&format!("/v1/{id}")).await })),
    (Thing::Id, |a, id| Box::pin(async move { a.address(&format!("/w/{id}")).await })),
    (Thing::Id, |a, id| Box::pin(a.grpc_get(id))),
    (Thing::Id, |a, id| Box::pin(a.grpc_get_file(id))),
    (Thing::Id, |a, id| Box::pin(a.grpc_set_tag(id))),
    (Thing::Id, |a, id| Box::pin(a.grpc_remove_tag(id))),
    (Thing::Id, |a, id| Box::pin(a.grpc_describe(id, ""))),
    (Thing::Id, |a, id| Box::pin(a.grpc_describe(id, "prod"))),
    (Thing::Id, |a, id| Box::pin(a.grpc_revoke(id))),
    (Thing::Id, |a, id| Box::pin(a.grpc_verify(id))),
    (Thing::Id, |a, id| Box::pin(a.grpc_unindex(id))),
    // By slug.
    (Thing::PreySlug, |a, slug| {
        Box::pin(async move { a.rest(&format!("/v1/skills/{slug}")).await })
    }),
    (Thing::PreySlug, |a, slug| Box::pin(async move { a.file(&slug, "SKILL.md").await })),
    (Thing::PreySlug, |a, slug| {
        Box::pin(async move { a.mcp(Era::Stateless, "/w/main", &slug).await })
    }),
    (Thing::PreySlug, |a, slug| Box::pin(a.grpc_get(slug))),
    (Thing::PreySlug, |a, slug| Box::pin(a.grpc_set_tag(slug))),
    (Thing::SharedSlug, |a, slug| {
        Box::pin(async move { a.rest(&format!("/v1/skills/{slug}")).await })
    }),
    (Thing::SharedSlug, |a, slug| {
        Box::pin(async move { a.file(&slug, "references/notes.md").await })
    }),
    (Thing::SharedSlug, |a, slug| {
        Box::pin(async move { a.mcp(Era::Initialize, "/mcp", &slug).await })
    }),
    (Thing::SharedSlug, |a, slug| Box::pin(async move { a.mcp_file(&slug, "SKILL.md").await })),
    (Thing::SharedSlug, |a, slug| Box::pin(a.grpc_get(slug))),
    // By workspace.
    (Thing::Workspace, |a, slug| Box::pin(async move { a.address(&format!("/w/{slug}")).await })),
    (Thing::Workspace, |a, slug| Box::pin(a.grpc_make_key(slug))),
    // By cursor.
    (Thing::Cursor, |a, c| {
        Box::pin(async move { a.rest(&format!("/v1/skills?cursor={c}")).await })
    }),
    (Thing::Cursor, |a, c| {
        Box::pin(async move { a.rest(&format!("/v1/skills?tag=prod&cursor={c}")).await })
    }),
    (Thing::Cursor, |a, c| Box::pin(async move { a.rest(&format!("/v1/keys?cursor={c}")).await })),
    (Thing::Cursor, |a, c| Box::pin(async move { a.rest(&format!("/v1/calls?cursor={c}")).await })),
    (Thing::Cursor, |a, c| {
        Box::pin(async move { a.rest(&format!("/v1/workspaces?cursor={c}")).await })
    }),
    (Thing::Cursor, |a, c| Box::pin(a.grpc_list(c))),
    (Thing::Cursor, |a, c| Box::pin(a.grpc_list_keys(c))),
    (Thing::Cursor, |a, c| Box::pin(a.grpc_list_calls(c))),
    // By search.
    (Thing::Words, |a, words| {
        Box::pin(async move { a.tool("find_skills", json!({ "query": words, "limit": 50 })).await })
    }),
    (Thing::Words, |a, words| Box::pin(a.grpc_find(words))),
    // By false tokens and keys.
    (Thing::RegistryToken, |a, token| Box::pin(a.grpc_get_by(token))),
    (Thing::RegistryToken, |a, token| Box::pin(a.grpc_list_by(token))),
    (Thing::SearchToken, |a, token| Box::pin(a.grpc_find_by(token))),
    (Thing::Key, |a, key| Box::pin(async move { a.rest_by(&key, "/v1/skills").await })),
    (Thing::Key, |a, key| Box::pin(async move { a.rest_by(&key, "/v1/skills/deploy").await })),
];

/// An answer without what differs from request to request.
fn shown(reply: &Reply) -> String {
    let mut body: Value = match serde_json::from_slice(&reply.body) {
        Ok(body) => body,
        Err(_) => return format!("{} {}", reply.status, String::from_utf8_lossy(&reply.body)),
    };
    if let Some(body) = body.as_object_mut() {
        body.remove("request_id");
    }
    format!("{} {body}", reply.status)
}

fn told<M: std::fmt::Debug>(answer: Result<Response<M>, Status>) -> String {
    match answer {
        Ok(answer) => format!("{:?}", answer.into_inner()),
        Err(status) => format!("{:?} {}", status.code(), status.message()),
    }
}

impl Attacker {
    async fn rest(&self, path: &str) -> String {
        shown(&self.client.get(path).await)
    }

    async fn rest_by(&self, key: &str, path: &str) -> String {
        shown(&self.client.with_key(key).get(path).await)
    }

    async fn delete(&self, path: &str) -> String {
        shown(&self.client.delete(path).await)
    }

    async fn put(&self, path: &str) -> String {
        shown(&self.client.put(path, &json!({})).await)
    }

    async fn file(&self, skill: &str, path: &str) -> String {
        self.rest(&format!("/v1/skills/{skill}/files/{}", encoded(path))).await
    }

    async fn tool(&self, name: &str, arguments: Value) -> String {
        shown(&self.client.tool(name, &arguments).await)
    }

    async fn mcp(&self, era: Era, address: &str, id: &str) -> String {
        let arguments = json!({ "id": id });
        shown(&self.client.mcp(era, address).raw_call("get_skill", arguments).await)
    }

    async fn mcp_file(&self, id: &str, path: &str) -> String {
        let arguments = json!({ "id": id, "path": path });
        let agent = self.client.mcp(Era::Stateless, "/w/main");
        shown(&agent.raw_call("get_skill_file", arguments).await)
    }

    async fn address(&self, address: &str) -> String {
        let agent = self.client.mcp(Era::Stateless, address);
        shown(&agent.raw_call("get_skill", json!({ "id": "deploy" })).await)
    }

    fn skills(&self) -> SkillServiceClient<Transport> {
        SkillServiceClient::new(self.registry.clone())
    }

    fn keys(&self) -> KeyServiceClient<Transport> {
        KeyServiceClient::new(self.registry.clone())
    }

    /// A request past the gateway, with a true token of our own.
    fn own<M>(&self, message: M) -> Request<M> {
        request(&self.tokens.good(&self.caller, Audience::Registry), message)
    }

    async fn grpc_get(&self, skill: String) -> String {
        let message = GetSkillRequest { skill, ..GetSkillRequest::default() };
        told(self.skills().get_skill(self.own(message)).await)
    }

    async fn grpc_get_file(&self, skill: String) -> String {
        let path = "references/notes.md".to_owned();
        let message = GetSkillFileRequest { skill, path, ..GetSkillFileRequest::default() };
        told(self.skills().get_skill_file(self.own(message)).await)
    }

    async fn grpc_set_tag(&self, skill: String) -> String {
        let message = SetTagRequest { skill, tag: "stolen".to_owned(), version: 1 };
        told(self.skills().set_tag(self.own(message)).await)
    }

    async fn grpc_remove_tag(&self, skill: String) -> String {
        let message = RemoveTagRequest { skill, tag: "prod".to_owned() };
        told(self.skills().remove_tag(self.own(message)).await)
    }

    async fn grpc_describe(&self, id: String, tag: &str) -> String {
        // Of the right kind, so that it is looked for.
        let revision = format!("rev_{}", id.split_once('_').unwrap().1);
        let message = DescribeSkillsRequest { revision_ids: vec![revision], tag: tag.to_owned() };
        told(self.skills().describe_skills(self.own(message)).await)
    }

    async fn grpc_revoke(&self, id: String) -> String {
        let key_id = format!("key_{}", id.split_once('_').unwrap().1);
        let answer =
            self.keys().revoke_key(self.own(RevokeKeyRequest { key_id: key_id.clone() })).await;
        told(answer).replace(&key_id, "…")
    }

    /// As the gateway does, with a secret that is ours.
    async fn grpc_verify(&self, id: String) -> String {
        let key_id = format!("key_{}", id.split_once('_').unwrap().1);
        let own = access::KeyText::parse(&self.client.key).unwrap().secret_hash();
        let message = VerifyKeyRequest { key_id, secret_sha256: own.0.to_vec() };
        let gateway = Caller::for_nobody(Scope::KeysVerify);
        let token = self.tokens.good(&gateway, Audience::Registry);
        told(self.keys().verify_key(request(&token, message)).await)
    }

    /// As the registry does for us, about a thing that is not ours.
    async fn grpc_unindex(&self, id: String) -> String {
        let subject = Subject {
            kind: Kind::Skill.into(),
            // None: it would be forgotten.
            documents: Vec::new(),
            subject_id: id,
            sequence: i64::MAX / 2,
            workspace_id: self.caller.workspace.to_string(),
            member_id: String::new(),
        };
        let registry = Caller::service(self.caller.org, Scope::SearchWrite);
        let token = self.tokens.good(&registry, Audience::Search);
        let mut search = SearchServiceClient::new(self.search.clone());
        let message = PutSubjectsRequest { subjects: vec![subject] };
        told(search.put_subjects(request(&token, message)).await)
    }

    async fn grpc_make_key(&self, workspace: String) -> String {
        let (name, scopes) = ("k".to_owned(), vec!["skills:read".to_owned()]);
        let message = CreateKeyRequest { name, workspace, scopes, ..CreateKeyRequest::default() };
        told(self.keys().create_key(self.own(message)).await)
    }

    async fn grpc_list(&self, cursor: String) -> String {
        let message = ListSkillsRequest { cursor, ..ListSkillsRequest::default() };
        told(self.skills().list_skills(self.own(message)).await)
    }

    async fn grpc_list_keys(&self, cursor: String) -> String {
        let message = ListKeysRequest { cursor, limit: 0 };
        told(self.keys().list_keys(self.own(message)).await)
    }

    async fn grpc_list_calls(&self, cursor: String) -> String {
        let mut usage = UsageServiceClient::new(self.registry.clone());
        told(usage.list_calls(self.own(ListCallsRequest { cursor, limit: 0 })).await)
    }

    async fn grpc_find(&self, query: String) -> String {
        let token = self.tokens.good(&self.caller, Audience::Search);
        self.find_by(&token, query).await
    }

    async fn find_by(&self, token: &str, query: String) -> String {
        let kind = Kind::Skill.into();
        let message = FindDocumentsRequest { kind, query, label: String::new(), limit: 200 };
        let mut search = SearchServiceClient::new(self.search.clone());
        told(search.find_documents(request(token, message)).await)
    }

    async fn grpc_get_by(&self, token: String) -> String {
        let message = GetSkillRequest { skill: "deploy".to_owned(), ..GetSkillRequest::default() };
        told(self.skills().get_skill(request(&token, message)).await)
    }

    async fn grpc_list_by(&self, token: String) -> String {
        told(self.skills().list_skills(request(&token, ListSkillsRequest::default())).await)
    }

    async fn grpc_find_by(&self, token: String) -> String {
        self.find_by(&token, "deploy".to_owned()).await
    }
}
