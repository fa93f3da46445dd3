//! Account of every call: who called what, and what became of it. Keeping it never delays an answer.
mod backlog;
mod ledger;
mod recording;

pub(crate) use ledger::Recorder;
pub(crate) use recording::{Recording, Surface};

use contract::registry;
use ids::OrgId;

/// One call, and whose it was.
#[derive(Debug)]
pub(crate) struct Recorded {
    org: OrgId,
    call: registry::Call,
}
