//! Writes the reference pages into the folder that is its argument.
use std::{env, path::Path};

use anyhow::Context;

fn main() -> anyhow::Result<()> {
    let folder = env::args_os().nth(1).context("expected a folder to write the pages into")?;
    gateway::reference::write(Path::new(&folder))
}
