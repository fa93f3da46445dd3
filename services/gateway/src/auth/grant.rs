//! What a verified key grants.
use access::{Caller, Scopes};
use contract::registry::{Key, VerifyKeyResponse};
use ids::{InvalidId, KeyId, OrgId, WorkspaceId};
use schemars::JsonSchema;
use serde::Serialize;
use time::{Duration, OffsetDateTime};

use crate::catalog;

/// Whom a key stands for, and what it allows.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) caller: Caller,
    pub(crate) organization: Named,
    pub(crate) workspace: Named,
    pub(crate) key: KeyName,
    /// Names, or `prefix*`; empty is every tool of the scopes.
    pub(crate) tools: Vec<String>,
}

/// Something that has a name for programs and one for people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Named {
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) name: String,
}

/// A key, without its secret.
#[derive(Clone, Debug)]
pub(crate) struct KeyName {
    pub(crate) id: KeyId,
    pub(crate) name: String,
    pub(crate) expires_at: Option<OffsetDateTime>,
}

/// The registry's answer is not what it should be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Malformed {
    #[error(transparent)]
    Id(#[from] InvalidId),
    #[error("the answer has no key")]
    NoKey,
}

/// What stands for every scope there is.
const EVERY_SCOPE: &str = "*";

impl Grant {
    /// Whether the key has ended by itself.
    pub(crate) fn has_expired(&self, now: OffsetDateTime) -> bool {
        self.key.expires_at.is_some_and(|end| end <= now)
    }

    /// Whether the key is limited to some tools.
    pub(crate) fn is_limited(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Whether the key's list of tools, if it has one, names a tool.
    pub(crate) fn names_tool(&self, name: &str) -> bool {
        !self.is_limited() || self.tools.iter().any(|pattern| catalog::matches(pattern, name))
    }
}

impl TryFrom<VerifyKeyResponse> for Grant {
    type Error = Malformed;

    fn try_from(answer: VerifyKeyResponse) -> Result<Self, Malformed> {
        let VerifyKeyResponse {
            organization_id,
            organization_slug,
            organization_name,
            workspace_id,
            workspace_slug,
            workspace_name,
            key,
        } = answer;
        let key = key.ok_or(Malformed::NoKey)?;
        let id: KeyId = key.id.parse()?;
        let caller = Caller {
            org: organization_id.parse::<OrgId>()?,
            workspace: workspace_id.parse::<WorkspaceId>()?,
            member: key.member_id.as_deref().map(str::parse).transpose()?,
            key: Some(id),
            scopes: scopes(&key),
        };
        let expires_at = key.expires_at.as_ref().map(time);
        let (organization, workspace) = (organization_id, workspace_id);
        Ok(Self {
            caller,
            organization: Named {
                id: organization,
                slug: organization_slug,
                name: organization_name,
            },
            workspace: Named { id: workspace, slug: workspace_slug, name: workspace_name },
            key: KeyName { id, name: key.name, expires_at },
            tools: key.tools,
        })
    }
}

/// The scopes of these that this gateway knows: a newer registry may know more.
fn scopes(key: &Key) -> Scopes {
    if key.scopes.iter().any(|scope| scope == EVERY_SCOPE) {
        return Scopes::every();
    }
    key.scopes.iter().filter_map(|scope| scope.parse().ok()).collect()
}

fn time(at: &prost_types::Timestamp) -> OffsetDateTime {
    let since = Duration::new(at.seconds, at.nanos);
    OffsetDateTime::UNIX_EPOCH.saturating_add(since)
}

#[cfg(test)]
impl Grant {
    pub(crate) fn sample(scopes: Scopes, tools: &[&str]) -> Self {
        let (org, workspace, id) = (OrgId::new(), WorkspaceId::new(), KeyId::new());
        let named = |id: String| Named { id, slug: "main".into(), name: "Main".into() };
        Self {
            caller: Caller { org, workspace, member: None, key: Some(id), scopes },
            organization: named(org.to_string()),
            workspace: named(workspace.to_string()),
            key: KeyName { id, name: "sample".into(), expires_at: None },
            tools: tools.iter().map(ToString::to_string).collect(),
        }
    }
}
