//! The standalone program as the suites start and kill it: the same one call as its own `main`.
use std::process::ExitCode;

use process::NoArguments;

fn main() -> ExitCode {
    process::run("standalone", async |config: standalone::Config, _: NoArguments, process| {
        standalone::start(&config, process).await.map(drop)
    })
}
