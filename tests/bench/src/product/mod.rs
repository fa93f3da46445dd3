//! The product as it is run: `standalone` with a database and a folder of its own, gone when it ends.
mod api;
mod database;

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use tempfile::TempDir;
use tokio::{process::Command, time::sleep};

pub(crate) use api::{Api, Imported, Organization};

use crate::{child::Child, machine::Machine};
use database::Database;

/// How long the product may take to start.
const START: Duration = Duration::from_mins(2);
/// How often it is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(2);
const LOG_LINES: usize = 20;

/// Where the product keeps what it has, from one start to the next.
#[derive(Debug)]
pub(crate) struct Place {
    machine: Machine,
    database: Database,
    folder: TempDir,
    operator_token: String,
}

/// The product, running.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) begun: Instant,
    /// From its start to the first time that it called itself ready.
    pub(crate) ready_after: Duration,
}

/// Does something in a new place, and removes the place after it, also where it failed or where Ctrl-C
/// was pressed.
pub(crate) async fn in_new_place<T>(
    machine: &Machine,
    work: impl AsyncFnOnce(&Place) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let place = Place {
        database: Database::create(&machine.database_url).await?,
        machine: machine.clone(),
        folder: TempDir::with_prefix("loadout-bench-").context("making a folder")?,
        operator_token: format!("op_{:032x}", fastrand::u128(..)),
    };
    let done = tokio::select! {
        done = work(&place) => done,
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
    };
    let removed = place.database.remove().await;
    let done = done?;
    removed.map(|()| done)
}

impl Place {
    /// Starts the product and waits until it is ready.
    pub(crate) async fn start(&self) -> anyhow::Result<Running> {
        let address = free_address()?;
        let mut command = self.command(address)?;
        let begun = Instant::now();
        let mut child = Child::start(&mut command)?;
        let api = Api::new(address);
        while !api.is_ready().await {
            if let Some(how) = child.ended() {
                bail!("`standalone` ended with {how}:\n{}", self.log_end());
            }
            if begun.elapsed() > START {
                bail!("`standalone` is not ready after {} s:\n{}", START.as_secs(), self.log_end());
            }
            sleep(LOOK).await;
        }
        Ok(Running { child, address, begun, ready_after: begun.elapsed() })
    }

    /// Where its vectors are. Nobody else may open them while it runs.
    pub(crate) fn vectors(&self) -> PathBuf {
        self.folder.path().join("data/vectors")
    }

    pub(crate) fn operator_token(&self) -> &str {
        &self.operator_token
    }

    fn command(&self, listen: SocketAddr) -> anyhow::Result<Command> {
        let log = std::fs::File::create(self.log()).context("making a log")?;
        let mut command = Command::new(&self.machine.standalone);
        command
            // It takes settings from the folder that it starts in.
            .current_dir(self.folder.path())
            .env("LOADOUT__DATABASE_URL", self.database.url())
            .env("LOADOUT__LISTEN", listen.to_string())
            .env("LOADOUT__DATA_DIR", self.folder.path().join("data"))
            .env("LOADOUT__MODEL_DIR", &self.machine.model_dir)
            .env("LOADOUT__OPERATOR_TOKEN", &self.operator_token)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        if let Some(redis_url) = &self.machine.redis_url {
            command.env("LOADOUT__REDIS_URL", redis_url);
        }
        Ok(command)
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("standalone.log")
    }

    fn log_end(&self) -> String {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines.get(lines.len().saturating_sub(LOG_LINES)..).unwrap_or_default().join("\n")
    }
}

fn free_address() -> anyhow::Result<SocketAddr> {
    let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("looking for a free port")?;
    probe.local_addr().context("looking for a free port")
}
