//! The wire contract: what the services say to each other, and how they reach each other.
mod json;
pub mod transport;

/// The contract's description, for gRPC reflection.
pub const DESCRIPTION: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loadout.bin"));

#[expect(
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated code"
)]
pub mod registry {
    tonic::include_proto!("loadout.registry.v1");
}

#[expect(
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "generated code"
)]
pub mod search {
    tonic::include_proto!("loadout.search.v1");
}
