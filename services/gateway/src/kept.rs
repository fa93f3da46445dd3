//! Skills as the registry last sent them. For a moment each is answered from here; after it the registry is
//! asked again, which then sends nothing that is still the same.
//!
//! A change takes effect within one second. What a registry answers can be 500 ms old, and serves here for
//! [`LIFE`] more, counted from before it was asked. A change through this gateway, or one that Redis tells
//! of, takes effect at once.
use std::{sync::Arc, time::Duration};

use access::Caller;
use ids::{MemberId, OrgId, WorkspaceId};
use moka::sync::Cache;
use tokio::time::Instant;

use crate::tools::get_skill::Loaded;

/// How long an answer serves.
const LIFE: Duration = Duration::from_millis(400);
/// How many bytes are kept.
const MOST_BYTES: u64 = 16 << 20;
/// What a file's row takes, and a skill's own.
const ROW_BYTES: usize = 200;
/// How long it is known that an organization changed something: what it makes void is older by then.
const CHANGE_LIFE: Duration = Duration::from_secs(1);
/// Of how many organizations it is known.
const MOST_CHANGED: u64 = 100_000;

#[derive(Clone)]
pub(crate) struct Kept {
    skills: Cache<Slot, KeptSkill>,
    /// When each organization last changed something.
    changed: Cache<OrgId, Instant>,
}

/// A skill, and when the registry was asked for it.
#[derive(Clone)]
pub(crate) struct KeptSkill {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) asked_at: Instant,
}

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
        let skills = Cache::builder().weigher(weigh).max_capacity(MOST_BYTES).build();
        let changed = Cache::builder().time_to_live(CHANGE_LIFE).max_capacity(MOST_CHANGED);
        Self { skills, changed: changed.build() }
    }
}

impl Kept {
    /// What is kept, however old it is.
    pub(crate) fn get(&self, slot: &Slot) -> Option<KeptSkill> {
        self.skills.get(slot)
    }

    /// Whether it can be answered as it is.
    pub(crate) fn serves(&self, slot: &Slot, kept: &KeptSkill) -> bool {
        let is_young = kept.asked_at.elapsed() < LIFE;
        is_young && self.changed.get(&slot.org).is_none_or(|changed| changed < kept.asked_at)
    }

    pub(crate) fn put(&self, slot: Slot, loaded: Arc<Loaded>, asked_at: Instant) {
        self.skills.insert(slot, KeptSkill { loaded, asked_at });
    }

    /// The organization has changed something: nothing of it is answered any more without asking.
    pub(crate) fn changed(&self, org: OrgId) {
        self.changed.insert(org, Instant::now());
    }
}

fn weigh(slot: &Slot, kept: &KeptSkill) -> u32 {
    let Loaded { body, files, .. } = kept.loaded.as_ref();
    let bytes = slot.skill.len() + body.len() + ROW_BYTES * (files.len() + 2);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
