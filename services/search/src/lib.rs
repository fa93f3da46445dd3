//! Search turns texts into vectors, keeps them, and finds what is near a query.
//!
//! Its rooms, from the door inwards: `grpc` (wire), `engine` (one query or one write from end to
//! end), `model` (rules), `embed` (texts to vectors), `index` (where vectors are kept).
mod config;
pub mod embed;
pub mod engine;
mod error;
mod grpc;
pub mod index;
pub mod model;

use access::{Audience, Door};
use anyhow::Context;
use clock::Clock;
use tonic::service::Routes;

pub use config::{Config, EmbedderConfig, StoreConfig};
use engine::Engine;
pub use error::{Error, Result, Size};

/// Makes the service: from its settings to its routes.
pub async fn routes(config: &Config, clock: Clock) -> anyhow::Result<Routes> {
    let verifier = config.access.verifier(Audience::Search, clock);
    let door = Door::new(verifier.context("reading the keys of callers")?);
    Ok(routes_on(config.engine().await?, door))
}

/// The same, on an engine that is already running.
#[must_use]
pub fn routes_on(engine: Engine, door: Door) -> Routes {
    grpc::routes(engine, door)
}
