//! The one place where the registry's model meets the wire.
use contract::registry as wire;
use ids::{KeyId, MemberId, RevisionId, SkillId, WorkspaceId};
use prost_types::Timestamp;
use skillfile::{Finding, Ignored};
use time::OffsetDateTime;

use crate::{
    Error,
    model::{
        Call, Descriptor, Found, Grant, Key, Organization, Resource, ResourceKind, ResourceRole,
        TagRow, Workspace,
    },
};

pub(super) fn timestamp(at: OffsetDateTime) -> Timestamp {
    Timestamp::from(std::time::SystemTime::from(at))
}

/// A time from the wire, to the millisecond.
pub(super) fn time(what: &'static str, at: Timestamp) -> Result<OffsetDateTime, Error> {
    let nanoseconds = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds / 1_000_000 * 1_000_000)
        .map_err(|_| Error::InvalidTime(what))
}

fn count(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

impl From<Organization> for wire::Organization {
    fn from(organization: Organization) -> Self {
        let Organization { id, slug, name, created_at } = organization;
        Self { id: id.to_string(), slug, name, created_at: Some(timestamp(created_at)) }
    }
}

impl From<Workspace> for wire::Workspace {
    fn from(workspace: Workspace) -> Self {
        let Workspace { id, slug, name, created_at } = workspace;
        Self { id: id.to_string(), slug, name, created_at: Some(timestamp(created_at)) }
    }
}

impl From<Key> for wire::Key {
    fn from(key: Key) -> Self {
        let Key { id, name, workspace, member_id, scopes, tools, created_at, .. } = key;
        Self {
            id: id.to_string(),
            name,
            workspace,
            member_id: member_id.map(|id| id.to_string()),
            scopes,
            tools,
            created_at: Some(timestamp(created_at)),
            expires_at: key.expires_at.map(timestamp),
            revoked_at: key.revoked_at.map(timestamp),
        }
    }
}

impl From<Grant> for wire::VerifyKeyResponse {
    fn from(grant: Grant) -> Self {
        let Grant { org_id, org_slug, org_name, workspace_id, workspace_name, key, .. } = grant;
        Self {
            organization_id: org_id.to_string(),
            organization_slug: org_slug,
            organization_name: org_name,
            workspace_id: workspace_id.to_string(),
            workspace_slug: key.workspace.clone(),
            workspace_name,
            key: Some(key.into()),
        }
    }
}

/// A skill and its tags.
pub(super) fn skill(found: Found, tags: &[TagRow]) -> wire::Skill {
    let Found { id, member_id, slug, archived_at, created_at, revision_id, .. } = found;
    let owner = member_id.map_or(wire::Owner::Team, |_| wire::Owner::Personal);
    let tags = tags.iter().filter(|tag| tag.skill_id == id).map(wire::Tag::from);
    wire::Skill {
        id: id.to_string(),
        slug,
        name: found.name,
        description: found.description,
        version: count(found.version),
        revision_id: revision_id.to_string(),
        canonical_hash: hex::encode(&found.canonical_hash),
        tags: tags.collect(),
        owner: owner.into(),
        archived: archived_at.is_some(),
        created_at: Some(timestamp(created_at)),
        published_at: Some(timestamp(found.published_at)),
    }
}

impl From<&TagRow> for wire::Tag {
    fn from(tag: &TagRow) -> Self {
        let TagRow { skill_id: _, name, revision_id: _, version } = tag;
        Self { name: name.clone(), version: count(*version) }
    }
}

impl From<&Resource> for wire::Resource {
    fn from(resource: &Resource) -> Self {
        let Resource { id, path, kind, role, size, sha256, is_text } = resource;
        Self {
            id: id.to_string(),
            path: path.clone(),
            kind: wire::ResourceKind::from(*kind).into(),
            role: wire::ResourceRole::from(*role).into(),
            size: u64::try_from(*size).unwrap_or(0),
            sha256: hex::encode(sha256),
            is_text: *is_text,
        }
    }
}

impl From<ResourceKind> for wire::ResourceKind {
    fn from(kind: ResourceKind) -> Self {
        match kind {
            ResourceKind::Doc => Self::Doc,
            ResourceKind::Script => Self::Script,
            ResourceKind::Asset => Self::Asset,
        }
    }
}

impl From<ResourceRole> for wire::ResourceRole {
    fn from(role: ResourceRole) -> Self {
        match role {
            ResourceRole::Reference => Self::Reference,
            ResourceRole::Example => Self::Example,
            ResourceRole::Template => Self::Template,
            ResourceRole::Document => Self::Document,
            ResourceRole::Artifact => Self::Artifact,
            ResourceRole::Script => Self::Script,
        }
    }
}

impl From<Descriptor> for wire::SkillDescriptor {
    fn from(descriptor: Descriptor) -> Self {
        let Descriptor { skill_id, revision_id, slug, name, description, version, found_as } =
            descriptor;
        Self {
            skill_id: skill_id.to_string(),
            revision_id: revision_id.to_string(),
            slug,
            name,
            description,
            version: count(version),
            found_as: found_as.to_string(),
        }
    }
}

pub(super) fn finding(finding: &Finding) -> wire::Finding {
    let Finding { code, path, line, message } = finding;
    let code = serde_json::to_value(code).ok();
    let code = code.and_then(|code| code.as_str().map(str::to_owned)).unwrap_or_default();
    wire::Finding { code, path: path.clone(), line: *line, message: message.clone() }
}

pub(super) fn ignored(ignored: &Ignored) -> wire::IgnoredFile {
    let Ignored { path, reason } = ignored;
    wire::IgnoredFile { path: path.clone(), reason: reason.to_string() }
}

impl From<Call> for wire::Call {
    fn from(call: Call) -> Self {
        let Call { id, at, tool, surface, key_id, workspace_id, member_id, .. } = call;
        let shown = call.shown_skill_ids.into_iter().map(|id| SkillId::from(id).to_string());
        Self {
            id: id.to_string(),
            at: Some(timestamp(at)),
            tool,
            surface,
            key_id: key_id.to_string(),
            workspace_id: workspace_id.to_string(),
            member_id: member_id.map(|id| id.to_string()),
            skill_id: call.skill_id.map(|id| id.to_string()),
            revision_id: call.revision_id.map(|id| id.to_string()),
            path: call.path,
            tag: call.tag,
            outcome: call.outcome,
            duration_us: call.duration_us,
            query: call.query,
            shown_skill_ids: shown.collect(),
        }
    }
}

impl TryFrom<wire::Call> for Call {
    type Error = Error;

    fn try_from(call: wire::Call) -> Result<Self, Error> {
        let shown = call.shown_skill_ids.iter().map(|id| Ok(id.parse::<SkillId>()?.uuid()));
        Ok(Self {
            id: call.id.parse()?,
            at: time("at", call.at.ok_or(Error::InvalidTime("at"))?)?,
            tool: call.tool,
            surface: call.surface,
            key_id: call.key_id.parse::<KeyId>()?,
            workspace_id: call.workspace_id.parse::<WorkspaceId>()?,
            member_id: call.member_id.map(|id| id.parse::<MemberId>()).transpose()?,
            skill_id: call.skill_id.map(|id| id.parse::<SkillId>()).transpose()?,
            revision_id: call.revision_id.map(|id| id.parse::<RevisionId>()).transpose()?,
            path: call.path.map(storable),
            tag: call.tag.map(storable),
            outcome: call.outcome,
            duration_us: call.duration_us.max(0),
            query: call.query.map(storable),
            shown_skill_ids: shown.collect::<Result<_, Error>>()?,
        })
    }
}

/// Postgres holds no NUL in a text; what a client sent is recorded without it.
fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}
