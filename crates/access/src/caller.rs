//! Who is calling, as every service sees it.
use fault::{Fault, Kind};
use ids::{KeyId, MemberId, OrgId, WorkspaceId};

use crate::{Scope, Scopes};

/// Who is calling. Made by the gateway from a key, by a service for its own work, and by tests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The customer that the caller acts for; the nil id for work that is no customer's.
    pub org: OrgId,
    /// The workspace that the caller acts in.
    pub workspace: WorkspaceId,
    /// The member that the caller acts for, if any.
    pub member: Option<MemberId>,
    /// The key that was shown; none where a service acts for itself.
    pub key: Option<KeyId>,
    /// What the caller may do.
    pub scopes: Scopes,
}

/// The caller may not do this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this key lacks the scope `{0}`")]
pub struct Denied(pub Scope);

impl Fault for Denied {
    fn kind(&self) -> Kind {
        Kind::Denied
    }
}

impl Caller {
    /// A service of ours, acting for one organization.
    #[must_use]
    pub fn service(org: OrgId, scope: Scope) -> Self {
        let scopes = [scope].into_iter().collect();
        Self { org, workspace: WorkspaceId::nil(), member: None, key: None, scopes }
    }

    /// A service of ours, acting for no organization: no row of any is visible to it.
    #[must_use]
    pub fn for_nobody(scope: Scope) -> Self {
        Self::service(OrgId::nil(), scope)
    }

    /// Checks that the caller has `scope`.
    pub fn require(&self, scope: Scope) -> Result<(), Denied> {
        if self.scopes.contains(scope) { Ok(()) } else { Err(Denied(scope)) }
    }
}
