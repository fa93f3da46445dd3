//! Queries on `registry.key`.
use access::SecretHash;
use database::{OrgTx, SystemTx};
use ids::{KeyId, MemberId, OrgId, WorkspaceId};
use time::OffsetDateTime;

use crate::model::{Grant, Key, NewKey};

/// A key to be kept: what it is called is in `new`, what proves it in `secret`.
pub(crate) struct KeyRow<'a> {
    pub(crate) id: KeyId,
    pub(crate) workspace: WorkspaceId,
    pub(crate) new: &'a NewKey,
    pub(crate) secret: SecretHash,
    pub(crate) created_at: OffsetDateTime,
}

pub(crate) async fn insert(tx: &mut OrgTx, row: &KeyRow<'_>) -> sqlx::Result<()> {
    sqlx::query!(
        r#"
        INSERT INTO registry.key
               (id, workspace_id, name, secret_sha256, scopes, tools, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        "#,
        row.id as KeyId,
        row.workspace as WorkspaceId,
        row.new.name.as_str(),
        row.secret.0.as_slice(),
        &row.new.scopes,
        &row.new.tools,
        row.created_at,
        row.new.expires_at,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub(crate) async fn find(tx: &mut OrgTx, id: KeyId) -> sqlx::Result<Option<Key>> {
    sqlx::query_as!(
        Key,
        r#"
        SELECT key.id AS "id: KeyId", key.name, workspace.slug AS workspace,
               key.member_id AS "member_id: MemberId", key.scopes, key.tools, key.created_at,
               key.expires_at, key.revoked_at
          FROM registry.key
          JOIN registry.workspace ON workspace.id = key.workspace_id
         WHERE key.id = $1
        "#,
        id as KeyId,
    )
    .fetch_optional(tx.conn())
    .await
}

/// Newest first, before `before`.
pub(crate) async fn list(
    tx: &mut OrgTx,
    before: Option<KeyId>,
    limit: i64,
) -> sqlx::Result<Vec<Key>> {
    sqlx::query_as!(
        Key,
        r#"
        SELECT key.id AS "id: KeyId", key.name, workspace.slug AS workspace,
               key.member_id AS "member_id: MemberId", key.scopes, key.tools, key.created_at,
               key.expires_at, key.revoked_at
          FROM registry.key
          JOIN registry.workspace ON workspace.id = key.workspace_id
         WHERE $1::uuid IS NULL OR key.id < $1
         ORDER BY key.id DESC
         LIMIT $2
        "#,
        before as Option<KeyId>,
        limit,
    )
    .fetch_all(tx.conn())
    .await
}

/// Ends a key; one that has ended stays ended since then.
pub(crate) async fn revoke(tx: &mut OrgTx, id: KeyId, now: OffsetDateTime) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE registry.key SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1",
        id as KeyId,
        now,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Whom a key stands for, before its organization is known.
pub(crate) async fn find_grant(tx: &mut SystemTx, id: KeyId) -> sqlx::Result<Option<Grant>> {
    let row = sqlx::query!(
        r#"
        SELECT organization.id AS "org_id: OrgId", organization.slug AS org_slug,
               organization.name AS org_name, workspace.id AS "workspace_id: WorkspaceId",
               workspace.slug AS workspace_slug, workspace.name AS workspace_name,
               key.id AS "id: KeyId", key.name, key.member_id AS "member_id: MemberId",
               key.secret_sha256, key.scopes, key.tools, key.created_at, key.expires_at,
               key.revoked_at
          FROM registry.key
          JOIN registry.organization ON organization.id = key.org_id
          JOIN registry.workspace ON workspace.id = key.workspace_id
         WHERE key.id = $1
        "#,
        id as KeyId,
    )
    .fetch_optional(tx.conn())
    .await?;
    Ok(row.map(|row| Grant {
        org_id: row.org_id,
        org_slug: row.org_slug,
        org_name: row.org_name,
        workspace_id: row.workspace_id,
        workspace_name: row.workspace_name,
        secret_sha256: row.secret_sha256,
        key: Key {
            id: row.id,
            name: row.name,
            workspace: row.workspace_slug,
            member_id: row.member_id,
            scopes: row.scopes,
            tools: row.tools,
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
        },
    }))
}
