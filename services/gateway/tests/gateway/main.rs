//! The gateway's own rules, before services that are made up but speak the real protocol.
mod import;
mod keys;
mod mcp;
mod recorded;
mod redis;
mod rest;
mod stack;
mod world;
