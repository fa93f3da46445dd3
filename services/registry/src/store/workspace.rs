//! Queries on `registry.workspace`.
use database::OrgTx;
use ids::WorkspaceId;

use crate::model::Workspace;

pub(crate) async fn insert(tx: &mut OrgTx, workspace: &Workspace) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO registry.workspace (id, slug, name, created_at) VALUES ($1, $2, $3, $4)",
        workspace.id as WorkspaceId,
        workspace.slug,
        workspace.name,
        workspace.created_at,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub(crate) async fn find_by_slug(tx: &mut OrgTx, slug: &str) -> sqlx::Result<Option<WorkspaceId>> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: WorkspaceId" FROM registry.workspace WHERE slug = $1"#,
        slug,
    )
    .fetch_optional(tx.conn())
    .await
}

/// Oldest first, after `after`.
pub(crate) async fn list(
    tx: &mut OrgTx,
    after: Option<WorkspaceId>,
    limit: i64,
) -> sqlx::Result<Vec<Workspace>> {
    sqlx::query_as!(
        Workspace,
        r#"
        SELECT id AS "id: WorkspaceId", slug, name, created_at
          FROM registry.workspace
         WHERE $1::uuid IS NULL OR id > $1
         ORDER BY id
         LIMIT $2
        "#,
        after as Option<WorkspaceId>,
        limit,
    )
    .fetch_all(tx.conn())
    .await
}
