//! Queries on `registry.outbox`.
use std::time::Duration;

use database::{OrgTx, SystemTx};
use ids::{OrgId, SkillId};
use time::OffsetDateTime;
use uuid::Uuid;

/// How long a claim holds unless it is renewed: as long as the rows of a worker that was killed wait.
pub(crate) const CLAIM: Duration = Duration::from_secs(8);

/// A row that this worker has claimed.
#[derive(Clone, Debug)]
pub(crate) struct Claimed {
    pub(crate) sequence: i64,
    pub(crate) org_id: OrgId,
    pub(crate) skill_id: SkillId,
    /// How often it was claimed, this time included.
    pub(crate) attempts: i32,
}

/// Says that a skill changed, in the transaction that changes it.
pub(crate) async fn insert(
    tx: &mut OrgTx,
    org: OrgId,
    skill: SkillId,
    now: OffsetDateTime,
) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO registry.outbox (org_id, skill_id, queued_at) VALUES ($1, $2, $3)",
        org as OrgId,
        skill as SkillId,
        now,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Claims the oldest rows that are due, what was published before what is only filled again. One worker claims at a time, and a skill that another is sending
/// is left to it, so that no two send the same at once.
pub(crate) async fn claim(
    tx: &mut SystemTx,
    worker: Uuid,
    now: OffsetDateTime,
    limit: i64,
) -> sqlx::Result<Vec<Claimed>> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('registry.outbox', 0))")
        .fetch_one(tx.conn())
        .await?;
    let mut rows = sqlx::query_as!(
        Claimed,
        r#"
        UPDATE registry.outbox
           SET claimed_by = $1, claimed_until = $3, attempts = attempts + 1
         WHERE sequence IN (
               SELECT sequence FROM registry.outbox AS due
                WHERE poison IS NULL
                  AND (claimed_until IS NULL OR claimed_until <= $2)
                  AND (retry_at IS NULL OR retry_at <= $2)
                  AND NOT EXISTS (SELECT FROM registry.outbox AS other
                                   WHERE other.skill_id = due.skill_id
                                     AND other.claimed_until > $2)
                ORDER BY is_refill, sequence
                LIMIT $4)
        RETURNING sequence, org_id AS "org_id: OrgId", skill_id AS "skill_id: SkillId", attempts
        "#,
        worker,
        now,
        now + CLAIM,
        limit,
    )
    .fetch_all(tx.conn())
    .await?;
    rows.sort_by_key(|row| row.sequence);
    Ok(rows)
}

/// Holds on to rows that are still being sent. Whether all of them are still this worker's.
pub(crate) async fn renew(
    tx: &mut SystemTx,
    worker: Uuid,
    sequences: &[i64],
    now: OffsetDateTime,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        r#"
        UPDATE registry.outbox SET claimed_until = $3
         WHERE sequence = ANY($2) AND claimed_by = $1 AND claimed_until > $4
        "#,
        worker,
        sequences,
        now + CLAIM,
        now,
    )
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() == sequences.len() as u64)
}

/// Removes what search has made durable: these rows, and older poison of the same skill.
pub(crate) async fn remove(tx: &mut SystemTx, worker: Uuid, sequences: &[i64]) -> sqlx::Result<()> {
    sqlx::query!(
        r#"
        WITH done AS (
            DELETE FROM registry.outbox WHERE sequence = ANY($2) AND claimed_by = $1
            RETURNING skill_id, sequence
        )
        DELETE FROM registry.outbox AS old USING done
         WHERE old.skill_id = done.skill_id AND old.sequence < done.sequence
           AND old.poison IS NOT NULL
        "#,
        worker,
        sequences,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Gives rows back, to be tried again at `retry_at`.
pub(crate) async fn release(
    tx: &mut SystemTx,
    worker: Uuid,
    sequences: &[i64],
    retry_at: OffsetDateTime,
) -> sqlx::Result<()> {
    sqlx::query!(
        r#"
        UPDATE registry.outbox SET claimed_by = NULL, claimed_until = NULL, retry_at = $3
         WHERE sequence = ANY($2) AND claimed_by = $1
        "#,
        worker,
        sequences,
        retry_at,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Sets rows aside that search will never take, with its reason.
pub(crate) async fn set_aside(
    tx: &mut SystemTx,
    worker: Uuid,
    sequences: &[i64],
    reason: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        r#"
        UPDATE registry.outbox
           SET claimed_by = NULL, claimed_until = NULL, poison = $3
         WHERE sequence = ANY($2) AND claimed_by = $1
        "#,
        worker,
        sequences,
        reason,
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// What search has not taken of some skills.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Untaken {
    /// Rows that are still to be sent.
    pub(crate) open: i64,
    /// Rows that search will never take.
    pub(crate) poison: i64,
}

/// What search has not taken of these skills, whoever queued it.
pub(crate) async fn count_untaken(tx: &mut OrgTx, skills: &[SkillId]) -> sqlx::Result<Untaken> {
    sqlx::query_as!(
        Untaken,
        r#"
        SELECT count(*) FILTER (WHERE poison IS NULL) AS "open!",
               count(*) FILTER (WHERE poison IS NOT NULL) AS "poison!"
          FROM registry.outbox
         WHERE skill_id = ANY($1)
        "#,
        skills as &[SkillId],
    )
    .fetch_one(tx.conn())
    .await
}

/// Queues every skill there is, for an index that begins empty.
pub(crate) async fn insert_every_skill(
    tx: &mut SystemTx,
    now: OffsetDateTime,
) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        r#"
        INSERT INTO registry.outbox (org_id, skill_id, queued_at, is_refill)
        SELECT org_id, id, $1, true FROM registry.skill ORDER BY id
        "#,
        now,
    )
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected())
}
