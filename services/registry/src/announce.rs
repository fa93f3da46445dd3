//! Tells every gateway, through Redis, that a key has changed, so that it forgets what it remembers of it.
//!
//! This only makes it quicker: a gateway remembers a key for less than a second, so the bound holds
//! without Redis too.
use std::time::Duration;

use ids::KeyId;
use redis::{AsyncCommands, Client, aio::ConnectionManager, aio::ConnectionManagerConfig};
use secrecy::ExposeSecret;
use tokio::sync::OnceCell;

use crate::RedisConfig;

/// The channel on which the ids of changed keys are announced.
const KEYS: &str = "loadout:keys";
const PATIENCE: Duration = Duration::from_millis(500);

/// Announces changes of keys.
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
        let Some(client) = &self.client else { return };
        let published = tokio::time::timeout(PATIENCE, self.publish(client, key)).await;
        match published {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(key.id = %key, %error, "redis took no announcement"),
            Err(_elapsed) => tracing::warn!(key.id = %key, "redis took no announcement in time"),
        }
    }

    async fn publish(&self, client: &Client, key: KeyId) -> redis::RedisResult<()> {
        let config = ConnectionManagerConfig::new().set_number_of_retries(1);
        let connect = || client.get_connection_manager_with_config(config);
        let mut connection = self.connection.get_or_try_init(connect).await?.clone();
        connection.publish(KEYS, key.to_string()).await
    }
}
