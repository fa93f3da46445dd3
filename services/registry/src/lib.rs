//! The registry holds organizations, their keys and their skills.
//!
//! Its rooms, from the door inwards: `grpc` (wire), `model` (rules), `store` (SQL), `blob` (files).
//! `outbox` tells search what changed; `recent` remembers what was just read, for as long as it is true.

mod announce;
mod blob;
mod config;
mod error;
mod grpc;
mod model;
mod operate;
mod outbox;
mod recent;
mod store;

use std::sync::Arc;

use access::{Audience, Door};
use anyhow::Context;
use clock::Clock;
use contract::transport::Transport;
use process::Process;
use tonic::service::Routes;

pub use config::{BlobConfig, Config, RedisConfig};
use error::{Error, Result};
pub use operate::{Created, NewOrganization, create_organization, is_empty};

/// Makes the service: from its settings to its routes. `search` is where changes are sent.
pub async fn routes(
    config: &Config,
    search: Transport,
    process: &Process,
    clock: Clock,
) -> anyhow::Result<Routes> {
    let database = config.database.connect().await.context("connecting to Postgres")?;
    let blobs = config.blobs.open()?;
    let signer = config.signer.signer(clock.clone())?;
    let verifier = config.verifier.verifier(Audience::Registry, clock.clone())?;
    let outbox = outbox::start(
        outbox::Sender { database: database.clone(), search, signer, clock: clock.clone() },
        process,
    );
    let recent = recent::Recent::start(&database, process);
    let announcer = announce::Announcer::start(config.redis.as_ref())?;
    require(process, &database);
    let rooms = grpc::Rooms { database, blobs, outbox, recent, announcer, clock };
    Ok(grpc::routes(Arc::new(rooms), &Door::new(verifier)))
}

fn require(process: &Process, database: &database::Database) {
    let database = database.clone();
    process.readiness().require("postgres", move || {
        let database = database.clone();
        async move { database.ping().await.map_err(|error| error.to_string()) }
    });
}
