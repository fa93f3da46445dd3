//! Transactions that see one organization's rows only.
use std::time::{Duration, Instant};

use access::Caller;
use fault::Kind;
use ids::OrgId;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction, postgres::PgListener};

use crate::{Changes, config::PATIENCE, kind};

const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// Opens transactions.
#[derive(Clone, Debug)]
pub struct Database {
    pool: PgPool,
}

/// A transaction that sees one organization's rows only; Postgres itself holds it to that.
#[derive(Debug)]
pub struct OrgTx(Transaction<'static, Postgres>);

/// A transaction for work that spans organizations: it sees the few tables that such work needs, by the
/// role `loadout_system`, and nothing of what an organization stores.
#[derive(Debug)]
pub struct SystemTx(Transaction<'static, Postgres>);

impl Database {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Opens a transaction for the caller's organization, in one round trip.
    pub async fn begin(&self, caller: &Caller) -> sqlx::Result<OrgTx> {
        self.begin_for(caller.org).await
    }

    /// Opens a transaction for an organization that a service works for by itself.
    pub async fn begin_for(&self, org: OrgId) -> sqlx::Result<OrgTx> {
        // An id prints as hexadecimal digits only.
        let begin = format!("BEGIN; SET LOCAL loadout.org = '{}'", org.uuid());
        self.open(begin).await.map(OrgTx)
    }

    /// Opens a transaction for work that spans organizations.
    pub async fn begin_system(&self) -> sqlx::Result<SystemTx> {
        self.open("BEGIN; SET LOCAL ROLE loadout_system".to_owned()).await.map(SystemTx)
    }

    /// Begins on a connection that works. After a restart of Postgres the pool still holds dead ones:
    /// nothing has been done on them yet, so the next is tried.
    async fn open(&self, begin: String) -> sqlx::Result<Transaction<'static, Postgres>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.pool.begin_with(AssertSqlSafe(begin.clone())).await {
                Err(error) if kind(&error) == Kind::Unavailable && Instant::now() < deadline => {
                    tokio::time::sleep(BETWEEN_TRIES).await;
                }
                done => return done,
            }
        }
    }

    /// Hears what `channel` announces from now on.
    pub async fn changes(&self, channel: &str) -> sqlx::Result<Changes> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(channel).await?;
        Ok(Changes::new(listener))
    }

    /// Asks Postgres for an answer, for readiness.
    pub async fn ping(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT 1").execute(&self.pool).await.map(drop)
    }

    /// Ends every connection, once their work is done.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

impl OrgTx {
    /// The connection to run a query on.
    pub fn conn(&mut self) -> &mut PgConnection {
        &mut self.0
    }

    /// Keeps what was done; without this, dropping undoes it.
    pub async fn commit(self) -> sqlx::Result<()> {
        self.0.commit().await
    }
}

impl SystemTx {
    /// Goes on in the same transaction as one organization sees it.
    pub async fn enter(mut self, org: OrgId) -> sqlx::Result<OrgTx> {
        // An id prints as hexadecimal digits only.
        let enter = format!("RESET ROLE; SET LOCAL loadout.org = '{}'", org.uuid());
        sqlx::raw_sql(AssertSqlSafe(enter)).execute(&mut *self.0).await?;
        Ok(OrgTx(self.0))
    }

    /// The connection to run a query on.
    pub fn conn(&mut self) -> &mut PgConnection {
        &mut self.0
    }

    /// Keeps what was done; without this, dropping undoes it.
    pub async fn commit(self) -> sqlx::Result<()> {
        self.0.commit().await
    }
}
