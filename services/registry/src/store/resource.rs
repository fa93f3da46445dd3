//! Queries on `registry.resource`.
use database::OrgTx;
use ids::{ResourceId, RevisionId};
use uuid::Uuid;

use crate::model::{Resource, ResourceKind, ResourceRole};

/// Keeps the files of a revision, all in one statement.
pub(crate) async fn insert_all(
    tx: &mut OrgTx,
    revision: RevisionId,
    files: &[skillfile::File],
) -> sqlx::Result<()> {
    let ids: Vec<Uuid> = files.iter().map(|_| ResourceId::new().uuid()).collect();
    let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let kinds: Vec<String> = files.iter().map(|file| file.kind.to_string()).collect();
    let roles: Vec<String> = files.iter().map(|file| file.role.to_string()).collect();
    let sizes = files.iter().map(|file| i64::try_from(file.bytes.len()).unwrap_or(i64::MAX));
    let sizes: Vec<i64> = sizes.collect();
    let hashes: Vec<Vec<u8>> = files.iter().map(|file| file.sha256.to_vec()).collect();
    let are_text: Vec<bool> = files.iter().map(|file| file.is_text).collect();
    sqlx::query!(
        r#"
        INSERT INTO registry.resource (id, revision_id, path, kind, role, size, sha256, is_text)
        SELECT id, $1, path, kind, role, size, sha256, is_text
          FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bytea[],
                      $8::boolean[]) AS file (id, path, kind, role, size, sha256, is_text)
        "#,
        revision as RevisionId,
        &ids,
        &paths,
        &kinds,
        &roles,
        &sizes,
        &hashes,
        &are_text,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The files of a revision, in the order of their paths' bytes.
pub(crate) async fn list(tx: &mut OrgTx, revision: RevisionId) -> sqlx::Result<Vec<Resource>> {
    sqlx::query_as!(
        Resource,
        r#"
        SELECT id AS "id: ResourceId", path, kind AS "kind: ResourceKind",
               role AS "role: ResourceRole", size, sha256, is_text
          FROM registry.resource
         WHERE revision_id = $1
         ORDER BY path
        "#,
        revision as RevisionId,
    )
    .fetch_all(tx.conn())
    .await
}
