//! Skills as the registry last sent them, and for how long they are still so.
//!
//! With each answer the registry names the state that the organization's skills were in, see
//! `GetSkillResponse.as_of`. For a moment after it answered from a state, all that was ever read in that state
//! is served from here; after it one skill is asked for again, and where the state is the same that proves
//! all the others, too.
//!
//! A change takes effect within one second. What a registry answers can be 500 ms old, and serves here for
//! [`LIFE`] more, counted from before it was asked. A change through this gateway, or one that Redis tells
//! of, takes effect at once.
use std::{sync::Arc, time::Duration};

use access::Caller;
use ids::{MemberId, OrgId, WorkspaceId};
use moka::sync::Cache;
use tokio::time::Instant;

use crate::answer::Answer;

/// How long an answer proves its state.
const LIFE: Duration = Duration::from_millis(400);
/// How many bytes are kept: some 10,000 skills.
const MOST_BYTES: u64 = 256 << 20;
/// What a skill takes beside its texts.
const ROW_BYTES: usize = 1_000;
/// How long changes and proofs are known: longer than what they are compared with.
const KNOWN_FOR: Duration = Duration::from_secs(1);
/// Of how many organizations, and states, something is known.
const MOST_KNOWN: u64 = 100_000;

#[derive(Clone)]
pub(crate) struct Kept {
    skills: Cache<Slot, Arc<KeptSkill>>,
    /// When a registry was last asked that then answered from a state.
    proven: Cache<AsOf, Instant>,
    /// When each organization last changed something.
    changed: Cache<OrgId, Instant>,
}

/// A skill as it was answered.
pub(crate) struct KeptSkill {
    pub(crate) id: String,
    pub(crate) revision_id: String,
    pub(crate) answer: Answer,
    pub(crate) as_of: AsOf,
}

/// A state of an organization's skills, as one registry names it; empty where it knows of none.
pub(crate) type AsOf = (OrgId, Arc<str>);

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
        let known = || Cache::builder().time_to_live(KNOWN_FOR).max_capacity(MOST_KNOWN);
        Self {
            skills: Cache::builder().weigher(weigh).max_capacity(MOST_BYTES).build(),
            proven: known().build(),
            changed: Cache::builder().time_to_live(KNOWN_FOR).max_capacity(MOST_KNOWN).build(),
        }
    }
}

impl Kept {
    /// What is kept, however old it is.
    pub(crate) fn get(&self, slot: &Slot) -> Option<Arc<KeptSkill>> {
        self.skills.get(slot)
    }

    /// Whether it can be answered as it is.
    pub(crate) fn is_true(&self, kept: &KeptSkill) -> bool {
        let (org, _) = kept.as_of;
        self.proven.get(&kept.as_of).is_some_and(|asked_at| {
            asked_at.elapsed() < LIFE && self.changed.get(&org).is_none_or(|at| at < asked_at)
        })
    }

    /// Keeps what a registry answered that was asked at `asked_at`.
    pub(crate) fn put(&self, slot: Slot, kept: KeptSkill, asked_at: Instant) {
        if !kept.as_of.1.is_empty() {
            self.proven.insert(kept.as_of.clone(), asked_at);
        }
        self.skills.insert(slot, Arc::new(kept));
    }

    /// The organization has changed something: nothing of it is answered any more without asking.
    pub(crate) fn changed(&self, org: OrgId) {
        self.changed.insert(org, Instant::now());
    }
}

fn weigh(slot: &Slot, kept: &Arc<KeptSkill>) -> u32 {
    // The object holds the same texts again.
    let bytes = slot.skill.len() + 2 * kept.answer.text.len() + ROW_BYTES;
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    struct World {
        kept: Kept,
        org: OrgId,
    }

    impl World {
        fn new() -> Self {
            Self { kept: Kept::default(), org: OrgId::new() }
        }

        fn skill(&self, as_of: &str) -> KeptSkill {
            let answer = Answer { text: "{}".into(), object: Value::Null };
            let (id, revision_id) = ("skl_1".to_owned(), "rev_1".to_owned());
            KeptSkill { id, revision_id, answer, as_of: (self.org, as_of.into()) }
        }

        fn put(&self, skill: &str, as_of: &str) {
            let (org, workspace) = (self.org, WorkspaceId::new());
            let slot = Slot {
                org,
                workspace,
                member: None,
                skill: skill.into(),
                tag: String::new(),
                version: 0,
            };
            self.kept.put(slot, self.skill(as_of), Instant::now());
        }

        fn is_true(&self, as_of: &str) -> bool {
            self.kept.is_true(&self.skill(as_of))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_proves_all_that_was_read_in_its_state_for_400_ms() {
        let world = World::new();
        world.put("tidy", "a.1");
        tokio::time::advance(LIFE).await;
        assert!(!world.is_true("a.1"));

        world.put("sort", "a.1");
        assert!(world.is_true("a.1"));
        assert!(!world.is_true("a.2"));
        tokio::time::advance(Duration::from_millis(399)).await;
        assert!(world.is_true("a.1"));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!world.is_true("a.1"));
    }

    #[tokio::test(start_paused = true)]
    async fn two_registries_each_prove_their_own_state() {
        let world = World::new();
        world.put("tidy", "a.1");
        world.put("tidy", "b.7");
        assert!(world.is_true("a.1") && world.is_true("b.7"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_makes_void_what_was_asked_for_before_it() {
        let world = World::new();
        world.put("tidy", "a.1");
        world.kept.changed(OrgId::new());
        assert!(world.is_true("a.1"));

        world.kept.changed(world.org);
        assert!(!world.is_true("a.1"));
        tokio::time::advance(Duration::from_millis(1)).await;
        world.put("tidy", "a.2");
        assert!(world.is_true("a.2"));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_state_nothing_is_proven() {
        let world = World::new();
        world.put("tidy", "");
        assert!(!world.is_true(""));
    }
}
