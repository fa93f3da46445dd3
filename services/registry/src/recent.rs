//! What was just read, remembered for as long as it is true.
//!
//! Postgres announces every commit that changes a skill, and a watcher hears it. Five times a second it also
//! asks Postgres for an answer, which proves that everything committed before has been heard. So what is
//! remembered is never older than [`FRESH`]; when the watcher is cut off, nothing is remembered at all.
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use access::Caller;
use database::{Changes, Database};
use ids::{MemberId, OrgId, WorkspaceId};
use moka::future::Cache;
use process::Process;
use uuid::Uuid;

use crate::model::{Loaded, SkillRef, Which};

const CHANNEL: &str = "registry_skill";
/// How old what is remembered can be when a change was not heard. Gateways add 400 ms to it, and a change
/// takes effect within one second.
const FRESH: Duration = Duration::from_millis(500);
/// How often it is proven that every change was heard.
const PROOF: Duration = Duration::from_millis(200);
const BETWEEN_TRIES: Duration = Duration::from_millis(200);
/// What is remembered, in bytes.
const REMEMBERED: u64 = 32 * 1024 * 1024;
const ROW_BYTES: usize = 300;

/// Remembers whole revisions.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    /// Tells this replica's stamps from another's.
    replica: Uuid,
    state: Arc<Mutex<State>>,
    read: Cache<Slot, Arc<Loaded>>,
}

/// When something was read. What was read under another stamp is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    /// Grows whenever changes may have been missed.
    watch: u64,
    /// Grows with each change of the organization.
    change: u64,
}

#[derive(Debug, Default)]
struct State {
    watch: u64,
    changes: HashMap<OrgId, u64>,
    proven: Option<Instant>,
}

/// What was asked, by whom, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Slot {
    org: OrgId,
    workspace: WorkspaceId,
    member: Option<MemberId>,
    skill: SkillRef,
    which: Which,
    stamp: Stamp,
}

impl Recent {
    /// Starts the watcher.
    pub(crate) fn start(database: &Database, process: &Process) -> Self {
        let read = Cache::builder().weigher(weigh).max_capacity(REMEMBERED).build();
        let recent = Self { replica: Uuid::now_v7(), state: Arc::default(), read };
        let (watcher, database, stop) = (recent.clone(), database.clone(), process.working());
        process.spawn(async move {
            stop.run_until_cancelled(watcher.watch(&database)).await;
        });
        recent
    }

    /// The stamp under which the organization's skills can be remembered now, or none: ask Postgres.
    pub(crate) fn stamp(&self, org: OrgId) -> Option<Stamp> {
        let state = self.lock();
        let is_fresh = state.proven.is_some_and(|proven| proven.elapsed() < FRESH);
        let change = state.changes.get(&org).copied().unwrap_or(0);
        is_fresh.then_some(Stamp { watch: state.watch, change })
    }

    /// The stamp as others can tell it from any other, of this replica or another.
    pub(crate) fn name(&self, Stamp { watch, change }: Stamp) -> String {
        format!("{}.{watch}.{change}", self.replica.as_simple())
    }

    /// Forgets an organization's skills at once, for whoever asks this replica next.
    pub(crate) fn forget(&self, org: OrgId) {
        *self.lock().changes.entry(org).or_default() += 1;
    }

    pub(crate) async fn find(
        &self,
        stamp: Stamp,
        caller: &Caller,
        skill: &SkillRef,
        which: &Which,
    ) -> Option<Arc<Loaded>> {
        self.read.get(&slot(stamp, caller, skill, which)).await
    }

    /// Remembers what was read after `stamp` was taken; a change since then has made that stamp void.
    pub(crate) async fn remember(
        &self,
        stamp: Stamp,
        caller: &Caller,
        (skill, which): (SkillRef, Which),
        loaded: Arc<Loaded>,
    ) {
        self.read.insert(slot(stamp, caller, &skill, &which), loaded).await;
    }

    async fn watch(&self, database: &Database) {
        loop {
            match database.changes(CHANNEL).await {
                Ok(changes) => self.listen(changes).await,
                Err(error) => {
                    tracing::warn!(error.cause = %fault::chain(&error), "cannot hear changes of skills");
                }
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
    }

    /// Hears changes until the connection fails.
    async fn listen(&self, mut changes: Changes) {
        self.lock().watch += 1;
        loop {
            let asked = Instant::now();
            if let Err(error) = changes.catch_up(FRESH).await {
                tracing::warn!(error.cause = %fault::chain(&error), "stopped hearing changes of skills");
                break;
            }
            if self.take(&mut changes, asked).await.is_err() {
                break;
            }
        }
        let mut state = self.lock();
        state.watch += 1;
        state.proven = None;
    }

    /// Takes in what was heard up to the proof asked for at `asked`, then waits for the next proof's time.
    async fn take(&self, changes: &mut Changes, asked: Instant) -> sqlx::Result<()> {
        while let Some(change) = changes.next(Duration::ZERO).await? {
            self.hear(&change);
        }
        self.lock().proven = Some(asked);
        while let Some(rest) = PROOF.checked_sub(asked.elapsed()) {
            let Some(change) = changes.next(rest).await? else { return Ok(()) };
            self.hear(&change);
        }
        Ok(())
    }

    fn hear(&self, organization: &str) {
        let Ok(org) = Uuid::try_parse(organization) else {
            return tracing::error!(organization, "an announced change names no organization");
        };
        self.forget(OrgId::from(org));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn slot(stamp: Stamp, caller: &Caller, skill: &SkillRef, which: &Which) -> Slot {
    Slot {
        org: caller.org,
        workspace: caller.workspace,
        member: caller.member,
        skill: skill.clone(),
        which: which.clone(),
        stamp,
    }
}

fn weigh(_: &Slot, loaded: &Arc<Loaded>) -> u32 {
    let Loaded { revision, resources, .. } = loaded.as_ref();
    let front_matter =
        revision.instructions.len().min(usize::try_from(revision.body_offset).unwrap_or(0));
    let bytes = revision.instructions.len() + 2 * front_matter + ROW_BYTES * (resources.len() + 2);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
