//! Every route of REST.
use access::Scope;
use axum::routing::{delete, get, post, put};
use contract::registry;
use http::Method;
use serde_json::{Map, Value};

use super::{
    calls,
    extract::PageQuery,
    files, get_openapi, import, keys, organizations,
    route::{Access, Route},
    skills, tags, tools,
};
use crate::pin::Pin;

type Object = Map<String, Value>;

pub(crate) fn all() -> Vec<Route> {
    [about(), skills(), tags(), keys(), workspaces(), organizations()]
        .into_iter()
        .flatten()
        .collect()
}

fn about() -> Vec<Route> {
    vec![
        Route::new::<Object>(Method::GET, "/v1/openapi.json", Access::Public, get(get_openapi))
            .summary("This document."),
        Route::new::<Object>(Method::POST, "/v1/tools/{name}", Access::Key, post(tools::call))
            .summary("Calls a tool with its arguments, and answers what it does.")
            .query::<Pin>()
            .body::<Object>(),
        Route::new::<registry::ListCallsResponse>(
            Method::GET,
            "/v1/calls",
            Access::WholeKey,
            get(calls::list),
        )
        .summary("Lists recorded calls, newest first.")
        .needs(Scope::AnalyticsRead)
        .query::<PageQuery>(),
    ]
}

fn skills() -> Vec<Route> {
    vec![
        Route::new::<registry::ListSkillsResponse>(
            Method::GET,
            "/v1/skills",
            Access::KeyFor("find_skills"),
            get(skills::list),
        )
        .summary("Lists skills by slug.")
        .needs(Scope::SkillsRead)
        .query::<skills::ListQuery>(),
        Route::new::<registry::ImportSkillsResponse>(
            Method::POST,
            "/v1/skills/import",
            Access::WholeKey,
            post(import::import),
        )
        .summary("Publishes the skills of an archive or of uploaded files, up to 64 MiB.")
        .needs(Scope::SkillsWrite)
        .query::<import::ImportQuery>()
        .bytes(import::MEDIA_TYPES),
        Route::new::<registry::GetSkillResponse>(
            Method::GET,
            "/v1/skills/{id}",
            Access::KeyFor("get_skill"),
            get(skills::get),
        )
        .summary("Returns one revision of a skill: its instructions and the list of its files.")
        .needs(Scope::SkillsRead)
        .query::<skills::RevisionQuery>(),
        Route::new::<Object>(
            Method::GET,
            "/v1/skills/{id}/files/{*path}",
            Access::KeyFor("get_skill_file"),
            get(files::get),
        )
        .summary("Returns one file of a revision, byte for byte.")
        .needs(Scope::SkillsRead)
        .query::<skills::RevisionQuery>()
        .answers_bytes(files::MEDIA_TYPES),
    ]
}

fn tags() -> Vec<Route> {
    const PATH: &str = "/v1/skills/{id}/tags/{tag}";
    vec![
        Route::new::<registry::SetTagResponse>(Method::PUT, PATH, Access::WholeKey, put(tags::set))
            .summary("Makes a tag name a revision of a skill.")
            .needs(Scope::SkillsWrite)
            .body::<tags::NewTag>(),
        Route::new::<registry::RemoveTagResponse>(
            Method::DELETE,
            PATH,
            Access::WholeKey,
            delete(tags::remove),
        )
        .summary("Removes a tag from a skill; removing it again changes nothing.")
        .needs(Scope::SkillsWrite),
    ]
}

fn keys() -> Vec<Route> {
    vec![
        Route::new::<registry::ListKeysResponse>(
            Method::GET,
            "/v1/keys",
            Access::WholeKey,
            get(keys::list),
        )
        .summary("Lists the organization's keys, newest first, ended ones included.")
        .needs(Scope::KeysWrite)
        .query::<PageQuery>(),
        Route::new::<registry::CreateKeyResponse>(
            Method::POST,
            "/v1/keys",
            Access::WholeKey,
            post(keys::create),
        )
        .summary("Makes a key; the whole of it is shown this once.")
        .needs(Scope::KeysWrite)
        .body::<keys::NewKey>()
        .creates(),
        Route::new::<registry::RevokeKeyResponse>(
            Method::DELETE,
            "/v1/keys/{id}",
            Access::WholeKey,
            delete(keys::revoke),
        )
        .summary("Ends a key, everywhere within one second.")
        .needs(Scope::KeysWrite),
    ]
}

fn workspaces() -> Vec<Route> {
    vec![
        Route::new::<registry::ListWorkspacesResponse>(
            Method::GET,
            "/v1/workspaces",
            Access::WholeKey,
            get(organizations::list_workspaces),
        )
        .summary("Lists the organization's workspaces, oldest first.")
        .needs(Scope::OrgAdmin)
        .query::<PageQuery>(),
        Route::new::<registry::CreateWorkspaceResponse>(
            Method::POST,
            "/v1/workspaces",
            Access::WholeKey,
            post(organizations::create_workspace),
        )
        .summary("Makes a workspace.")
        .needs(Scope::OrgAdmin)
        .body::<organizations::NewWorkspace>()
        .creates(),
    ]
}

fn organizations() -> Vec<Route> {
    vec![
        Route::new::<registry::ListOrganizationsResponse>(
            Method::GET,
            "/v1/organizations",
            Access::Operator,
            get(organizations::list),
        )
        .summary("Lists all organizations, oldest first.")
        .query::<PageQuery>(),
        Route::new::<registry::CreateOrganizationResponse>(
            Method::POST,
            "/v1/organizations",
            Access::Operator,
            post(organizations::create),
        )
        .summary("Makes an organization, its first workspace, and a key that holds every scope.")
        .body::<organizations::NewOrganization>()
        .creates(),
    ]
}
