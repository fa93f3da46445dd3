//! Every way in has a lock: each RPC and each REST route is tried without a right to it. A new one that
//! this file does not know fails here.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use access::{Audience, Caller, Scope, Scopes};
use contract::transport::Transport;
use futures::stream;
use ids::{KeyId, OrgId, WorkspaceId};
use prost::Message;
use prost_types::FileDescriptorSet;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, Skill, Stack, client::reply, token::request, upload::Upload};
use tonic::{Code, Request, client::Grpc, codegen::http::uri::PathAndQuery};
use tonic_prost::ProstCodec;

/// Which scope each RPC needs.
const RPCS: &[(&str, Scope)] = &[
    ("/loadout.registry.v1.KeyService/CreateKey", Scope::KeysWrite),
    ("/loadout.registry.v1.KeyService/ListKeys", Scope::KeysWrite),
    ("/loadout.registry.v1.KeyService/RevokeKey", Scope::KeysWrite),
    ("/loadout.registry.v1.KeyService/VerifyKey", Scope::KeysVerify),
    ("/loadout.registry.v1.OrganizationService/CreateOrganization", Scope::Operate),
    ("/loadout.registry.v1.OrganizationService/ListOrganizations", Scope::Operate),
    ("/loadout.registry.v1.OrganizationService/CreateWorkspace", Scope::OrgAdmin),
    ("/loadout.registry.v1.OrganizationService/ListWorkspaces", Scope::OrgAdmin),
    ("/loadout.registry.v1.SkillService/ImportSkills", Scope::SkillsWrite),
    ("/loadout.registry.v1.SkillService/ListSkills", Scope::SkillsRead),
    ("/loadout.registry.v1.SkillService/GetSkill", Scope::SkillsRead),
    ("/loadout.registry.v1.SkillService/GetSkillFile", Scope::SkillsRead),
    ("/loadout.registry.v1.SkillService/DescribeSkills", Scope::SkillsRead),
    ("/loadout.registry.v1.SkillService/SetTag", Scope::SkillsWrite),
    ("/loadout.registry.v1.SkillService/RemoveTag", Scope::SkillsWrite),
    ("/loadout.registry.v1.UsageService/RecordCalls", Scope::CallsWrite),
    ("/loadout.registry.v1.UsageService/ListCalls", Scope::AnalyticsRead),
    ("/loadout.search.v1.SearchService/PutSubjects", Scope::SearchWrite),
    ("/loadout.search.v1.SearchService/FindDocuments", Scope::SkillsRead),
    ("/loadout.search.v1.SearchService/GetIndex", Scope::SearchWrite),
];

/// Every scope that an RPC can need, internal ones too.
fn every_scope() -> Scopes {
    Scope::all().chain(RPCS.iter().map(|(_, scope)| *scope)).collect()
}

/// The RPCs of the contract, and whether their requests are streams.
fn described() -> BTreeMap<String, bool> {
    let set = FileDescriptorSet::decode(contract::DESCRIPTION).unwrap();
    let mut rpcs = BTreeMap::new();
    for file in &set.file {
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                rpcs.insert(path, method.client_streaming());
            }
        }
    }
    rpcs
}

/// How an RPC answers to an empty message.
async fn call(way: Transport, path: &str, mut request: Request<()>) -> Code {
    let is_stream = described()[path];
    let mut grpc = Grpc::new(way);
    grpc.ready().await.unwrap();
    let path: PathAndQuery = path.parse().unwrap();
    request.set_timeout(std::time::Duration::from_secs(30));
    let codec = ProstCodec::<(), ()>::default();
    let answered = if is_stream {
        let request = request.map(|message| stream::iter([message]));
        grpc.client_streaming(request, path, codec).await
    } else {
        grpc.unary(request, path, codec).await
    };
    answered.map_or_else(|status| status.code(), |_| Code::Ok)
}

