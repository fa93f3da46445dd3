//! The secrets that a laptop makes for itself, each kept in `data_dir` for this user only.
use std::{fs, io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use access::KeyText;
use anyhow::Context;
use ids::KeyId;
use secrecy::SecretString;

use crate::Config;

/// Makes the data folder and the signing key, unless they are there.
pub(crate) fn prepare(config: &Config) -> anyhow::Result<()> {
    let folder = &config.data_dir;
    fs::create_dir_all(folder).with_context(|| format!("making `{}`", folder.display()))?;
    let (private, public) = (config.private_key(), config.public_key());
    if private.exists() && public.exists() {
        return Ok(());
    }
    // A half made pair proves nothing, and whoever trusted it is gone with the last run.
    for half in [&private, &public] {
        if half.exists() {
            fs::remove_file(half).with_context(|| format!("removing `{}`", half.display()))?;
        }
    }
    access::make_signing_key(&private, &public).context("making the signing key")
}

/// The operator's token: the settings', or one that is made once.
pub(crate) fn operator_token(config: &Config) -> anyhow::Result<SecretString> {
    if let Some(token) = &config.operator_token {
        return Ok(token.clone());
    }
    let file = config.operator_file();
    if let Ok(kept) = fs::read_to_string(&file)
        && !kept.trim().is_empty()
    {
        return Ok(kept.trim().to_owned().into());
    }
    // As random as a key, and told apart from one.
    let token = KeyText::make(KeyId::new()).context("making the operator's token")?.reveal();
    let token = token.replacen("lo_", "op_", 1);
    write(&file, &token)?;
    Ok(token.into())
}

/// Writes a file that only this user reads, whole or not at all.
pub(crate) fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let beside = file.with_extension("new");
    let writing = || format!("writing `{}`", file.display());
    let mut options = fs::OpenOptions::new();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(&beside);
    let mut opened = opened.with_context(writing)?;
    opened.write_all(text.as_bytes()).with_context(writing)?;
    fs::rename(&beside, file).with_context(writing)
}
