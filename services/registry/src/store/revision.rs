//! Queries on `registry.revision`. A revision is added and read, never changed.
use database::OrgTx;
use ids::{KeyId, RevisionId, SkillId};
use serde_json::Value;
use sqlx::types::Json;
use time::OffsetDateTime;

use crate::model::Revision;

/// A revision to be kept.
pub(crate) struct NewRevision<'a> {
    pub(crate) id: RevisionId,
    pub(crate) skill: SkillId,
    pub(crate) content: &'a skillfile::Skill,
    pub(crate) main_sha256: [u8; 32],
    pub(crate) key: Option<KeyId>,
    pub(crate) published_at: OffsetDateTime,
}

/// Keeps a revision under the next number, and returns that.
pub(crate) async fn insert(tx: &mut OrgTx, new: &NewRevision<'_>) -> sqlx::Result<i32> {
    let content = new.content;
    sqlx::query_scalar!(
        r#"
        INSERT INTO registry.revision
               (id, skill_id, version, canonical_hash, name, description, triggers, front_matter,
                instructions, body_offset, main_path, main_sha256, warnings, key_id, published_at)
        SELECT $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
               $13, $14
          FROM registry.revision WHERE skill_id = $2
        RETURNING version
        "#,
        new.id as RevisionId,
        new.skill as SkillId,
        content.canonical_hash.as_slice(),
        content.name,
        content.description,
        &content.triggers,
        Json(&content.front_matter) as _,
        content.instructions,
        i32::try_from(content.body_offset).unwrap_or(i32::MAX),
        content.main_path,
        new.main_sha256.as_slice(),
        Json(&content.warnings) as _,
        new.key as Option<KeyId>,
        new.published_at,
    )
    .fetch_one(tx.conn())
    .await
}

/// What a revision says.
pub(crate) async fn find(tx: &mut OrgTx, id: RevisionId) -> sqlx::Result<Option<Revision>> {
    sqlx::query_as!(
        Revision,
        r#"
        SELECT instructions, body_offset, main_path, main_sha256, front_matter AS "front_matter: Value"
          FROM registry.revision
         WHERE id = $1
        "#,
        id as RevisionId,
    )
    .fetch_optional(tx.conn())
    .await
}

/// The number and the canonical hash of a revision.
pub(crate) async fn find_hash(
    tx: &mut OrgTx,
    id: RevisionId,
) -> sqlx::Result<Option<(i32, Vec<u8>)>> {
    let row = sqlx::query!(
        "SELECT version, canonical_hash FROM registry.revision WHERE id = $1",
        id as RevisionId,
    )
    .fetch_optional(tx.conn())
    .await?;
    Ok(row.map(|row| (row.version, row.canonical_hash)))
}

/// The newest number of a skill.
pub(crate) async fn newest_version(tx: &mut OrgTx, skill: SkillId) -> sqlx::Result<i32> {
    let newest = sqlx::query_scalar!(
        "SELECT max(version) FROM registry.revision WHERE skill_id = $1",
        skill as SkillId,
    )
    .fetch_one(tx.conn())
    .await?;
    Ok(newest.unwrap_or(0))
}

/// The revision of that number.
pub(crate) async fn find_by_version(
    tx: &mut OrgTx,
    skill: SkillId,
    version: i32,
) -> sqlx::Result<Option<RevisionId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: RevisionId" FROM registry.revision WHERE skill_id = $1 AND version = $2"#,
        skill as SkillId,
        version,
    )
    .fetch_optional(tx.conn())
    .await
}

/// What is embedded of a revision.
pub(crate) struct Text {
    pub(crate) id: RevisionId,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) triggers: Vec<String>,
}

pub(crate) async fn list_texts(
    tx: &mut OrgTx,
    revisions: &[RevisionId],
) -> sqlx::Result<Vec<Text>> {
    sqlx::query_as!(
        Text,
        r#"
        SELECT id AS "id: RevisionId", name, description, triggers
          FROM registry.revision
         WHERE id = ANY($1)
         ORDER BY id
        "#,
        revisions as &[RevisionId],
    )
    .fetch_all(tx.conn())
    .await
}
