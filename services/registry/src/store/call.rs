//! Queries on `registry.call`.
use database::OrgTx;
use ids::{CallId, KeyId, MemberId, RevisionId, SkillId, WorkspaceId};
use uuid::Uuid;

use crate::model::Call;

/// Records calls; those that are recorded already stay as they are.
pub(crate) async fn insert_all(tx: &mut OrgTx, calls: &[Call]) -> sqlx::Result<()> {
    // A column at a time: neither side has to write or read JSON.
    sqlx::query!(
        r#"
        INSERT INTO registry.call
               (id, at, tool, surface, key_id, workspace_id, member_id, skill_id, revision_id, path,
                tag, outcome, duration_us, query, shown_skill_ids)
        SELECT id, at, tool, surface, key_id, workspace_id, member_id, skill_id, revision_id, path,
               tag, outcome, duration_us, query, shown::uuid[]
          FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::uuid[], $6::uuid[],
                      $7::uuid[], $8::uuid[], $9::uuid[], $10::text[], $11::text[], $12::text[],
                      $13::bigint[], $14::text[], $15::text[]) AS
               call (id, at, tool, surface, key_id, workspace_id, member_id, skill_id, revision_id,
                     path, tag, outcome, duration_us, query, shown)
        ON CONFLICT (org_id, id) DO NOTHING
        "#,
        &column(calls, |call| call.id.uuid()),
        &column(calls, |call| call.at),
        &column(calls, |call| call.tool.as_str()) as &[&str],
        &column(calls, |call| call.surface.as_str()) as &[&str],
        &column(calls, |call| call.key_id.uuid()),
        &column(calls, |call| call.workspace_id.uuid()),
        &column(calls, |call| call.member_id.map(MemberId::uuid)) as &[Option<Uuid>],
        &column(calls, |call| call.skill_id.map(SkillId::uuid)) as &[Option<Uuid>],
        &column(calls, |call| call.revision_id.map(RevisionId::uuid)) as &[Option<Uuid>],
        &column(calls, |call| call.path.as_deref()) as &[Option<&str>],
        &column(calls, |call| call.tag.as_deref()) as &[Option<&str>],
        &column(calls, |call| call.outcome.as_str()) as &[&str],
        &column(calls, |call| call.duration_us),
        &column(calls, |call| call.query.as_deref()) as &[Option<&str>],
        &column(calls, |call| literal(&call.shown_skill_ids)),
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

fn column<'a, T>(calls: &'a [Call], read: impl Fn(&'a Call) -> T) -> Vec<T> {
    calls.iter().map(read).collect()
}

/// An array as Postgres reads it: `unnest` takes no arrays of arrays of unequal length.
fn literal(ids: &[Uuid]) -> String {
    let ids: Vec<_> = ids.iter().map(Uuid::to_string).collect();
    format!("{{{}}}", ids.join(","))
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
