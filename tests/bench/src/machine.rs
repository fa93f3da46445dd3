//! The machine that all is measured on, and what it lends: servers, a model, programs.
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    thread::available_parallelism,
};

use anyhow::Context;

/// What `scripts/with` prepared.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) database_url: String,
    pub(crate) redis_url: Option<String>,
    pub(crate) model_dir: PathBuf,
    /// This program.
    pub(crate) bench: PathBuf,
    /// The product, beside it.
    pub(crate) standalone: PathBuf,
}

impl Machine {
    pub(crate) fn prepared() -> anyhow::Result<Self> {
        let bench = env::current_exe().context("finding this program")?;
        let standalone = bench.with_file_name("standalone");
        if !standalone.is_file() {
            anyhow::bail!("no `{}`: run `scripts/with`", standalone.display());
        }
        Ok(Self {
            database_url: needed("LOADOUT_DATABASE_URL")?,
            redis_url: setting("LOADOUT_REDIS_URL"),
            model_dir: needed("LOADOUT_MODEL_DIR")?.into(),
            bench,
            standalone,
        })
    }
}

/// The checkout's folder; the scripts start here.
pub(crate) fn checkout() -> &'static Path {
    Path::new(".")
}

/// How much else the machine did in the last minute, in cores; unknown where there is no `/proc`.
pub(crate) fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Tells who waits what is going on: on standard error, so that the results are alone.
pub(crate) fn say(text: &str) {
    // Nobody may be looking on.
    let _ = writeln!(std::io::stderr(), "==> {text}");
}

fn needed(name: &str) -> anyhow::Result<String> {
    setting(name).with_context(|| format!("`{name}` is not set: run this with `scripts/with`"))
}

#[expect(clippy::disallowed_methods, reason = "no service: `scripts/with` says it by environment")]
fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
