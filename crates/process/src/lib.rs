//! What every Loadout program does around its work: read its settings, start telemetry, serve, wait for a
//! signal, drain, exit.
mod around;
mod health;
mod program;
mod request;
mod serve;
mod settings;
mod telemetry;

pub use health::Readiness;
pub use program::{NoArguments, Process, run};
pub use request::{RequestId, outgoing};
pub use serve::BoundRoutes;
pub use settings::{Settings, Telemetry};

/// A call makes many short-lived allocations, some freed by another thread than the one that made them: in a
/// profile of `get_skill` the C library's allocator took a tenth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
