//! Skills as the registry last sent them, so that it need not send one again which is still the same. Which
//! revision is meant, and whether the caller may have it, the registry says each time.
use std::sync::Arc;

use access::Caller;
use ids::{MemberId, OrgId, WorkspaceId};
use moka::sync::Cache;

use crate::tools::get_skill::Loaded;

/// How many bytes are kept.
const MOST_BYTES: u64 = 16 << 20;
/// What a file's row takes, and a skill's own.
const ROW_BYTES: usize = 200;

#[derive(Clone)]
pub(crate) struct Kept(Cache<Slot, Arc<Loaded>>);

/// What was asked, and in whose name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    org: OrgId,
    workspace: WorkspaceId,
    member: Option<MemberId>,
    skill: String,
    tag: String,
    version: u32,
}

impl Slot {
    pub(crate) fn new(caller: &Caller, skill: String, tag: String, version: u32) -> Self {
        let Caller { org, workspace, member, .. } = *caller;
        Self { org, workspace, member, skill, tag, version }
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self(Cache::builder().weigher(weigh).max_capacity(MOST_BYTES).build())
    }
}

impl Kept {
    pub(crate) fn get(&self, slot: &Slot) -> Option<Arc<Loaded>> {
        self.0.get(slot)
    }

    pub(crate) fn put(&self, slot: Slot, loaded: Arc<Loaded>) {
        self.0.insert(slot, loaded);
    }
}

fn weigh(slot: &Slot, loaded: &Arc<Loaded>) -> u32 {
    let bytes = slot.skill.len() + loaded.body.len() + ROW_BYTES * (loaded.files.len() + 2);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