/// The ways in, with the audience that each takes and another that it must not.
struct Doors<'a>(&'a Stack);

impl Doors<'_> {
    fn of(&self, path: &str) -> (Transport, Audience, Audience) {
        if path.starts_with("/loadout.search.") {
            return (self.0.search(), Audience::Search, Audience::Registry);
        }
        (self.0.registry(), Audience::Registry, Audience::Search)
    }
}

fn caller(scopes: Scopes) -> Caller {
    let key = Some(KeyId::new());
    Caller { org: OrgId::new(), workspace: WorkspaceId::new(), member: None, key, scopes }
}

tests::over_every_layout!(every_rpc_is_locked, every_route_is_locked);

#[test]
fn every_rpc_of_the_contract_is_known_here() {
    let known: BTreeSet<String> = RPCS.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(known, described().into_keys().collect());
}

async fn every_rpc_is_locked(stack: &Stack) {
    let (doors, tokens) = (Doors(stack), stack.tokens());
    let able = caller(every_scope());
    for &(path, scope) in RPCS {
        let (way, own, other) = doors.of(path);
        let answer = async |token: &str| call(way.clone(), path, request(token, ())).await;
        let nobody = call(way.clone(), path, Request::new(())).await;
        assert_eq!(nobody, Code::Unauthenticated, "{path} without a token");
        assert_eq!(answer("").await, Code::Unauthenticated, "{path} with an empty one");
        let token = tokens.good(&able, other);
        assert_eq!(answer(&token).await, Code::Unauthenticated, "{path} of another audience");
        for false_token in [
            tokens.expired(&able, own),
            tokens.forged(&able, own),
            tokens.renamed(&able, own),
            tokens.spliced(&able, &caller(Scopes::default()), own),
        ] {
            assert_eq!(answer(&false_token).await, Code::Unauthenticated, "{path}");
        }
        let lacking = caller(every_scope().without([scope].into_iter().collect()));
        let token = tokens.good(&lacking, own);
        let denied = answer(&token).await;
        // Without a kind there is nothing to find, whatever one may.
        let is_kindless = path.ends_with("/FindDocuments") && denied == Code::InvalidArgument;
        assert!(
            denied == Code::PermissionDenied || is_kindless,
            "{path} without `{scope}`: {denied}"
        );
        let token = tokens.good(&caller([scope].into_iter().collect()), own);
        let let_in = answer(&token).await;
        // A key that nobody has is no key, which only its own check may say.
        let is_no_key = path.ends_with("/VerifyKey") && let_in == Code::Unauthenticated;
        let is_refused = [Code::Unauthenticated, Code::PermissionDenied].contains(&let_in);
        assert!(is_no_key || !is_refused, "{path} with `{scope}`: {let_in}");
    }
}

/// Who may use a route.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Open,
    Scope(Scope),
    /// A tool is not there for who may not use it; `whoami` is there for all.
    Tool(Option<Scope>),
    Operator,
}

