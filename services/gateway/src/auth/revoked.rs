//! Redis, which tells of ended keys at once.
use std::time::Duration;

use anyhow::Context;
use futures::StreamExt;
use redis::{Client, Msg, RedisResult};
use secrecy::ExposeSecret;
use tokio_util::sync::CancellationToken;

use super::Keys;
use crate::RedisConfig;

/// Where the ids of ended and changed keys are told.
const CHANNEL: &str = "loadout:keys";
/// How long to wait before Redis is tried again; doubled with each failure, up to the longest.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Forgets each key that Redis tells of, until the program ends. Without Redis nothing is lost but speed.
pub(crate) fn listen(
    config: &RedisConfig,
    keys: Keys,
    ending: CancellationToken,
) -> anyhow::Result<impl Future<Output = ()> + use<>> {
    let client = Client::open(config.url.expose_secret()).context("reading `redis.url`")?;
    Ok(async move {
        ending.run_until_cancelled(listen_forever(&client, &keys)).await;
    })
}

async fn listen_forever(client: &Client, keys: &Keys) {
    let mut wait = SHORTEST_WAIT;
    loop {
        match hear(client, keys).await {
            Ok(()) => wait = SHORTEST_WAIT,
            Err(error) => {
                tracing::warn!(%error, ?wait, "not told of ended keys, they end within a second");
                wait = LONGEST_WAIT.min(wait * 2);
            }
        }
        tokio::time::sleep(wait).await;
    }
}

/// Listens until the connection ends.
async fn hear(client: &Client, keys: &Keys) -> RedisResult<()> {
    let mut connection = client.get_async_pubsub().await?;
    connection.subscribe(CHANNEL).await?;
    tracing::info!(channel = CHANNEL, "listening for ended keys");
    let mut messages = connection.into_on_message();
    while let Some(message) = messages.next().await {
        forget(keys, &message).await;
    }
    Ok(())
}

async fn forget(keys: &Keys, message: &Msg) {
    let text = message.get_payload::<String>().unwrap_or_default();
    match text.parse() {
        Ok(id) => keys.forget(id).await,
        Err(error) => tracing::warn!(channel = CHANNEL, %error, "heard what is no key"),
    }
}
