//! Tells search what changed. A change and its outbox row are one transaction; a worker sends the rows, in
//! order, and removes each when search has made it durable. So nothing is forgotten, whoever is killed.
mod batch;
mod worker;

use std::{sync::Arc, time::Duration};

use access::{Caller, Signer};
use clock::Clock;
use contract::{registry::Indexing, transport::Transport};
use database::Database;
use ids::SkillId;
use process::Process;
use tokio::{sync::Notify, time::Instant};

use crate::{
    Result,
    store::{self, outbox::Untaken},
};

/// How long a publish waits to be found: for its first skill, how much longer for each further one, and at
/// most.
const PATIENCE: Duration = Duration::from_secs(15);
const PATIENCE_PER_SKILL: Duration = Duration::from_millis(200);
const LONGEST_PATIENCE: Duration = Duration::from_mins(2);
/// How often a publish looks whether another replica has sent its rows.
const LOOK: Duration = Duration::from_millis(50);

/// What the worker sends with.
pub(crate) struct Sender {
    pub(crate) database: Database,
    pub(crate) search: Transport,
    pub(crate) signer: Signer,
    pub(crate) clock: Clock,
}

/// Wakes the worker, and waits for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    queued: Arc<Notify>,
    sent: Arc<Notify>,
}

/// Starts the worker.
pub(crate) fn start(sender: Sender, process: &Process) -> Outbox {
    let outbox = Outbox::default();
    let worker = worker::Worker::new(sender, outbox.clone());
    let stop = process.working();
    process.spawn(async move { worker.run(&stop).await });
    outbox
}

impl Outbox {
    /// Wakes the worker and waits, within bounds, until search has taken all that it is to know of these
    /// skills, also what an earlier call left behind. What search refuses is not waited for, nor found.
    pub(crate) async fn wait(
        &self,
        database: &Database,
        caller: &Caller,
        skills: &[SkillId],
    ) -> Result<Indexing> {
        if skills.is_empty() {
            return Ok(Indexing::Done);
        }
        self.queued.notify_one();
        let count = u32::try_from(skills.len()).unwrap_or(u32::MAX);
        let patience = PATIENCE + PATIENCE_PER_SKILL.saturating_mul(count);
        let deadline = Instant::now() + patience.min(LONGEST_PATIENCE);
        loop {
            let sent = self.sent.notified();
            let untaken = untaken(database, caller, skills).await?;
            if untaken.open == 0 {
                return Ok(if untaken.poison == 0 { Indexing::Done } else { Indexing::Pending });
            }
            if Instant::now() >= deadline {
                return Ok(Indexing::Pending);
            }
            let _ = tokio::time::timeout(LOOK, sent).await;
        }
    }
}

async fn untaken(database: &Database, caller: &Caller, skills: &[SkillId]) -> Result<Untaken> {
    let mut tx = database.begin(caller).await?;
    Ok(store::outbox::count_untaken(&mut tx, skills).await?)
}
