//! The command line.
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Measures Loadout's speed and memory beside bare servers, in one run. The servers of Postgres and Redis
/// and the model are those of `LOADOUT_DATABASE_URL`, `LOADOUT_REDIS_URL` and `LOADOUT_MODEL_DIR`.
#[derive(Debug, Parser)]
#[command(name = "bench", args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) speed: SpeedOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measures how well skills are found.
    Quality(QualityOptions),
    /// Serves a bare rmcp server with one tool, which echoes; prints its port.
    EchoServer,
    /// Serves a bare axum route that answers a small JSON; prints its port.
    RouteServer,
}

#[derive(Debug, Args)]
pub(crate) struct SpeedOptions {
    /// Measure each row for 1 s instead of 5 s, with 1,000 skills unless told otherwise.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many skills to measure with, beside 20: 10,000 unless told otherwise.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) skills: Option<u32>,
    /// Measure instead how search slows down from that many skills to ten times as many, and from 1 to
    /// 1,000 organizations.
    #[arg(long)]
    pub(crate) scale: bool,
    /// Write the figures as JSON, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Fail where a budget is not met.
    #[arg(long)]
    pub(crate) enforce: bool,
}

#[derive(Debug, Args)]
pub(crate) struct QualityOptions {
    /// Tools and questions: `{"docs": [{"name", "desc"}], "qs": [[question, index of its tool]]}`.
    #[arg(long, value_name = "FILE", default_value = "../shared/data/retrieval/metatool.json")]
    pub(crate) data: PathBuf,
    /// Write the figures as JSON, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Fail where a budget is not met.
    #[arg(long)]
    pub(crate) enforce: bool,
}

impl SpeedOptions {
    /// How many skills the larger of the two measurements has.
    pub(crate) fn skill_count(&self) -> usize {
        let default = if self.quick { 1_000 } else { 10_000 };
        self.skills.map_or(default, |count| usize::try_from(count).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(arguments: &[&str]) -> Result<SpeedOptions, clap::Error> {
        let all = ["bench"].iter().chain(arguments);
        Options::try_parse_from(all).map(|options| options.speed)
    }

    #[test]
    fn a_quick_run_has_fewer_skills_unless_told_otherwise() {
        assert_eq!(speed(&[]).unwrap().skill_count(), 10_000);
        assert_eq!(speed(&["--quick"]).unwrap().skill_count(), 1_000);
        assert_eq!(speed(&["--quick", "--skills", "7"]).unwrap().skill_count(), 7);
    }

    #[test]
    fn from_one_to_a_million_skills_are_taken() {
        assert!(speed(&["--skills", "1"]).is_ok() && speed(&["--skills", "1000000"]).is_ok());
        assert!(speed(&["--skills", "0"]).is_err() && speed(&["--skills", "1000001"]).is_err());
    }
}
