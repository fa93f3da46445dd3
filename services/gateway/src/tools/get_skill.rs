//! `get_skill`
use access::Scope;
use contract::registry::{GetSkillRequest, GetSkillResponse, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asked, FileKind};
use crate::{
    behind,
    call::Call,
    failure::Failure,
    tool::{Effect, Place, Tool},
};

pub(crate) struct GetSkill;

/// Loads one skill: its instructions, and the list of its files without their contents. Read the body and
/// follow it; fetch a file with `get_skill_file` only when the body points you at it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The skill's id as `find_skills` gives it, such as `skl_019…`, or its slug.
    #[schemars(length(min = 1, max = 200))]
    id: String,
    /// A version of it, from 1; without one, the one that the connection's tag names, or the current one.
    #[serde(default)]
    #[schemars(range(min = 1))]
    version: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The skill's id.
    id: String,
    /// Which version this is; give it to `get_skill_file` to get files of the same one.
    version: u32,
    /// What the skill is called.
    name: String,
    /// Its instructions: SKILL.md after the front matter, in Markdown.
    body: String,
    /// The files beside them.
    files: Vec<File>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct File {
    /// Relative to the skill's folder, for `get_skill_file`.
    path: String,
    kind: FileKind,
}

impl Tool for GetSkill {
    const NAME: &'static str = "get_skill";
    const TITLE: &'static str = "Get a skill";
    const SCOPE: Option<Scope> = Some(Scope::SkillsRead);
    const EFFECT: Effect = Effect::Reads;
    const PLACE: Place = Place::Workspace;
    type Input = Input;
    type Output = Output;

    async fn call(call: &mut Call, Input { id, version }: Input) -> Result<Output, Failure> {
        let Asked { skill, tag, version } = Asked::new(call, id, version)?;
        let request = call.behind.to_registry(GetSkillRequest { skill, tag, version })?;
        let answer = behind::answer(call.behind.skills().get_skill(request)).await?;
        let GetSkillResponse { skill, body, files, front_matter_json: _ } = answer;
        let skill = skill.ok_or_else(|| Failure::internal("no skill in the answer"))?;
        call.record.of(&skill.id, &skill.revision_id);
        let files = files.into_iter().map(file).collect::<Result<_, _>>()?;
        Ok(Output { id: skill.id, version: skill.version, name: skill.name, body, files })
    }
}

fn file(resource: Resource) -> Result<File, Failure> {
    let kind = FileKind::of(resource.kind())?;
    Ok(File { path: resource.path, kind })
}
