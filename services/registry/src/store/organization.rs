//! Queries on `registry.organization`: an operator's, across all.
use database::SystemTx;
use ids::OrgId;

use crate::model::Organization;

pub(crate) async fn insert(tx: &mut SystemTx, organization: &Organization) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO registry.organization (id, slug, name, created_at) VALUES ($1, $2, $3, $4)",
        organization.id as OrgId,
        organization.slug,
        organization.name,
        organization.created_at,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Oldest first, after `after`.
pub(crate) async fn list(
    tx: &mut SystemTx,
    after: Option<OrgId>,
    limit: i64,
) -> sqlx::Result<Vec<Organization>> {
    sqlx::query_as!(
        Organization,
        r#"
        SELECT id AS "id: OrgId", slug, name, created_at
          FROM registry.organization
         WHERE $1::uuid IS NULL OR id > $1
         ORDER BY id
         LIMIT $2
        "#,
        after as Option<OrgId>,
        limit,
    )
    .fetch_all(tx.conn())
    .await
}
