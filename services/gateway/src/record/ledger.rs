//! Takes in what was called, and sends it to the registry in batches.
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use process::Process;
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

use super::{Recorded, backlog::Backlog};
use crate::{behind::Services, metrics};

/// How many calls wait to be taken in; one more is not recorded.
const WAITING: usize = 20_000;
/// Calls are sent when so many are there, or so much time has passed.
const BATCH: usize = 500;
const PAUSE: Duration = Duration::from_millis(500);
/// How long the last calls are tried for when the program ends.
const LAST_TRIES: Duration = Duration::from_secs(15);

/// Where finished calls are handed in.
#[derive(Clone)]
pub(crate) struct Recorder {
    calls: Sender<Recorded>,
    lost: Arc<AtomicU64>,
}

impl Recorder {
    /// Begins to keep account, until the program ends.
    pub(crate) fn start(services: Services, process: &Process) -> Self {
        let (calls, arriving) = channel(WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let backlog = Backlog::new(services);
        let ledger = Ledger { arriving, backlog, lost: Arc::clone(&lost) };
        process.spawn(ledger.keep(process.working()));
        Self { calls, lost }
    }

    /// Hands in a call. It never waits: where too many do already, the call is counted as lost.
    pub(crate) fn hand_in(&self, call: Recorded) {
        if self.calls.try_send(call).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
            metrics::unrecorded(1);
        }
    }
}

struct Ledger {
    arriving: Receiver<Recorded>,
    backlog: Backlog,
    lost: Arc<AtomicU64>,
}

impl Ledger {
    async fn keep(mut self, ending: CancellationToken) {
        let mut pause = interval(PAUSE);
        pause.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !ending.is_cancelled() {
            tokio::select! {
                () = ending.cancelled() => {}
                () = self.take_in_batch() => {}
                _ = pause.tick() => {}
            }
            self.backlog.send().await;
            self.tell_of_losses();
        }
        self.end().await;
    }

    /// Takes in calls until a batch is there. What was taken in stays so, also when this is given up.
    async fn take_in_batch(&mut self) {
        while self.backlog.len() < BATCH || self.backlog.is_waiting() {
            let Some(call) = self.arriving.recv().await else {
                return std::future::pending().await;
            };
            self.backlog.add(call);
        }
    }

    /// Takes in what is there still, and sends it as long as there is hope.
    async fn end(mut self) {
        self.arriving.close();
        while let Some(call) = self.arriving.recv().await {
            self.backlog.add(call);
        }
        let deadline = Instant::now() + LAST_TRIES;
        self.backlog.hurry();
        self.backlog.send().await;
        while !self.backlog.is_empty() && Instant::now() < deadline {
            tokio::time::sleep(PAUSE).await;
            self.backlog.hurry();
            self.backlog.send().await;
        }
        self.backlog.give_up();
        self.tell_of_losses();
    }

    fn tell_of_losses(&self) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            tracing::error!(calls = lost, "calls were not recorded: too many waited already");
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::registry;
    use ids::OrgId;

    use super::*;

    #[test]
    fn where_too_many_calls_wait_one_more_is_counted_and_nobody_waits() {
        let (calls, mut arriving) = channel(1);
        let recorder = Recorder { calls, lost: Arc::default() };
        let call = || Recorded { org: OrgId::nil(), call: registry::Call::default() };

        recorder.hand_in(call());
        assert_eq!(recorder.lost.load(Ordering::Relaxed), 0);
        recorder.hand_in(call());
        assert_eq!(recorder.lost.load(Ordering::Relaxed), 1);

        assert!(arriving.try_recv().is_ok() && arriving.try_recv().is_err());
    }
}
