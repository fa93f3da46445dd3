//! The one way into Postgres: every transaction is one organization's, and Postgres holds it to that.
mod changes;
mod config;
mod transaction;

pub use changes::Changes;
pub use config::DatabaseConfig;
pub use transaction::{Database, OrgTx, SystemTx};

use fault::Kind;
use sqlx::migrate::Migrator;

/// Every migration, oldest first.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// In which way a call failed whose query did: a Postgres that is away comes back.
#[must_use]
pub fn kind(error: &sqlx::Error) -> Kind {
    use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Tls, WorkerCrashed};
    match error {
        Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed => Kind::Unavailable,
        // Class 57 is operator intervention, such as a shutdown; 40 a serialization failure or
        // deadlock; 53 a lack of resources; 08 a lost connection.
        Database(error) => match error.code().as_deref().and_then(|code| code.get(..2)) {
            Some("57" | "40" | "53" | "08") => Kind::Unavailable,
            _ => Kind::Internal,
        },
        _ => Kind::Internal,
    }
}
