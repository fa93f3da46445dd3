//! `get_skill_file`
use access::Scope;
use base64::{Engine, engine::general_purpose::STANDARD};
use contract::registry::{GetSkillFileRequest, GetSkillFileResponse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asked, FileKind};
use crate::{
    answer::Printed,
    behind,
    call::Call,
    failure::{Failure, sized},
    tool::{Effect, Place, Tool},
};

pub(crate) struct GetSkillFile;

/// Reads one file of a skill, when the skill's instructions point you at it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The skill's id as `find_skills` gives it, such as `skl_019…`, or its slug.
    #[schemars(length(min = 1, max = 200))]
    id: String,
    /// The file's path, exactly as `get_skill` lists it; `SKILL.md` is the instructions with their front
    /// matter.
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// The version that `get_skill` gave, so that the file belongs to the instructions you have; without
    /// one, the one that the connection's tag names, or the current one.
    #[serde(default)]
    #[schemars(range(min = 1))]
    version: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The skill's id.
    id: String,
    /// The version of the skill that the file is of.
    version: u32,
    /// The file's path.
    path: String,
    kind: FileKind,
    encoding: Encoding,
    /// What is in the file.
    content: String,
}

/// How `content` stands for the file's bytes.
#[derive(Debug, Serialize, JsonSchema)]
enum Encoding {
    /// As they are.
    #[serde(rename = "utf-8")]
    Utf8,
    /// In Base64 (RFC 4648 §4), as they are no text.
    #[serde(rename = "base64")]
    Base64,
}

const MAX_PATH_CHARACTERS: usize = 1_024;

impl Tool for GetSkillFile {
    const NAME: &'static str = "get_skill_file";
    const TITLE: &'static str = "Get a file of a skill";
    const SCOPE: Option<Scope> = Some(Scope::SkillsRead);
    const EFFECT: Effect = Effect::Reads;
    const PLACE: Place = Place::Workspace;
    type Input = Input;
    type Output = Output;

    async fn call(
        call: &mut Call,
        Input { id, path, version }: Input,
    ) -> Result<Printed<Output>, Failure> {
        let Asked { skill, tag, version } = Asked::new(call, id, version)?;
        sized("path", MAX_PATH_CHARACTERS, &path)?;
        call.record.for_file(&path);
        let message = GetSkillFileRequest { skill, path, tag, version };
        let request = call.behind.to_registry(message)?;
        let answer = behind::answer(call.behind.skills().get_skill_file(request)).await?;
        let GetSkillFileResponse { skill_id, revision_id, version, file, content } = answer;
        let file = file.ok_or_else(|| Failure::internal("no file in the answer"))?;
        call.record.of(&skill_id, &revision_id);
        let kind = FileKind::of(file.kind())?;
        let (encoding, content) = match String::from_utf8(content) {
            Ok(text) => (Encoding::Utf8, text),
            Err(bytes) => (Encoding::Base64, STANDARD.encode(bytes.as_bytes())),
        };
        Printed::of(&Output { id: skill_id, version, path: file.path, kind, encoding, content })
    }
}
