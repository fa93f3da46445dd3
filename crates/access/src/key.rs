//! The text of an API key: `lo_<id>_<secret>_<checksum>`.
//!
//! All three parts are lower-case hexadecimal: 32 digits of the key's id, 48 of its secret (192 random
//! bits), 8 of a CRC-32 over all that stands before the last `_`. So a secret scanner can find a leaked
//! key by `lo_[0-9a-f]{32}_[0-9a-f]{48}_[0-9a-f]{8}`, and a mistyped one is refused without a look-up.
use std::fmt;

use ids::KeyId;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const SECRET_BYTES: usize = 24;

/// The text is not a key, or was changed on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an API key: expected `lo_<id>_<secret>_<checksum>`")]
pub struct InvalidKey;

/// A whole key. It never prints itself.
#[derive(Clone, Debug)]
pub struct KeyText {
    id: KeyId,
    secret: SecretString,
}

/// SHA-256 of a key's secret: all that is ever stored of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

impl KeyText {
    /// Makes the text for a new key.
    pub fn make(id: KeyId) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self { id, secret: hex::encode(bytes).into() })
    }

    /// Reads a key, refusing what is not one.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let (body, checksum) = text.rsplit_once('_').ok_or(InvalidKey)?;
        if checksum != checksum_of(body) {
            return Err(InvalidKey);
        }
        let (id, secret) =
            body.strip_prefix("lo_").and_then(|r| r.split_once('_')).ok_or(InvalidKey)?;
        let id = format!("key_{id}").parse().map_err(|_| InvalidKey)?;
        if secret.len() != 2 * SECRET_BYTES || !secret.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(InvalidKey);
        }
        Ok(Self { id, secret: secret.to_owned().into() })
    }

    /// Which key it is.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// What is stored of its secret.
    #[must_use]
    pub fn secret_hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.secret.expose_secret().as_bytes()).into())
    }

    /// The whole key, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> String {
        let body = format!("lo_{}_{}", self.id.uuid().simple(), self.secret.expose_secret());
        let checksum = checksum_of(&body);
        format!("{body}_{checksum}")
    }
}

impl SecretHash {
    /// Compares in constant time.
    #[must_use]
    pub fn matches(&self, stored: &[u8]) -> bool {
        self.0.ct_eq(stored).into()
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

fn checksum_of(body: &str) -> String {
    format!("{:08x}", crc32fast::hash(body.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_from_its_text() {
        let key = KeyText::make(KeyId::new()).unwrap();
        let read = KeyText::parse(&key.reveal()).unwrap();
        assert_eq!(read.id(), key.id());
        assert_eq!(read.secret_hash(), key.secret_hash());
    }

    #[test]
    fn a_key_with_any_character_changed_is_refused() {
        let text = KeyText::make(KeyId::new()).unwrap().reveal();
        for at in 0..text.len() {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            assert!(KeyText::parse(&changed).is_err(), "{at}");
        }
    }

    #[test]
    fn a_key_with_a_right_checksum_but_wrong_parts_is_refused() {
        for body in ["", "lo_", "lo_00_11", "lo", "xx_00000000000000000000000000000000_00"] {
            assert!(KeyText::parse(&format!("{body}_{}", checksum_of(body))).is_err(), "{body}");
        }
    }

    #[test]
    fn a_key_never_prints_its_secret() {
        let key = KeyText::make(KeyId::new()).unwrap();
        let printed = format!("{key:?} {:?}", key.secret_hash());
        assert!(!printed.contains(key.secret.expose_secret()));
    }
}
