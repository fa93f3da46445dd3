//! Queries on `registry.tag`.
use database::OrgTx;
use ids::{RevisionId, SkillId};
use time::OffsetDateTime;

use crate::model::TagRow;

/// Makes a tag name a revision. Whether that changed anything.
pub(crate) async fn upsert(
    tx: &mut OrgTx,
    skill: SkillId,
    name: &str,
    revision: RevisionId,
    now: OffsetDateTime,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        r#"
        INSERT INTO registry.tag (skill_id, name, revision_id, moved_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (skill_id, name) DO UPDATE SET revision_id = $3, moved_at = $4
         WHERE tag.revision_id <> $3
        "#,
        skill as SkillId,
        name,
        revision as RevisionId,
        now,
    )
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Removes a tag. Whether it was there.
pub(crate) async fn remove(tx: &mut OrgTx, skill: SkillId, name: &str) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "DELETE FROM registry.tag WHERE skill_id = $1 AND name = $2",
        skill as SkillId,
        name,
    )
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() > 0)
}

/// The tags of these skills, by name.
pub(crate) async fn list(tx: &mut OrgTx, skills: &[SkillId]) -> sqlx::Result<Vec<TagRow>> {
    sqlx::query_as!(
        TagRow,
        r#"
        SELECT tag.skill_id AS "skill_id: SkillId", tag.name,
               tag.revision_id AS "revision_id: RevisionId", revision.version
          FROM registry.tag
          JOIN registry.revision ON revision.id = tag.revision_id
         WHERE tag.skill_id = ANY($1)
         ORDER BY tag.name
        "#,
        skills as &[SkillId],
    )
    .fetch_all(tx.conn())
    .await
}
