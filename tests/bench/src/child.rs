//! A program that was started, and what it takes.
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, bail};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child as Process, Command},
    time::timeout,
};

/// How long a bare server may take to start.
const START: Duration = Duration::from_secs(20);
/// How long a program may take to end by itself.
const END: Duration = Duration::from_mins(1);
/// Linux counts processor time for programs in hundredths of a second, on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// A child process; it ends with us.
#[derive(Debug)]
pub(crate) struct Child {
    process: Process,
    pub(crate) id: u32,
}

/// How much memory a program has.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Memory {
    /// All of it that is in memory, shared pages and files included.
    pub(crate) resident_mib: f64,
    /// What is its own, without files.
    pub(crate) anonymous_mib: f64,
}

impl Child {
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let starting = || format!("starting `{}`", command.as_std().get_program().display());
        let name = starting();
        let process = command.kill_on_drop(true).spawn().context(name)?;
        let id = process.id().context("a program ended at once")?;
        Ok(Self { process, id })
    }

    /// Starts a server of this program's own, which prints its port.
    pub(crate) async fn bare(bench: &Path, name: &str) -> anyhow::Result<(Self, SocketAddr)> {
        let mut command = Command::new(bench);
        let mut child = Self::start(command.arg(name).stdout(Stdio::piped()))?;
        let stdout = child.process.stdout.take().context("no output of a bare server")?;
        let mut lines = BufReader::new(stdout).lines();
        let line = timeout(START, lines.next_line()).await.context("a bare server is slow")??;
        let port = line.with_context(|| format!("`{name}` ended early"))?;
        let port = port.parse().with_context(|| format!("`{name}` printed `{port}`, no port"))?;
        Ok((child, SocketAddr::from((Ipv4Addr::LOCALHOST, port))))
    }

    /// Whether it ended already, and how.
    pub(crate) fn ended(&mut self) -> Option<String> {
        self.process.try_wait().ok().flatten().map(|status| status.to_string())
    }

    /// Asks it to end, and waits until it did.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        let id = self.id.to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status().await;
        asked.context("asking a program to end")?;
        let Ok(ended) = timeout(END, self.process.wait()).await else {
            self.process.kill().await.context("ending a program")?;
            bail!("a program did not end within {} s of being told to", END.as_secs());
        };
        ended.map(drop).context("waiting for a program")
    }

    pub(crate) fn memory(&self) -> Option<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).ok()?;
        Some(Memory {
            resident_mib: mebibytes(&status, "VmRSS:")?,
            anonymous_mib: mebibytes(&status, "RssAnon:")?,
        })
    }
}

/// The processor time that a process has had, in seconds; unknown where there is no `/proc`.
pub(crate) fn processor_seconds(process: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    processor_ticks(&stat).map(|ticks| ticks / TICKS_PER_SECOND)
}

/// Fields 14 and 15 of `/proc/…/stat`, user and system time; the name before them may hold blanks.
fn processor_ticks(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map(str::parse::<f64>);
    Some(times.next()?.ok()? + times.next()?.ok()?)
}

fn mebibytes(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_its_own_line() {
        let status = "VmPeak:\t 9 kB\nVmRSS:\t    2048 kB\nRssAnon:\t 512 kB\n";
        assert_eq!(mebibytes(status, "VmRSS:"), Some(2.0));
        assert_eq!(mebibytes(status, "RssAnon:"), Some(0.5));
        assert_eq!(mebibytes(status, "VmSwap:"), None);
    }

    #[test]
    fn processor_time_is_read_behind_a_name_with_blanks() {
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 25 0 0";
        assert_eq!(processor_ticks(stat), Some(175.0));
        assert_eq!(processor_ticks("nonsense"), None);
    }
}
