//! Organizations and their workspaces.
use ids::{OrgId, WorkspaceId};
use time::OffsetDateTime;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Organization {
    pub(crate) id: OrgId,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) created_at: OffsetDateTime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Workspace {
    pub(crate) id: WorkspaceId,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) created_at: OffsetDateTime,
}
