//! How to reach a Qdrant server.
use std::time::Duration;

use qdrant_client::Qdrant;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::super::{Error, VectorKind, point};

/// How to reach a Qdrant server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// Its gRPC address, such as `http://qdrant:6334`.
    pub url: String,
    /// Its key, if it wants one.
    #[serde(default)]
    pub api_key: Option<SecretString>,
    /// What the collection's name begins with; the model is added, so that vectors of two models
    /// never meet.
    #[serde(default = "ServerConfig::default_collection")]
    pub collection: String,
    /// How long a request may take.
    #[serde(default = "ServerConfig::default_request_seconds")]
    pub request_seconds: u32,
}

impl ServerConfig {
    fn default_collection() -> String {
        "loadout".into()
    }

    const fn default_request_seconds() -> u32 {
        10
    }

    /// The collection for these vectors.
    pub(super) fn collection_of(&self, kind: &VectorKind) -> String {
        format!("{}_{}", self.collection, point::fingerprint(kind))
    }

    pub(super) fn client(&self) -> Result<Qdrant, Error> {
        let timeout = Duration::from_secs(self.request_seconds.into());
        let key = self.api_key.as_ref().map(|key| key.expose_secret().to_owned());
        let client = Qdrant::from_url(&self.url)
            .timeout(timeout)
            .connect_timeout(timeout)
            .api_key(key)
            .skip_compatibility_check()
            .build();
        client.map_err(|error| Error::Settings(format!("`{}`: {error}", self.url)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<ServerConfig, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn the_collection_is_named_after_the_model_and_its_dimensions() {
        let config = config(r#"{"url": "http://localhost:6334"}"#).unwrap();
        let name = |model: &str, dimensions| {
            config.collection_of(&VectorKind { model: model.into(), dimensions })
        };
        assert!(name("m", 3).starts_with("loadout_"));
        assert_eq!(name("m", 3), name("m", 3));
        assert_ne!(name("m", 3), name("n", 3));
        assert_ne!(name("m", 3), name("m", 4));
    }

    #[test]
    fn a_setting_that_does_not_exist_is_refused_by_name() {
        let error = config(r#"{"url": "http://x", "colection": "y"}"#).unwrap_err();
        assert!(error.to_string().contains("colection"), "{error}");
    }
}
