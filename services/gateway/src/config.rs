//! The settings of the gateway.
use std::net::SocketAddr;

use access::SignerSettings;
use anyhow::Context;
use http::Uri;
use process::{Settings, Telemetry};
use secrecy::SecretString;
use serde::Deserialize;

/// What the gateway needs to know before it starts. See `deploy/gateway.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where it listens for HTTP.
    pub listen: SocketAddr,
    /// The address under which clients reach it, such as `https://loadout.example.com`.
    pub public_url: String,
    /// Where the registry is, such as `http://127.0.0.1:7001`; for the program of its own only.
    #[serde(default)]
    pub registry: Option<String>,
    /// Where search is, such as `http://127.0.0.1:7002`; for the program of its own only.
    #[serde(default)]
    pub search: Option<String>,
    /// Redis, through which it is told at once that a key ended or a skill changed. Without it either takes
    /// effect within a second all the same.
    #[serde(default)]
    pub redis: Option<RedisConfig>,
    /// What callers' tokens are signed with.
    pub access: SignerSettings,
    /// The token of the operator, who makes organizations. Without it nobody does, over HTTP.
    #[serde(default)]
    pub operator_token: Option<SecretString>,
    /// Hosts that MCP requests may name, beside loopback and that of `public_url`.
    #[serde(default)]
    pub allowed_hosts: Vec<String>,
    /// Origins that browsers may send MCP requests from, beside loopback and that of `public_url`: such
    /// as `https://app.example.com:443`, or with `:*` for any port.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
    /// What to log and where to report.
    #[serde(default)]
    pub telemetry: Telemetry,
}

/// How Redis is reached.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedisConfig {
    /// Such as `redis://127.0.0.1:6379`.
    pub url: SecretString,
}

impl Settings for Config {
    fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Config {
    /// The hosts that MCP requests may name.
    pub(crate) fn hosts(&self) -> anyhow::Result<Vec<String>> {
        let (_, host, _) = self.public()?;
        let loopback = LOOPBACK.iter().map(ToString::to_string);
        Ok(loopback.chain([host]).chain(self.allowed_hosts.iter().cloned()).collect())
    }

    /// The origins that browsers may send MCP requests from.
    pub(crate) fn origins(&self) -> anyhow::Result<Vec<String>> {
        let (scheme, host, port) = self.public()?;
        let loopback = LOOPBACK.iter().map(|host| format!("http://{host}:*"));
        let public = format!("{scheme}://{host}:{port}");
        Ok(loopback.chain([public]).chain(self.allowed_origins.iter().cloned()).collect())
    }

    fn public(&self) -> anyhow::Result<(String, String, u16)> {
        let expected =
            || format!("`public_url` is `{}`, expected `https://` and a host", self.public_url);
        let uri: Uri = self.public_url.parse().with_context(expected)?;
        let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
        let scheme = scheme.with_context(expected)?.to_owned();
        let authority = uri.authority().with_context(expected)?;
        let default_port = if scheme == "https" { 443 } else { 80 };
        let port = authority.port_u16().unwrap_or(default_port);
        Ok((scheme, authority.host().to_owned(), port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(public_url: &str) -> Config {
        let rest = r#""listen": "127.0.0.1:1", "access": {"signing_key_file": "k"}, "allowed_hosts": ["a"]"#;
        serde_json::from_str(&format!(r#"{{"public_url": "{public_url}", {rest}}}"#)).unwrap()
    }

    #[test]
    fn the_public_host_is_allowed_with_its_own_port_only() {
        let config = config("https://loadout.example.com");
        assert!(config.hosts().unwrap().contains(&"loadout.example.com".to_owned()));
        assert!(config.hosts().unwrap().contains(&"a".to_owned()));
        let origin = "https://loadout.example.com:443".to_owned();
        assert!(config.origins().unwrap().contains(&origin));
    }

    #[test]
    fn a_public_url_that_is_none_is_refused_by_name() {
        for url in ["loadout.example.com", "ftp://x", "/x", ""] {
            let error = config(url).hosts().unwrap_err().to_string();
            assert!(error.contains(&format!("`{url}`")), "{error}");
        }
    }

    #[test]
    fn no_secret_is_shown_when_settings_are_printed() {
        let mut config = config("http://x");
        config.operator_token = Some("swordfish".into());
        config.redis = Some(RedisConfig { url: "redis://:swordfish@x".into() });
        assert!(!format!("{config:?}").contains("swordfish"));
    }
}
