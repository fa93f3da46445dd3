//! The suites that cross services, on real sockets, a real Postgres and a real Redis.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bodies;
mod changes;
mod coverage;
mod crash;
mod faults;
mod import;
mod keys;
mod layout;
mod listing;
mod main_job;
mod search_consistency;
mod tenancy;
