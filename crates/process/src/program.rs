//! A running program, from its command line to its exit code.
use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context;
use clap::{Args, Command, FromArgMatches};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Readiness, Settings, settings, telemetry};

/// How long a program waits for its work to end once it was told to stop.
const DRAIN: Duration = Duration::from_secs(25);

/// A running program. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Process {
    shutdown: CancellationToken,
    serving: TaskTracker,
    working: CancellationToken,
    workers: TaskTracker,
    readiness: Readiness,
}

/// For a program without arguments of its own.
#[derive(Clone, Copy, Debug, Args)]
pub struct NoArguments {}

#[derive(Debug, Args)]
struct Common {
    /// The settings file; `<program>.toml` in the working folder where there is one
    #[arg(long, value_name = "FILE", global = true)]
    settings: Option<PathBuf>,
}

/// Runs a program from its settings and arguments to its exit code.
pub fn run<C, A, F>(name: &'static str, start: F) -> ExitCode
where
    C: Settings,
    A: Args + FromArgMatches,
    F: AsyncFnOnce(C, A, &Process) -> anyhow::Result<()>,
{
    let command = A::augment_args(Common::augment_args(Command::new(name)));
    let matches = command.version(env!("CARGO_PKG_VERSION")).get_matches();
    let parsed = Common::from_arg_matches(&matches)
        .and_then(|common| Ok((common, A::from_arg_matches(&matches)?)));
    let (common, arguments) = parsed.unwrap_or_else(|error| error.exit());
    match try_run(name, common, arguments, start) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(program = name, "{error:#}");
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn try_run<C, A, F>(
    name: &'static str,
    common: Common,
    arguments: A,
    start: F,
) -> anyhow::Result<()>
where
    C: Settings,
    F: AsyncFnOnce(C, A, &Process) -> anyhow::Result<()>,
{
    let config: C = settings::read(name, common.settings)?;
    let runtime = tokio::runtime::Runtime::new().context("starting the runtime")?;
    runtime.block_on(async {
        let telemetry = telemetry::start(name, config.telemetry())?;
        let process = Process::default();
        let started = start(config, arguments, &process).await;
        if started.is_err() {
            process.stop();
        }
        let waited = process.wait().await;
        telemetry.flush();
        started.and(waited)
    })
}

impl Process {
    /// Starts a task that serves requests. It ends by itself soon after [`Self::stopping`] is cancelled.
    pub fn serve_task(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.serving.spawn(task);
    }

    /// Starts a task that works beside the requests. It is told to end by [`Self::working`], once no
    /// request is served any more, so that what the last one left behind is still done.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.workers.spawn(task);
    }

    /// Is cancelled when the program takes no new requests.
    #[must_use]
    pub fn stopping(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    /// Is cancelled when the last request was answered: finish what is begun, and end.
    #[must_use]
    pub fn working(&self) -> CancellationToken {
        self.working.clone()
    }

    /// What must be true before requests are welcome.
    #[must_use]
    pub fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Tells the program to stop.
    pub fn stop(&self) {
        self.shutdown.cancel();
    }

    /// Waits for a signal or [`Self::stop`], then for the requests, then for the workers. Returns at once
    /// where nothing was started.
    async fn wait(&self) -> anyhow::Result<()> {
        let mut terminate = signal(SignalKind::terminate()).context("listening for SIGTERM")?;
        if !(self.serving.is_empty() && self.workers.is_empty()) {
            tokio::select! {
                signal = tokio::signal::ctrl_c() => signal.context("listening for SIGINT")?,
                _ = terminate.recv() => {}
                () = self.shutdown.cancelled() => {}
            }
        }
        self.drain().await;
        Ok(())
    }

    /// Stops serving, then working, each within a bound.
    pub async fn drain(&self) {
        self.shutdown.cancel();
        finish(&self.serving, "requests").await;
        self.working.cancel();
        finish(&self.workers, "workers").await;
    }
}

async fn finish(tasks: &TaskTracker, what: &str) {
    tasks.close();
    if tokio::time::timeout(DRAIN, tasks.wait()).await.is_err() {
        tracing::warn!(still_running = tasks.len(), "gave up waiting for {what}");
    }
}
