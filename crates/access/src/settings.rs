//! Where the keys that sign and verify caller tokens come from: PEM files, so that a secret is mounted
//! and never stands in a settings file.
use std::{
    collections::HashMap,
    fs, io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::{Engine, engine::general_purpose::STANDARD};
use clock::Clock;
use jsonwebtoken::{DecodingKey, EncodingKey};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{Audience, Signer, Verifier};

/// The key that this program signs with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignerSettings {
    /// An Ed25519 private key: PKCS #8 in PEM, as `openssl genpkey -algorithm ed25519` writes it.
    pub signing_key_file: PathBuf,
}

/// The keys whose tokens this program trusts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifierSettings {
    /// Ed25519 public keys in PEM, as `openssl pkey -pubout` writes them. More than one, so that a
    /// signing key can be replaced without a pause.
    pub trusted_key_files: Vec<PathBuf>,
}

/// A key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It cannot be read or written.
    #[error("the key file `{0}`")]
    File(PathBuf, #[source] io::Error),
    /// It is not what it should be.
    #[error("`{0}` is no Ed25519 {1} key in PEM")]
    NotAKey(PathBuf, &'static str),
    /// No key is trusted.
    #[error("`trusted_key_files` names no file; without one no caller can be verified")]
    NoTrustedKey,
    /// Making a key failed.
    #[error("the system gave no randomness for a new signing key")]
    NoRandomness,
}

/// The fixed beginning of an Ed25519 public key in DER (RFC 8410 §4).
const PUBLIC_PREFIX: [u8; 12] = [48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0];

impl SignerSettings {
    /// Makes the signer.
    pub fn signer(&self, clock: Clock) -> Result<Signer, SettingsError> {
        let path = &self.signing_key_file;
        let not_a_key = || SettingsError::NotAKey(path.clone(), "private");
        let der = der(path).ok_or_else(not_a_key)?;
        let pair = Ed25519KeyPair::from_pkcs8(&der).map_err(|_| not_a_key())?;
        let key_id = key_id(pair.public_key().as_ref());
        Ok(Signer::new(EncodingKey::from_ed_der(&der), &key_id, clock))
    }
}

impl VerifierSettings {
    /// Makes the verifier for one service.
    pub fn verifier(&self, audience: Audience, clock: Clock) -> Result<Verifier, SettingsError> {
        if self.trusted_key_files.is_empty() {
            return Err(SettingsError::NoTrustedKey);
        }
        let keys = self.trusted_key_files.iter().map(|path| trusted(path));
        Ok(Verifier::new(audience, keys.collect::<Result<HashMap<_, _>, _>>()?, clock))
    }
}

/// Writes a new signing key and its public half, readable by this user only, and replaces nothing.
pub fn make_signing_key(private: &Path, public: &Path) -> Result<(), SettingsError> {
    let pair = Ed25519KeyPair::generate().map_err(|_| SettingsError::NoRandomness)?;
    let secret = pair.to_pkcs8v1().map_err(|_| SettingsError::NoRandomness)?;
    write_new(private, &pem("PRIVATE KEY", secret.as_ref()))?;
    let shown = [&PUBLIC_PREFIX, pair.public_key().as_ref()].concat();
    write_new(public, &pem("PUBLIC KEY", &shown))
}

fn trusted(path: &Path) -> Result<(String, DecodingKey), SettingsError> {
    fs::metadata(path).map_err(|error| SettingsError::File(path.to_owned(), error))?;
    let der = der(path);
    let raw = der.as_deref().and_then(|der| der.strip_prefix(&PUBLIC_PREFIX));
    let raw = raw.filter(|raw| raw.len() == 32);
    let raw = raw.ok_or_else(|| SettingsError::NotAKey(path.to_owned(), "public"))?;
    Ok((key_id(raw), DecodingKey::from_ed_der(raw)))
}

/// Names a key by its content, so that both sides agree without being told.
fn key_id(public: &[u8]) -> String {
    hex::encode(&Sha256::digest(public)[..8])
}

fn der(path: &Path) -> Option<Vec<u8>> {
    let text = fs::read_to_string(path).ok()?;
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
    STANDARD.decode(lines.collect::<String>()).ok()
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

fn write_new(path: &Path, text: &str) -> Result<(), SettingsError> {
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()))
        .map_err(|error| SettingsError::File(path.to_owned(), error))
}
