//! Every tool, one file each.
mod find_skills;
pub(crate) mod get_skill;
mod get_skill_file;
mod whoami;

use contract::registry::ResourceKind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    call::Call,
    catalog::Catalog,
    failure::{Failure, sized, within},
    pin,
};

/// The tools.
pub(crate) fn all() -> Catalog {
    Catalog::default()
        .with::<find_skills::FindSkills>()
        .with::<get_skill::GetSkill>()
        .with::<get_skill_file::GetSkillFile>()
        .with::<whoami::WhoAmI>()
}

/// What to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileKind {
    /// Read it.
    Doc,
    /// Run it.
    Script,
    /// Use it as data.
    Asset,
}

impl FileKind {
    pub(crate) fn of(kind: ResourceKind) -> Result<Self, Failure> {
        match kind {
            ResourceKind::Doc => Ok(Self::Doc),
            ResourceKind::Script => Ok(Self::Script),
            ResourceKind::Asset => Ok(Self::Asset),
            ResourceKind::Unspecified => Err(Failure::internal("a file without a kind")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Doc => "doc",
            Self::Script => "script",
            Self::Asset => "asset",
        }
    }
}

/// The longest id or slug of a skill, in characters.
const MAX_ID_CHARACTERS: usize = 200;

/// Which revision of a skill a call is about: the one of that number, else the one that the connection's
/// tag names, else the current one.
struct Asked {
    skill: String,
    tag: String,
    version: u32,
}

impl Asked {
    fn new(call: &Call, id: String, version: Option<i64>) -> Result<Self, Failure> {
        sized("id", MAX_ID_CHARACTERS, &id)?;
        let version = version.map(|version| within("version", 1..=i64::from(u32::MAX), version));
        let version = version.transpose()?;
        let tag = call.tag.as_ref().filter(|_| version.is_none());
        Ok(Self { skill: id, tag: pin::wire(tag), version: version.unwrap_or_default() })
    }
}
