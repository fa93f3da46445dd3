//! The registry's settings.
use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use access::{SignerSettings, VerifierSettings};
use anyhow::Context;
use database::DatabaseConfig;
use object_store::{ObjectStore, aws::AmazonS3Builder, local::LocalFileSystem};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::blob::Blobs;

/// What the registry needs to know before it starts. See `deploy/registry.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where it listens for gRPC.
    pub listen: SocketAddr,
    /// Where its rows are.
    pub database: DatabaseConfig,
    /// Where its files are.
    pub blobs: BlobConfig,
    /// Where it announces that a key has ended or a skill has changed; without it gateways notice within a
    /// second.
    pub redis: Option<RedisConfig>,
    /// Where search is, such as `http://127.0.0.1:7202`.
    pub search: String,
    /// How it proves to search who calls.
    pub signer: SignerSettings,
    /// Whom it believes.
    pub verifier: VerifierSettings,
    /// What to log and where to report.
    #[serde(default)]
    pub telemetry: process::Telemetry,
}

/// How to reach Redis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedisConfig {
    /// With the password, so never logged: `redis://:password@host:port/0`.
    pub url: SecretString,
}

/// Where files are kept, once for each content and organization.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum BlobConfig {
    /// In a folder, made if missing.
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// In a bucket of Amazon S3, or of a server that speaks its protocol.
    S3 {
        /// The bucket's name.
        bucket: String,
        /// Its region.
        region: String,
        /// The server, where it is not Amazon's.
        endpoint: Option<String>,
        /// The access key's id; absent where the machine has a role.
        access_key_id: Option<String>,
        /// The access key's secret.
        secret_access_key: Option<SecretString>,
    },
}

impl process::Settings for Config {
    fn telemetry(&self) -> &process::Telemetry {
        &self.telemetry
    }
}

impl BlobConfig {
    pub(crate) fn open(&self) -> anyhow::Result<Blobs> {
        let store: Arc<dyn ObjectStore> = match self {
            Self::Folder { path } => {
                std::fs::create_dir_all(path)
                    .with_context(|| format!("making the folder `{}`", path.display()))?;
                Arc::new(LocalFileSystem::new_with_prefix(path).context("opening the blobs")?)
            }
            Self::S3 { bucket, region, endpoint, access_key_id, secret_access_key } => {
                let mut s3 =
                    AmazonS3Builder::from_env().with_bucket_name(bucket).with_region(region);
                if let Some(endpoint) = endpoint {
                    let is_plain = endpoint.starts_with("http://");
                    s3 = s3.with_endpoint(endpoint).with_allow_http(is_plain);
                }
                if let (Some(id), Some(secret)) = (access_key_id, secret_access_key) {
                    s3 = s3.with_access_key_id(id).with_secret_access_key(secret.expose_secret());
                }
                Arc::new(s3.build().context("opening the blobs")?)
            }
        };
        Ok(Blobs::new(store))
    }
}
