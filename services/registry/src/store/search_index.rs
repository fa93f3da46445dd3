//! Queries on `registry.search_index`: which index the rows so far went to.
use database::SystemTx;

/// The index last seen, held to the transaction's end.
pub(crate) async fn lock(tx: &mut SystemTx) -> sqlx::Result<Option<String>> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('registry.search_index', 0))")
        .fetch_one(tx.conn())
        .await?;
    sqlx::query_scalar!("SELECT index_id FROM registry.search_index")
        .fetch_optional(tx.conn())
        .await
}

pub(crate) async fn upsert(tx: &mut SystemTx, index_id: &str) -> sqlx::Result<()> {
    sqlx::query!(
        r#"
        INSERT INTO registry.search_index (index_id) VALUES ($1)
        ON CONFLICT (singleton) DO UPDATE SET index_id = $1
        "#,
        index_id,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}
