//! The gateway: the one door from outside, over MCP and REST.
//!
//! A request passes `auth` (who is it?), then `mcp` or `rest` (what is asked?), then the `catalog` (may
//! they?), then a tool in `tools`, which asks the services `behind`; `record` keeps account of it.
mod announced;
mod answer;
mod app;
mod auth;
mod behind;
mod call;
mod catalog;
mod config;
mod failure;
mod kept;
mod mcp;
mod metrics;
mod pin;
mod problem;
mod record;
pub mod reference;
mod rest;
mod schema;
mod tool;
mod tools;

use std::{process::ExitCode, sync::Arc};

use anyhow::Context;
use axum::Router;
use clock::Clock;
use contract::transport::{self, Transport};
use process::{NoArguments, Process};

pub use config::{Config, RedisConfig};

use app::App;

/// Makes the gateway: from its settings and the ways to the services to its router.
pub fn router(
    config: &Config,
    registry: Transport,
    search: Transport,
    process: &Process,
) -> anyhow::Result<Router> {
    router_with_clock(config, registry, search, process, Clock::default())
}

/// The same, by a clock of the caller's.
pub fn router_with_clock(
    config: &Config,
    registry: Transport,
    search: Transport,
    process: &Process,
    clock: Clock,
) -> anyhow::Result<Router> {
    let app = Arc::new(App::start(config, registry, search, process, clock)?);
    let mcp = mcp::router(&app, config)?;
    let router = rest::router(&app).merge(mcp);
    Ok(router.method_not_allowed_fallback(problem::method_not_allowed))
}

/// Runs the gateway as a program of its own.
#[must_use]
pub fn main() -> ExitCode {
    process::run("gateway", async |config: Config, _: NoArguments, process: &Process| {
        let registry = remote("registry", config.registry.as_deref())?;
        let search = remote("search", config.search.as_deref())?;
        let router = router(&config, registry, search, process)?;
        process.serve_http(config.listen, router).await?;
        Ok(())
    })
}

fn remote(name: &str, address: Option<&str>) -> anyhow::Result<Transport> {
    let address = address.with_context(|| format!("`{name}` is not set: where is it?"))?;
    let uri = address.parse().with_context(|| format!("`{name}` is `{address}`, no address"))?;
    Ok(transport::remote(uri))
}
