//! The settings of search.
use std::{
    env,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::PathBuf,
    sync::Arc,
};

use access::VerifierSettings;
use anyhow::Context;
use process::{Settings, Telemetry};
use serde::Deserialize;
use tokio::task::spawn_blocking;

use crate::{
    embed::{Embedder, LocalModel, OpenAi, OpenAiConfig},
    engine::Engine,
    index::{EdgeStore, ServerConfig, ServerStore, VectorKind, VectorStore},
};

/// What search needs to know before it starts. See `deploy/search.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where it listens for gRPC.
    #[serde(default = "Config::default_listen")]
    pub listen: SocketAddr,
    /// What it logs, and where it reports.
    #[serde(default)]
    pub telemetry: Telemetry,
    /// Whose caller tokens it trusts.
    pub access: VerifierSettings,
    /// What turns texts into vectors.
    pub embedder: EmbedderConfig,
    /// Where vectors are kept.
    pub store: StoreConfig,
}

/// What turns texts into vectors.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EmbedderConfig {
    /// all-MiniLM-L6-v2, in this process.
    Local {
        /// Where its files are; without it, `.cache/loadout/all-MiniLM-L6-v2` in the user's home.
        #[serde(default)]
        folder: Option<PathBuf>,
    },
    /// An API that speaks OpenAI's protocol.
    Openai(OpenAiConfig),
}

/// Where vectors are kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StoreConfig {
    /// In a folder of this process.
    Edge {
        /// The folder, used by this process alone.
        folder: PathBuf,
    },
    /// On a Qdrant server.
    Qdrant(ServerConfig),
}

impl Settings for Config {
    fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }
}

impl Config {
    const fn default_listen() -> SocketAddr {
        SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7002))
    }

    pub(crate) async fn engine(&self) -> anyhow::Result<Engine> {
        let embedder = self.embedder.open().await.context("preparing the embedder")?;
        let kind = VectorKind::of(embedder.as_ref());
        let store = self.store.open(kind).await.context("opening the vector store")?;
        Ok(Engine::new(embedder, store))
    }
}

impl EmbedderConfig {
    /// Loads the model, or prepares the client.
    pub async fn open(&self) -> anyhow::Result<Arc<dyn Embedder>> {
        match self {
            Self::Local { folder } => {
                let folder = match folder {
                    Some(folder) => folder.clone(),
                    None => default_folder()?,
                };
                Ok(Arc::new(spawn_blocking(move || LocalModel::load(&folder)).await??))
            }
            Self::Openai(config) => Ok(Arc::new(OpenAi::new(config.clone())?)),
        }
    }
}

impl StoreConfig {
    /// Opens the store for these vectors.
    pub async fn open(&self, kind: VectorKind) -> anyhow::Result<Arc<dyn VectorStore>> {
        Ok(match self {
            Self::Edge { folder } => Arc::new(EdgeStore::open(folder, kind).await?),
            Self::Qdrant(config) => Arc::new(ServerStore::open(config, kind).await?),
        })
    }
}

fn default_folder() -> anyhow::Result<PathBuf> {
    let home = env::home_dir().context("no home folder: `embedder.folder` must be set")?;
    Ok(home.join(".cache/loadout/all-MiniLM-L6-v2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = r#""listen": "127.0.0.1:7002", "access": {"trusted_key_files": ["k"]}"#;

    fn config(embedder: &str, store: &str) -> Result<Config, serde_json::Error> {
        serde_json::from_str(&format!(r#"{{{REST}, "embedder": {embedder}, "store": {store}}}"#))
    }

    #[test]
    fn each_embedder_and_store_has_its_own_settings() {
        let openai = r#"{"kind": "openai", "api_key": "k", "model": "m", "dimensions": 3}"#;
        let qdrant = r#"{"kind": "qdrant", "url": "http://x:6334", "api_key": "s"}"#;
        let apart = config(openai, qdrant).unwrap();
        assert!(matches!(apart.embedder, EmbedderConfig::Openai(c) if c.total_seconds > 1.0));
        assert!(matches!(apart.store, StoreConfig::Qdrant(c) if c.collection == "loadout"));
        let alone = config(r#"{"kind": "local"}"#, r#"{"kind": "edge", "folder": "f"}"#).unwrap();
        assert!(matches!(alone.embedder, EmbedderConfig::Local { folder: None }));
    }

    #[test]
    fn a_setting_that_does_not_exist_is_refused_by_name() {
        let error = config(r#"{"kind": "local", "foldr": "x"}"#, r#"{"kind": "edge"}"#);
        assert!(error.unwrap_err().to_string().contains("foldr"));
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_known_ones() {
        let error = config(r#"{"kind": "cohere"}"#, r#"{"kind": "edge", "folder": "f"}"#);
        let message = error.unwrap_err().to_string();
        assert!(message.contains("cohere") && message.contains("local"), "{message}");
    }

    #[test]
    fn no_secret_is_shown_when_settings_are_printed() {
        let openai = r#"{"kind": "openai", "api_key": "k3y", "model": "m", "dimensions": 3}"#;
        let qdrant = r#"{"kind": "qdrant", "url": "http://x", "api_key": "k3y"}"#;
        assert!(!format!("{:?}", config(openai, qdrant).unwrap()).contains("k3y"));
    }
}
