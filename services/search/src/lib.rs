//! Search turns texts into vectors, keeps them, and finds what is near a query.
//!
//! Its rooms, from the door inwards: `grpc` (wire), `engine` (one query or one write from end to
//! end), `model` (rules), `embed` (texts to vectors), `index` (where vectors are kept).
mod config;
mod digest;
pub mod embed;
pub mod engine;
mod error;
mod grpc;
pub mod index;
pub mod model;

use access::{Audience, Door};
use anyhow::Context;
use clock::Clock;
use process::Process;
use tonic::service::Routes;

pub use config::{Config, EmbedderConfig, StoreConfig};
use engine::Engine;
pub use error::{Error, Result, Size};

/// Makes the service: from its settings to its routes.
pub async fn routes(config: &Config, process: &Process, clock: Clock) -> anyhow::Result<Routes> {
    let verifier = config.access.verifier(Audience::Search, clock);
    let door = Door::new(verifier.context("reading the keys of callers")?);
    let engine = config.engine().await?;
    let checked = engine.clone();
    process.readiness().require("index", move || {
        let engine = checked.clone();
        async move { engine.index_id().await.map(drop).map_err(|error| error.to_string()) }
    });
    Ok(routes_on(engine, door))
}

/// The same, on an engine that is already running.
#[must_use]
pub fn routes_on(engine: Engine, door: Door) -> Routes {
    grpc::routes(engine, door)
}
