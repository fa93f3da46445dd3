//! The settings that every program has.
use std::path::PathBuf;

use anyhow::{Context, bail};
use figment::{
    Figment,
    providers::{Env, Format, Toml},
};
use serde::{Deserialize, de::DeserializeOwned};

/// Settings of a program. They come from `<program>.toml` in the working folder, or the file that
/// `--settings` names, and from environment variables over it: `LOADOUT__DATABASE__URL` is `url` in
/// `[database]`.
pub trait Settings: DeserializeOwned {
    /// What to log and where to report.
    fn telemetry(&self) -> &Telemetry;
}

/// The `[telemetry]` section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// What to log, as `tracing`'s filters say it; libraries that say much are kept short in the default,
    /// `info,rmcp=warn,qdrant_edge=error`.
    pub log: String,
    /// Where to send traces and metrics by OTLP over gRPC, such as `http://127.0.0.1:4317`; nowhere if
    /// absent.
    pub otlp_endpoint: Option<String>,
    /// How many of the traces begun here are sent: 0 to 1.
    pub trace_ratio: f64,
}

impl Default for Telemetry {
    fn default() -> Self {
        let log = "info,rmcp=warn,qdrant_edge=error".to_owned();
        Self { log, otlp_endpoint: None, trace_ratio: 1.0 }
    }
}

pub(crate) fn read<C: Settings>(program: &str, file: Option<PathBuf>) -> anyhow::Result<C> {
    let default = PathBuf::from(format!("{program}.toml"));
    let file = match file {
        Some(named) if !named.is_file() => bail!("no settings file `{}`", named.display()),
        Some(named) => Some(named),
        None => Some(default).filter(|file| file.is_file()),
    };
    let mut settings = Figment::new();
    if let Some(file) = file {
        settings = settings.merge(Toml::file_exact(file));
    }
    let settings = settings.merge(Env::prefixed("LOADOUT__").split("__"));
    settings.extract().context("reading the settings")
}
