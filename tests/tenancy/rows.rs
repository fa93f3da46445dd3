//! Row-level security: Postgres itself holds each organization to its own rows.
use std::time::Duration;

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};
use tests::{Skill, Stack, eventually};

const INSUFFICIENT_PRIVILEGE: &str = "42501";
/// The tables of no organization, which only the system's role may touch.
const SYSTEM_TABLES: [&str; 1] = ["search_index"];

/// The tables of a schema of ours, and whether each is secured.
async fn tables(pool: &PgPool) -> Vec<(String, bool)> {
    let query = "SELECT relname::text, relrowsecurity AND relforcerowsecurity FROM pg_class
                  WHERE relnamespace = 'registry'::regnamespace AND relkind IN ('r', 'p')";
    sqlx::query_as(query).fetch_all(pool).await.unwrap()
}

async fn number(connection: &mut PgConnection, query: String) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await.unwrap()
}

/// A transaction as the app makes it, for an organization.
async fn as_app(pool: &PgPool, org: &str) -> Transaction<'static, Postgres> {
    let org = org.trim_start_matches("org_");
    let set = format!("BEGIN; SET LOCAL ROLE loadout_app; SET LOCAL loadout.org = '{org}'");
    pool.begin_with(AssertSqlSafe(set)).await.unwrap()
}

/// Fills the tables that one import and one call leave empty.
async fn fill(pool: &PgPool, org: &str) {
    let org = org.trim_start_matches("org_");
    for insert in [
        format!(
            "INSERT INTO registry.member VALUES (gen_random_uuid(), '{org}', 'm', 'owner', now())"
        ),
        format!(
            "INSERT INTO registry.outbox (org_id, skill_id, queued_at, poison)
             SELECT '{org}', id, now(), 'kept' FROM registry.skill LIMIT 1"
        ),
    ] {
        sqlx::query(AssertSqlSafe(insert)).execute(pool).await.unwrap();
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn every_table_is_secured_and_has_a_policy(pool: PgPool) {
    let tables = tables(&pool).await;
    assert!(tables.len() >= 10, "{tables:?}");
    for (table, is_secured) in tables {
        if SYSTEM_TABLES.contains(&&*table) {
            let query = format!(
                "SELECT count(*) FROM unnest('{{SELECT,INSERT,UPDATE,DELETE}}'::text[]) AS may
                  WHERE has_table_privilege('loadout_app', 'registry.{table}', may)"
            );
            let mut connection = pool.acquire().await.unwrap();
            assert_eq!(number(&mut connection, query).await, 0, "`{table}`");
            continue;
        }
        assert!(is_secured, "`{table}` has row-level security enabled and forced");
        let query = format!(
            "SELECT count(*) FROM pg_policies WHERE schemaname = 'registry' AND tablename = '{table}'
              AND 'loadout_app' = ANY(roles) AND qual LIKE '%loadout.org%'"
        );
        let mut connection = pool.acquire().await.unwrap();
        assert_eq!(number(&mut connection, query).await, 1, "`{table}` has one policy for the app");
    }
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn no_row_of_another_organization_is_seen_or_made(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    let (acme, bravo) = (stack.organization("acme").await, stack.organization("bravo").await);
    acme.owner.import_as("prod", &[Skill::new("tidy").with("a.md", "a")]).await;
    acme.owner.get_skill("tidy").await;
    eventually("the call is recorded", Duration::from_secs(5), async || {
        (!acme.owner.list_all("/v1/calls", "calls").await.is_empty()).then_some(())
    })
    .await;
    fill(&pool, &acme.id).await;
    for (table, _) in tables(&pool).await {
        if !SYSTEM_TABLES.contains(&&*table) {
            check_hidden(&pool, &table, &acme.id, &bravo.id).await;
            check_unmade(&pool, &table, &acme.id, &bravo.id).await;
        }
    }
}

fn column(table: &str) -> &str {
    if table == "organization" { "id" } else { "org_id" }
}

async fn check_hidden(pool: &PgPool, table: &str, whose: &str, who: &str) {
    let whose = whose.trim_start_matches("org_");
    let count = |of: &str| {
        format!("SELECT count(*) FROM registry.{table} WHERE {} = '{of}'", column(table))
    };
    let mut connection = pool.acquire().await.unwrap();
    assert!(number(&mut connection, count(whose)).await > 0, "`{table}` has rows to hide");
    let mut tx = as_app(pool, who).await;
    assert_eq!(number(&mut tx, count(whose)).await, 0, "`{table}` shows another's rows");
    let all = format!(
        "SELECT count(*) FROM registry.{table} WHERE {} <> '{}'",
        column(table),
        who.trim_start_matches("org_")
    );
    assert_eq!(number(&mut tx, all).await, 0, "`{table}` shows another's rows");
}

async fn check_unmade(pool: &PgPool, table: &str, whose: &str, who: &str) {
    let read = format!(
        "SELECT to_jsonb(row) FROM registry.{table} AS row WHERE {} = '{}' LIMIT 1",
        column(table),
        whose.trim_start_matches("org_"),
    );
    let row: Value = sqlx::query_scalar(AssertSqlSafe(read)).fetch_one(pool).await.unwrap();
    let insert = format!(
        "INSERT INTO registry.{table} OVERRIDING SYSTEM VALUE
         SELECT * FROM jsonb_populate_record(NULL::registry.{table}, $1)"
    );
    let mut tx = as_app(pool, who).await;
    let refused = sqlx::query(AssertSqlSafe(insert)).bind(row).execute(&mut *tx).await.unwrap_err();
    let code = refused.as_database_error().and_then(|error| error.code().map(|c| c.to_string()));
    assert_eq!(code.as_deref(), Some(INSUFFICIENT_PRIVILEGE), "`{table}`: {refused}");
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn without_an_organization_the_app_sees_nothing_at_all(pool: PgPool) {
    let stack = Stack::on(&pool).await;
    stack.organization("acme").await;
    let set = "BEGIN; SET LOCAL ROLE loadout_app";
    for (table, _) in tables(&pool).await {
        let mut tx = pool.begin_with(set).await.unwrap();
        let query = format!("SELECT count(*) FROM registry.{table}");
        let seen: sqlx::Result<i64> =
            sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut *tx).await;
        assert!(seen.is_err(), "`{table}`: {seen:?}");
    }
}
