//! Skills, their immutable revisions, and the files of those.
use std::str::FromStr;

use ids::{MemberId, ResourceId, RevisionId, SkillId, WorkspaceId};
use serde_json::Value;
use time::OffsetDateTime;

use super::TagName;
use crate::{Error, Result};

/// How a caller names a skill: by its id, or by its slug.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SkillRef {
    Id(SkillId),
    Slug(String),
}

/// Which revision of a skill is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Which {
    Current,
    Tagged(String),
    Version(u32),
}

/// A row of `registry.skill`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkillRow {
    pub(crate) id: SkillId,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) member_id: Option<MemberId>,
    pub(crate) slug: String,
    pub(crate) archived_at: Option<OffsetDateTime>,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) revision_id: RevisionId,
}

/// A skill as one of its revisions describes it, without the revision's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) id: SkillId,
    pub(crate) member_id: Option<MemberId>,
    pub(crate) slug: String,
    pub(crate) archived_at: Option<OffsetDateTime>,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) revision_id: RevisionId,
    pub(crate) version: i32,
    pub(crate) canonical_hash: Vec<u8>,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) published_at: OffsetDateTime,
}

/// What a revision says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Revision {
    pub(crate) instructions: Vec<u8>,
    pub(crate) body_offset: i32,
    pub(crate) main_path: String,
    pub(crate) main_sha256: Vec<u8>,
    pub(crate) front_matter: Value,
}

/// One whole revision, all that a reader can ask of it but the files' bytes.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) found: Found,
    pub(crate) revision: Revision,
    pub(crate) resources: Vec<Resource>,
    pub(crate) tags: Vec<TagRow>,
}

/// A tag of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TagRow {
    pub(crate) skill_id: SkillId,
    pub(crate) name: String,
    pub(crate) revision_id: RevisionId,
    pub(crate) version: i32,
}

/// One file of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) id: ResourceId,
    pub(crate) path: String,
    pub(crate) kind: ResourceKind,
    pub(crate) role: ResourceRole,
    pub(crate) size: i64,
    pub(crate) sha256: Vec<u8>,
    pub(crate) is_text: bool,
}

/// Enough of a skill to choose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub(crate) skill_id: SkillId,
    pub(crate) revision_id: RevisionId,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) version: i32,
    /// The revision that was asked for.
    pub(crate) found_as: RevisionId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub(crate) enum ResourceKind {
    Doc,
    Script,
    Asset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub(crate) enum ResourceRole {
    Reference,
    Example,
    Template,
    Document,
    Artifact,
    Script,
}

impl FromStr for SkillRef {
    type Err = Error;

    /// An id where the text is one; else a slug, if it can be one.
    fn from_str(text: &str) -> Result<Self> {
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        // What is neither names no skill, and is no worse than a slug that nobody has.
        let slug: Option<skillfile::Slug> = text.parse().ok();
        slug.map(|slug| Self::Slug(slug.to_string())).ok_or_else(|| Error::no_such_skill(text))
    }
}

impl Which {
    /// At most one of `tag` and `version`; `latest` is the current one.
    pub(crate) fn new(tag: &str, version: u32) -> Result<Self> {
        match (tag, version) {
            ("" | TagName::LATEST, 0) => Ok(Self::Current),
            ("", version) => Ok(Self::Version(version)),
            (tag, 0) => Ok(Self::Tagged(TagName::parse(tag)?.to_string())),
            _ => Err(Error::TagAndVersion),
        }
    }
}

impl Loaded {
    /// SKILL.md after its front matter.
    pub(crate) fn body(&self) -> &[u8] {
        let offset = usize::try_from(self.revision.body_offset).unwrap_or(0);
        self.revision.instructions.get(offset..).unwrap_or_default()
    }

    /// The file of that exact path.
    pub(crate) fn resource(&self, path: &str) -> Option<&Resource> {
        let at =
            self.resources.binary_search_by(|resource| resource.path.as_str().cmp(path)).ok()?;
        self.resources.get(at)
    }

    /// Whether `path` names the instructions themselves.
    pub(crate) fn is_main(&self, path: &str) -> bool {
        path == "SKILL.md" || path == self.revision.main_path
    }
}
