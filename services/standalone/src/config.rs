//! The settings of the standalone program: a few, from which those of each service follow.
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use access::{SignerSettings, VerifierSettings};
use database::DatabaseConfig;
use process::Telemetry;
use secrecy::SecretString;
use serde::Deserialize;

/// What the program needs to know before it starts. See `deploy/standalone.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where it listens for HTTP.
    #[serde(default = "default_listen")]
    pub listen: SocketAddr,
    /// The address under which clients reach it; `http://` and `listen` unless given.
    #[serde(default)]
    pub public_url: Option<String>,
    /// Postgres, as a user who may make the schema and be any of its roles.
    pub database_url: SecretString,
    /// Redis; without one, an ended key and a changed skill still take effect within a second.
    #[serde(default)]
    pub redis_url: Option<SecretString>,
    /// Where files, vectors and the signing key are kept.
    pub data_dir: PathBuf,
    /// The embedding model's files; the user's cache folder unless given.
    #[serde(default)]
    pub model_dir: Option<PathBuf>,
    /// The token of the operator, who makes organizations; made and kept in `data_dir` unless given.
    #[serde(default)]
    pub operator_token: Option<SecretString>,
    /// What to put into an empty database; nothing unless given.
    #[serde(default)]
    pub demo: Option<Demo>,
    /// What to log and where to report.
    #[serde(default = "quiet")]
    pub telemetry: Telemetry,
}

/// The demo organization.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demo {
    /// The folder of its skills.
    pub skills: PathBuf,
    /// Where its address and keys are written as JSON, readable by this user only.
    pub file: PathBuf,
}

fn default_listen() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 8080))
}

/// A person looks at the terminal: only what is wrong.
fn quiet() -> Telemetry {
    Telemetry { log: "warn,rmcp=error,qdrant_edge=error".to_owned(), ..Telemetry::default() }
}

impl process::Settings for Config {
    fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }
}

impl Config {
    pub(crate) fn url(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| format!("http://{}", self.listen))
    }

    pub(crate) fn database(&self) -> DatabaseConfig {
        DatabaseConfig::at(self.database_url.clone())
    }

    pub(crate) fn private_key(&self) -> PathBuf {
        self.data_dir.join("signing-key.pem")
    }

    pub(crate) fn public_key(&self) -> PathBuf {
        self.data_dir.join("signing-key.pub.pem")
    }

    fn signer(&self) -> SignerSettings {
        SignerSettings { signing_key_file: self.private_key() }
    }

    fn verifier(&self) -> VerifierSettings {
        VerifierSettings { trusted_key_files: vec![self.public_key()] }
    }

    pub(crate) fn registry(&self) -> registry::Config {
        registry::Config {
            listen: self.listen,
            database: self.database(),
            blobs: registry::BlobConfig::Folder { path: self.data_dir.join("blobs") },
            redis: self.redis_url.clone().map(|url| registry::RedisConfig { url }),
            search: String::new(),
            signer: self.signer(),
            verifier: self.verifier(),
            telemetry: self.telemetry.clone(),
        }
    }

    pub(crate) fn search(&self) -> search::Config {
        search::Config {
            listen: self.listen,
            telemetry: self.telemetry.clone(),
            access: self.verifier(),
            embedder: search::EmbedderConfig::Local { folder: self.model_dir.clone() },
            store: search::StoreConfig::Edge { folder: self.data_dir.join("vectors") },
        }
    }

    pub(crate) fn gateway(&self, operator_token: SecretString) -> gateway::Config {
        gateway::Config {
            listen: self.listen,
            public_url: self.url(),
            registry: None,
            search: None,
            redis: self.redis_url.clone().map(|url| gateway::RedisConfig { url }),
            access: self.signer(),
            operator_token: Some(operator_token),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            telemetry: self.telemetry.clone(),
        }
    }

    /// Where the operator's token is kept, where the settings give none.
    pub(crate) fn operator_file(&self) -> PathBuf {
        Path::new(&self.data_dir).join("operator-token")
    }
}
