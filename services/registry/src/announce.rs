//! Tells every gateway, through Redis, that a key or a skill has changed, so that it forgets what it remembers
//! of it.
//!
//! This only makes it quicker: a gateway remembers nothing for more than a second, so the bound holds without
//! Redis too.
use std::time::Duration;

use ids::{KeyId, OrgId};
use redis::{AsyncCommands, Client, aio::ConnectionManager, aio::ConnectionManagerConfig};
use secrecy::ExposeSecret;
use tokio::sync::OnceCell;

use crate::RedisConfig;

/// The channel on which the ids of changed keys are announced.
const KEYS: &str = "loadout:keys";
/// The channel on which the ids of organizations are announced whose skills changed.
const SKILLS: &str = "loadout:skills";
const PATIENCE: Duration = Duration::from_millis(500);

/// Announces changes.
#[derive(Debug)]
pub(crate) struct Announcer {
    client: Option<Client>,
    connection: OnceCell<ConnectionManager>,
}

impl Announcer {
    pub(crate) fn start(redis: Option<&RedisConfig>) -> anyhow::Result<Self> {
        let client = redis.map(|redis| Client::open(redis.url.expose_secret())).transpose()?;
        Ok(Self { client, connection: OnceCell::new() })
    }

    /// Announces that a key has changed. A Redis that is away is logged, and no reason to fail.
    pub(crate) async fn key_changed(&self, key: KeyId) {
        self.announce(KEYS, &key.to_string()).await;
    }

    /// Announces that a skill of the organization has changed. A Redis that is away is logged too.
    pub(crate) async fn skill_changed(&self, org: OrgId) {
        self.announce(SKILLS, &org.to_string()).await;
    }

    async fn announce(&self, channel: &str, id: &str) {
        let Some(client) = &self.client else { return };
        let published = tokio::time::timeout(PATIENCE, self.publish(client, channel, id)).await;
        match published {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(channel, id, %error, "redis took no announcement"),
            Err(_elapsed) => tracing::warn!(channel, id, "redis took no announcement in time"),
        }
    }

    async fn publish(&self, client: &Client, channel: &str, id: &str) -> redis::RedisResult<()> {
        let config = ConnectionManagerConfig::new().set_number_of_retries(1);
        let connect = || client.get_connection_manager_with_config(config);
        let mut connection = self.connection.get_or_try_init(connect).await?.clone();
        connection.publish(channel, id).await
    }
}
