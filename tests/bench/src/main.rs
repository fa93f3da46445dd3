//! Loadout's speed, memory and ranking, measured through the running product.
mod bare;
mod child;
mod load;
mod machine;
mod options;
mod product;
mod quality;
mod raw;
mod report;
mod scale;
mod skills;
mod speed;

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use tokio::runtime::Builder;

use options::{Command, Options};
use report::Report;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> anyhow::Result<ExitCode> {
    match &options.command {
        // A server has as many threads as the product has.
        Some(Command::EchoServer) => {
            runtime(Builder::new_multi_thread())?.block_on(bare::echo::serve())?;
        }
        Some(Command::RouteServer) => {
            runtime(Builder::new_multi_thread())?.block_on(bare::route::serve())?;
        }
        Some(Command::Quality(quality)) => {
            let report = measured(quality::measure(&quality.data))?;
            return conclude(report, quality.json.as_deref(), quality.enforce);
        }
        None => {
            let speed = &options.speed;
            let report = if speed.scale {
                measured(scale::measure(speed))?
            } else {
                measured(speed::measure(speed))?
            };
            return conclude(Some(report), speed.json.as_deref(), speed.enforce);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn runtime(mut builder: Builder) -> anyhow::Result<tokio::runtime::Runtime> {
    builder.enable_all().build().context("starting the runtime")
}

/// Runs on one thread: what asks must take little from what answers. Ctrl-C ends it, and all that it
/// started.
fn measured<T>(measure: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    runtime(Builder::new_current_thread())?.block_on(measure)
}

fn conclude(
    report: Option<Report>,
    json: Option<&std::path::Path>,
    is_enforced: bool,
) -> anyhow::Result<ExitCode> {
    let Some(report) = report else { return Ok(ExitCode::SUCCESS) };
    print!("{report}");
    if let Some(json) = json {
        let text = serde_json::to_string_pretty(&report).context("printing JSON")?;
        std::fs::write(json, text + "\n")
            .with_context(|| format!("writing `{}`", json.display()))?;
    }
    let is_failed = is_enforced && !report.meets_budgets();
    Ok(if is_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
