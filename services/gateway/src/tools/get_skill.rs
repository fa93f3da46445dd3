//! `get_skill`
use access::Scope;
use contract::registry::{GetSkillRequest, GetSkillResponse, Resource, Skill};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{Asked, FileKind};
use crate::{
    answer::Printed,
    behind,
    call::Call,
    failure::Failure,
    kept::{KeptSkill, Slot},
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

    async fn call(
        call: &mut Call,
        Input { id, version }: Input,
    ) -> Result<Printed<Output>, Failure> {
        let Asked { skill, tag, version } = Asked::new(call, id, version)?;
        let slot = Slot::new(&call.grant.caller, skill.clone(), tag.clone(), version);
        let kept = call.kept.get(&slot);
        if let Some(kept) = kept.as_ref().filter(|kept| call.kept.is_true(kept)) {
            call.record.of(&kept.id, &kept.revision_id);
            return Ok(Printed::again(kept.answer.clone()));
        }
        let asked_at = Instant::now();
        let known_revision_id = kept.as_ref().map(|kept| kept.revision_id.clone());
        let request = GetSkillRequest { skill, tag, version, known_revision_id };
        let request = call.behind.to_registry(request)?;
        let answer = behind::answer(call.behind.skills().get_skill(request)).await?;
        let GetSkillResponse { skill, body, files, front_matter_json: _, as_of } = answer;
        let skill = skill.ok_or_else(|| Failure::internal("no skill in the answer"))?;
        call.record.of(&skill.id, &skill.revision_id);
        let (id, revision_id) = (skill.id.clone(), skill.revision_id.clone());
        let same = kept.filter(|kept| kept.revision_id == skill.revision_id);
        let answer = match same {
            Some(kept) => kept.answer.clone(),
            None => print(skill, body, files)?.into_answer(),
        };
        let org = call.grant.caller.org;
        let kept =
            KeptSkill { id, revision_id, answer: answer.clone(), as_of: (org, as_of.into()) };
        call.kept.put(slot, kept, asked_at);
        Ok(Printed::again(answer))
    }
}

fn print(skill: Skill, body: String, files: Vec<Resource>) -> Result<Printed<Output>, Failure> {
    let files = files.into_iter().map(file).collect::<Result<_, _>>()?;
    let Skill { id, version, name, .. } = skill;
    Printed::of(&Output { id, version, name, body, files })
}

fn file(resource: Resource) -> Result<File, Failure> {
    let kind = FileKind::of(resource.kind())?;
    Ok(File { path: resource.path, kind })
}
