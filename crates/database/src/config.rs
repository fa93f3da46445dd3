//! How to reach Postgres.
use std::{num::NonZeroU32, str::FromStr, time::Duration};

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use sqlx::{
    Connection, PgConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};

use crate::{Database, MIGRATOR};

/// How long a request waits for a free connection, or for Postgres to come back.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The `[database]` section of a service's settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseConfig {
    /// With the password, so never logged: `postgres://user:password@host:port/name`.
    pub url: SecretString,
    /// How many connections at most: 1 or more.
    #[serde(default = "default_connections")]
    pub connections: NonZeroU32,
    /// The role that every connection takes on: one that cannot bypass row-level security. The user of
    /// the `url` must be a member of it.
    #[serde(default = "default_role")]
    pub role: String,
}

/// The database is not fit to hold organizations apart.
#[derive(Debug, thiserror::Error)]
#[error(
    "the role `{0}` is a superuser or bypasses row-level security; give a `database.role` that does not"
)]
struct BypassesRowSecurity(String);

const fn default_connections() -> NonZeroU32 {
    const { NonZeroU32::new(16).unwrap() }
}

fn default_role() -> String {
    "loadout_app".to_owned()
}

impl DatabaseConfig {
    /// Settings for a URL, all else by default.
    #[must_use]
    pub fn at(url: SecretString) -> Self {
        Self { url, connections: default_connections(), role: default_role() }
    }

    /// Opens the pool, and refuses a role that row-level security does not bind.
    pub async fn connect(&self) -> sqlx::Result<Database> {
        let options = PgConnectOptions::from_str(self.url.expose_secret())?;
        self.connect_with(options).await
    }

    /// The same, with connection options of a test's own.
    pub async fn connect_with(&self, options: PgConnectOptions) -> sqlx::Result<Database> {
        let options = options.options([("role", self.role.as_str())]).application_name("loadout");
        let pool = PgPoolOptions::new()
            .max_connections(self.connections.get())
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        let bypasses = sqlx::query_scalar!(
            r#"SELECT rolsuper OR rolbypassrls AS "bypasses!" FROM pg_roles WHERE rolname = current_user"#
        )
        .fetch_one(&pool)
        .await?;
        if bypasses {
            return Err(sqlx::Error::Configuration(BypassesRowSecurity(self.role.clone()).into()));
        }
        Ok(Database::new(pool))
    }

    /// Brings the schema up to date, as the user of the `url` itself. Many may try at once: one works,
    /// the others wait.
    pub async fn migrate(&self) -> Result<(), sqlx::migrate::MigrateError> {
        let mut connection = PgConnection::connect(self.url.expose_secret()).await?;
        MIGRATOR.run(&mut connection).await
    }
}
