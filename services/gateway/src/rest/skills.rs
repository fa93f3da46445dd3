//! `GET /v1/skills` and `GET /v1/skills/{id}`
use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use contract::registry::{
    GetSkillRequest, GetSkillResponse, ListSkillsRequest, ListSkillsResponse,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{Path, Query, limit};
use crate::{
    app::App,
    behind,
    call::{Call, Visit},
    failure::{Failure, within},
    pin::{self, Tag},
    problem::Problem,
    record::Surface,
};

/// Which skills.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// Where the last page ended: its `next_cursor`.
    #[serde(default)]
    cursor: String,
    /// How many at most: 1 to 200, 50 without it.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<i64>,
    /// Only skills that have this tag, as it names them; all, as they currently are, without it.
    #[serde(default, deserialize_with = "pin::tag")]
    #[schemars(with = "Option<String>")]
    tag: Option<Tag>,
}

/// Which revision of a skill: the current one without either.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevisionQuery {
    /// The tag that names it, such as `prod`.
    #[serde(default, deserialize_with = "pin::tag")]
    #[schemars(with = "Option<String>")]
    tag: Option<Tag>,
    /// Its number, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    version: Option<i64>,
}

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Query(query): Query<ListQuery>,
) -> Result<Json<ListSkillsResponse>, Problem> {
    let mut call = Call::begin(&app, &visit, Surface::Rest, "list_skills");
    let list = fetch_list(&mut call, query).await;
    Ok(Json(call.end(list)?))
}

pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Extension(visit): Extension<Visit>,
    Path(id): Path<String>,
    Query(query): Query<RevisionQuery>,
) -> Result<Json<GetSkillResponse>, Problem> {
    let mut call = Call::begin(&app, &visit, Surface::Rest, "get_skill");
    let skill = fetch(&mut call, id, &query).await;
    Ok(Json(call.end(skill)?))
}

impl RevisionQuery {
    /// The tag and the version on the wire, where the absent one is empty.
    pub(super) fn revision(&self, call: &mut Call) -> Result<(String, u32), Failure> {
        call.record.pinned(self.tag.as_ref());
        let version = self.version.map(|v| within("version", 1..=i64::from(u32::MAX), v));
        let version = version.transpose()?;
        if self.tag.is_some() && version.is_some() {
            return Err(Failure::invalid("`tag` and `version` name two revisions, give one"));
        }
        Ok((pin::wire(self.tag.as_ref()), version.unwrap_or_default()))
    }
}

async fn fetch_list(call: &mut Call, query: ListQuery) -> Result<ListSkillsResponse, Failure> {
    let ListQuery { cursor, limit: most, tag } = query;
    call.record.pinned(tag.as_ref());
    let message = ListSkillsRequest { cursor, limit: limit(most)?, tag: pin::wire(tag.as_ref()) };
    let request = call.behind.to_registry(message)?;
    behind::answer(call.behind.skills().list_skills(request)).await
}

async fn fetch(
    call: &mut Call,
    skill: String,
    query: &RevisionQuery,
) -> Result<GetSkillResponse, Failure> {
    let (tag, version) = query.revision(call)?;
    let request = call.behind.to_registry(GetSkillRequest {
        skill,
        tag,
        version,
        known_revision_id: None,
    })?;
    let answer = behind::answer(call.behind.skills().get_skill(request)).await?;
    if let Some(skill) = &answer.skill {
        call.record.of(&skill.id, &skill.revision_id);
    }
    Ok(answer)
}
