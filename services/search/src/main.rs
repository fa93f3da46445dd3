//! Search, as a program of its own.
use std::process::ExitCode;

use clock::Clock;
use process::NoArguments;

fn main() -> ExitCode {
    process::run("search", async |config: search::Config, _: NoArguments, process| {
        let routes = search::routes(&config, process, Clock::default()).await?;
        process.serve_grpc(config.listen, routes, contract::DESCRIPTION).await?;
        Ok(())
    })
}
