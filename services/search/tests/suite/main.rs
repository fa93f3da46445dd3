//! Search, asked through its public parts.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test ends where something is not as expected, and knows no process around it"
)]
mod edge;
mod grpc;
mod local_model;
mod openai;
mod quality;
mod store;
mod team;
