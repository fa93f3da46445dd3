//! One recorded call of a tool.
use ids::{CallId, KeyId, MemberId, RevisionId, SkillId, WorkspaceId};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) id: CallId,
    pub(crate) at: OffsetDateTime,
    pub(crate) tool: String,
    pub(crate) surface: String,
    pub(crate) key_id: KeyId,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) member_id: Option<MemberId>,
    pub(crate) skill_id: Option<SkillId>,
    pub(crate) revision_id: Option<RevisionId>,
    pub(crate) path: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) outcome: String,
    pub(crate) duration_us: i64,
    pub(crate) query: Option<String>,
    pub(crate) shown_skill_ids: Vec<Uuid>,
}
