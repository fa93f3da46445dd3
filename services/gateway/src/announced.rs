//! What the registry announces through Redis: keys that end, and skills that change, at once.
use std::time::Duration;

use anyhow::Context;
use futures::StreamExt;
use redis::{Client, Msg, RedisResult};
use secrecy::ExposeSecret;
use tokio_util::sync::CancellationToken;

use crate::{RedisConfig, auth::Keys, kept::Kept};

/// Where the ids of ended and changed keys are told.
const KEYS: &str = "loadout:keys";
/// Where the ids of organizations whose skills changed are told.
const SKILLS: &str = "loadout:skills";
/// How long to wait before Redis is tried again; doubled with each failure, up to the longest.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// What an announcement makes void.
pub(crate) struct Hearer {
    pub(crate) keys: Keys,
    pub(crate) kept: Kept,
}

/// Takes in what Redis tells of, until the program ends. Without Redis nothing is lost but speed.
pub(crate) fn listen(
    config: &RedisConfig,
    hearer: Hearer,
    ending: CancellationToken,
) -> anyhow::Result<impl Future<Output = ()> + use<>> {
    let client = Client::open(config.url.expose_secret()).context("reading `redis.url`")?;
    Ok(async move {
        ending.run_until_cancelled(listen_forever(&client, &hearer)).await;
    })
}

async fn listen_forever(client: &Client, hearer: &Hearer) {
    let mut wait = SHORTEST_WAIT;
    loop {
        match hear(client, hearer).await {
            Ok(()) => wait = SHORTEST_WAIT,
            Err(error) => {
                tracing::warn!(%error, ?wait, "not told of changes, they take effect within a second");
                wait = LONGEST_WAIT.min(wait * 2);
            }
        }
        tokio::time::sleep(wait).await;
    }
}

/// Listens until the connection ends.
async fn hear(client: &Client, hearer: &Hearer) -> RedisResult<()> {
    let mut connection = client.get_async_pubsub().await?;
    connection.subscribe(&[KEYS, SKILLS]).await?;
    tracing::info!(channels = ?[KEYS, SKILLS], "listening for changes");
    let mut messages = connection.into_on_message();
    while let Some(message) = messages.next().await {
        hearer.take_in(&message).await;
    }
    Ok(())
}

impl Hearer {
    async fn take_in(&self, message: &Msg) {
        let channel = message.get_channel_name();
        let text = message.get_payload::<String>().unwrap_or_default();
        if let Err(error) = self.make_void(channel, &text).await {
            tracing::warn!(channel, %error, "heard what is no id");
        }
    }

    async fn make_void(&self, channel: &str, id: &str) -> anyhow::Result<()> {
        if channel == SKILLS {
            self.kept.changed(id.parse()?);
        } else {
            self.keys.forget(id.parse()?).await;
        }
        Ok(())
    }
}
