//! The gateway as a program of its own.
use std::process::ExitCode;

fn main() -> ExitCode {
    gateway::main()
}