/// Every route of the OpenAPI document, and who may use it.
const ROUTES: &[(&str, &str, Lock)] = &[
    ("GET", "/v1/openapi.json", Lock::Open),
    ("GET", "/v1/calls", Lock::Scope(Scope::AnalyticsRead)),
    ("GET", "/v1/keys", Lock::Scope(Scope::KeysWrite)),
    ("POST", "/v1/keys", Lock::Scope(Scope::KeysWrite)),
    ("DELETE", "/v1/keys/{id}", Lock::Scope(Scope::KeysWrite)),
    ("GET", "/v1/organizations", Lock::Operator),
    ("POST", "/v1/organizations", Lock::Operator),
    ("GET", "/v1/skills", Lock::Scope(Scope::SkillsRead)),
    ("POST", "/v1/skills/import", Lock::Scope(Scope::SkillsWrite)),
    ("GET", "/v1/skills/{id}", Lock::Scope(Scope::SkillsRead)),
    ("GET", "/v1/skills/{id}/files/{path}", Lock::Scope(Scope::SkillsRead)),
    ("PUT", "/v1/skills/{id}/tags/{tag}", Lock::Scope(Scope::SkillsWrite)),
    ("DELETE", "/v1/skills/{id}/tags/{tag}", Lock::Scope(Scope::SkillsWrite)),
    ("POST", "/v1/tools/find_skills", Lock::Tool(Some(Scope::SkillsRead))),
    ("POST", "/v1/tools/get_skill", Lock::Tool(Some(Scope::SkillsRead))),
    ("POST", "/v1/tools/get_skill_file", Lock::Tool(Some(Scope::SkillsRead))),
    ("POST", "/v1/tools/whoami", Lock::Tool(None)),
    ("POST", "/v1/tools/{name}", Lock::Tool(Some(Scope::SkillsRead))),
    ("GET", "/v1/workspaces", Lock::Scope(Scope::OrgAdmin)),
    ("POST", "/v1/workspaces", Lock::Scope(Scope::OrgAdmin)),
];

/// A whole request, so that nothing but the lock can be in its way.
async fn ask(client: &Client, method: &str, path: &str) -> u16 {
    let path = path
        .replace("{id}/files", "tidy/files")
        .replace("/keys/{id}", &format!("/keys/{}", KeyId::nil()))
        .replace("{id}", "tidy")
        .replace("{path}", "SKILL.md")
        .replace("{tag}", "prod")
        .replace("{name}", "find_skills");
    let request = client.request(method.parse::<Method>().unwrap(), &path);
    let request = match (method, &*path) {
        ("GET" | "DELETE", _) => request,
        (_, "/v1/skills/import") => {
            let upload = Upload::zip(&Skill::new("tidy").files());
            request.header("content-type", upload.media_type).body(upload.body)
        }
        (_, path) => request.json(&body(path)),
    };
    reply(request).await.status.as_u16()
}

fn body(path: &str) -> Value {
    match PathBuf::from(path).file_name().unwrap().to_str().unwrap() {
        "keys" => json!({ "name": "k", "scopes": ["skills:read"] }),
        "workspaces" | "organizations" => json!({ "slug": "another" }),
        "find_skills" => json!({ "query": "tidy" }),
        "get_skill" => json!({ "id": "tidy" }),
        "get_skill_file" => json!({ "id": "tidy", "path": "SKILL.md" }),
        _ => json!({}),
    }
}

async fn every_route_is_locked(stack: &Stack) {
    let acme = stack.organization("acme").await;
    acme.owner.import(&[Skill::new("tidy")]).await;
    let document = acme.owner.get("/v1/openapi.json").await.ok();
    let mut documented = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods = item.as_object().unwrap().keys().map(|method| method.to_uppercase());
        documented.extend(methods.map(|method| (path.clone(), method)));
    }
    let mut known: Vec<_> =
        ROUTES.iter().map(|(m, p, _)| ((*p).to_owned(), (*m).to_owned())).collect();
    documented.sort();
    known.sort();
    assert_eq!(documented, known);
    let (nobody, strange) = (acme.owner.with_key(""), acme.owner.with_key("lo_not_a_key"));
    let unfit = acme.key(&["components:read"]).await;
    for &(method, path, lock) in ROUTES {
        if lock == Lock::Open {
            assert_eq!(ask(&nobody, method, path).await, 200, "{path}");
            continue;
        }
        assert_eq!(ask(&nobody, method, path).await, 401, "{method} {path} without a key");
        assert_eq!(ask(&strange, method, path).await, 401, "{method} {path} with no key at all");
        let expected = match lock {
            Lock::Scope(_) => 403,
            Lock::Tool(Some(_)) => 404,
            Lock::Tool(None) | Lock::Open => 200,
            Lock::Operator => 401,
        };
        assert_eq!(ask(&unfit, method, path).await, expected, "{method} {path} with an unfit key");
    }
}
