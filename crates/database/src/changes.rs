//! What other replicas have committed, as Postgres announces it (`NOTIFY`).
use std::time::Duration;

use sqlx::postgres::PgListener;

/// Announcements of one channel, in the order of their commits.
#[derive(Debug)]
pub struct Changes {
    listener: PgListener,
}

impl Changes {
    pub(crate) fn new(mut listener: PgListener) -> Self {
        // A lost connection is an error to the reader, who must then forget what it remembers.
        listener.eager_reconnect(false);
        Self { listener }
    }

    /// The next announcement, or none within `patience`. An error, or `Err` of a lost connection, means
    /// that announcements may have been missed.
    pub async fn next(&mut self, patience: Duration) -> sqlx::Result<Option<String>> {
        match tokio::time::timeout(patience, self.listener.try_recv()).await {
            Ok(Ok(Some(notification))) => Ok(Some(notification.payload().to_owned())),
            Ok(Ok(None)) => Err(sqlx::Error::WorkerCrashed),
            Ok(Err(error)) => Err(error),
            Err(_elapsed) => Ok(None),
        }
    }

    /// Returns once everything that was committed before this call has been delivered to [`Self::next`]:
    /// Postgres sends a connection its notifications before it answers it.
    pub async fn catch_up(&mut self, patience: Duration) -> sqlx::Result<()> {
        let answer = sqlx::query("SELECT 1").execute(&mut self.listener);
        match tokio::time::timeout(patience, answer).await {
            Ok(answer) => answer.map(drop),
            Err(_elapsed) => Err(sqlx::Error::PoolTimedOut),
        }
    }
}
