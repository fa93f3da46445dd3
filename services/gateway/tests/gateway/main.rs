//! The gateway's own rules, before services that are made up but speak the real protocol.
#![expect(clippy::unwrap_used, clippy::panic, reason = "this is a test")]
mod import;
mod kept;
mod keys;
mod mcp;
mod recorded;
mod redis;
mod rest;
mod stack;
mod world;
