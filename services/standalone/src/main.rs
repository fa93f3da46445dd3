//! Every service in one process, as a program.
use std::process::ExitCode;

use process::NoArguments;

fn main() -> ExitCode {
    process::run("standalone", async |config: standalone::Config, _: NoArguments, process| {
        standalone::start(&config, process).await.map(drop)
    })
}
