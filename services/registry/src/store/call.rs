//! Queries on `registry.call`.
use database::OrgTx;
use ids::{CallId, KeyId, MemberId, RevisionId, SkillId, WorkspaceId};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::model::Call;

/// Records calls; those that are recorded already stay as they are.
pub(crate) async fn insert_all(tx: &mut OrgTx, calls: &[Call]) -> sqlx::Result<()> {
    let rows = Value::from(calls.iter().map(row).collect::<Vec<_>>());
    sqlx::query!(
        r#"
        INSERT INTO registry.call
               (id, at, tool, surface, key_id, workspace_id, member_id, skill_id, revision_id, path,
                tag, outcome, duration_us, query, shown_skill_ids)
        SELECT id, to_timestamp(at / 1000.0), tool, surface, key_id, workspace_id, member_id, skill_id, revision_id, path,
               tag, outcome, duration_us, query, shown_skill_ids
          FROM jsonb_to_recordset($1) AS
               call (id uuid, at bigint, tool text, surface text, key_id uuid,
                     workspace_id uuid, member_id uuid, skill_id uuid, revision_id uuid, path text,
                     tag text, outcome text, duration_us bigint, query text, shown_skill_ids uuid[])
        ON CONFLICT (id) DO NOTHING
        "#,
        rows,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

fn row(call: &Call) -> Value {
    let Call { at, tool, surface, path, tag, outcome, duration_us, query, .. } = call;
    json!({
        "id": call.id.uuid(),
        "at": milliseconds(*at),
        "tool": tool,
        "surface": surface,
        "key_id": call.key_id.uuid(),
        "workspace_id": call.workspace_id.uuid(),
        "member_id": call.member_id.map(MemberId::uuid),
        "skill_id": call.skill_id.map(SkillId::uuid),
        "revision_id": call.revision_id.map(RevisionId::uuid),
        "path": path,
        "tag": tag,
        "outcome": outcome,
        "duration_us": duration_us,
        "query": query,
        "shown_skill_ids": call.shown_skill_ids,
    })
}

/// Since 1970.
fn milliseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// Newest first, before `before`.
pub(crate) async fn list(
    tx: &mut OrgTx,
    before: Option<CallId>,
    limit: i64,
) -> sqlx::Result<Vec<Call>> {
    sqlx::query_as!(
        Call,
        r#"
        SELECT id AS "id: CallId", at, tool, surface, key_id AS "key_id: KeyId",
               workspace_id AS "workspace_id: WorkspaceId", member_id AS "member_id: MemberId",
               skill_id AS "skill_id: SkillId", revision_id AS "revision_id: RevisionId", path, tag,
               outcome, duration_us, query, shown_skill_ids
          FROM registry.call
         WHERE $1::uuid IS NULL OR id < $1
         ORDER BY id DESC
         LIMIT $2
        "#,
        before as Option<CallId>,
        limit,
    )
    .fetch_all(tx.conn())
    .await
}
