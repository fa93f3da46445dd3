//! What every request of the gateway shares.
use access::SignerSettings;
use anyhow::Context;
use bytes::Bytes;
use clock::Clock;
use contract::transport::Transport;
use process::Process;
use secrecy::SecretString;

use crate::{
    Config, announced, announced::Hearer, auth::Keys, behind::Services, catalog::Catalog,
    kept::Kept, record::Recorder, rest, tools,
};

pub(crate) struct App {
    pub(crate) catalog: Catalog,
    pub(crate) keys: Keys,
    pub(crate) services: Services,
    pub(crate) recorder: Recorder,
    pub(crate) kept: Kept,
    pub(crate) clock: Clock,
    pub(crate) operator_token: Option<SecretString>,
    /// The OpenAPI document, as it is served.
    pub(crate) openapi: Bytes,
}

impl App {
    pub(crate) fn start(
        config: &Config,
        registry: Transport,
        search: Transport,
        process: &Process,
        clock: Clock,
    ) -> anyhow::Result<Self> {
        let services = Services::new(registry, search, signer(&config.access, &clock)?);
        let keys = Keys::new(services.clone(), clock.clone(), process.clone());
        let kept = Kept::default();
        if let Some(redis) = &config.redis {
            let hearer = Hearer { keys: keys.clone(), kept: kept.clone() };
            process.spawn(announced::listen(redis, hearer, process.working())?);
        }
        let ready = keys.clone();
        process.readiness().require("registry", move || {
            let keys = ready.clone();
            async move { keys.reach_registry().await.map_err(|failure| failure.to_string()) }
        });
        let catalog = tools::all();
        let openapi = serde_json::to_vec(&rest::openapi(&catalog)).context("printing OpenAPI")?;
        Ok(Self {
            recorder: Recorder::start(services.clone(), process),
            kept,
            catalog,
            keys,
            services,
            clock,
            operator_token: config.operator_token.clone(),
            openapi: openapi.into(),
        })
    }
}

fn signer(settings: &SignerSettings, clock: &Clock) -> anyhow::Result<access::Signer> {
    settings.signer(clock.clone()).context("reading the key that signs callers' tokens")
}
