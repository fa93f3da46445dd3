//! Calls that the registry has not taken yet, by organization.
use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use access::{Caller, Scope};
use contract::registry::{self, RecordCallsRequest};
use fault::Kind;
use futures::{StreamExt, stream};
use ids::OrgId;
use tokio::time::Instant;

use super::Recorded;
use crate::{
    behind::{Services, answer_within},
    failure::Failure,
    metrics,
};

/// How many calls are kept while the registry is away; beyond, the oldest are lost.
const KEPT: usize = 100_000;
/// How many calls one request carries: as many as the registry takes.
const REQUEST: usize = 1_000;
/// How many organizations' calls are sent at once.
const AT_ONCE: usize = 8;
const DEADLINE: Duration = Duration::from_secs(5);
const SHORTEST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

pub(super) struct Backlog {
    services: Services,
    calls: HashMap<OrgId, VecDeque<registry::Call>>,
    len: usize,
    /// When the registry is tried again, after it failed.
    again_at: Option<Instant>,
    wait: Duration,
}

impl Backlog {
    pub(super) fn new(services: Services) -> Self {
        Self { services, calls: HashMap::new(), len: 0, again_at: None, wait: SHORTEST_WAIT }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the registry failed a moment ago.
    pub(super) fn is_waiting(&self) -> bool {
        self.again_at.is_some_and(|at| Instant::now() < at)
    }

    /// Tries the registry again at once.
    pub(super) fn hurry(&mut self) {
        self.again_at = None;
    }

    pub(super) fn add(&mut self, Recorded { org, call }: Recorded) {
        if self.len == KEPT {
            self.lose_oldest();
        }
        self.calls.entry(org).or_default().push_back(call);
        self.len += 1;
    }

    /// Sends all that is there, unless the registry failed a moment ago. What it does not take now is kept
    /// for later; what it never will is lost, and said so.
    pub(super) async fn send(&mut self) {
        if self.is_empty() || self.is_waiting() {
            return;
        }
        let batches = self.batches();
        let services = &self.services;
        let sent = stream::iter(batches).map(|batch| send(services, batch));
        let unsent: Vec<_> = sent.buffer_unordered(AT_ONCE).filter_map(async |b| b).collect().await;
        if unsent.is_empty() {
            (self.again_at, self.wait) = (None, SHORTEST_WAIT);
            return;
        }
        for (org, calls) in unsent {
            self.len += calls.len();
            let kept = self.calls.entry(org).or_default();
            calls.into_iter().rev().for_each(|call| kept.push_front(call));
        }
        self.again_at = Some(Instant::now() + self.wait);
        self.wait = LONGEST_WAIT.min(self.wait * 2);
    }

    /// Says that what is left is lost.
    pub(super) fn give_up(&mut self) {
        if !self.is_empty() {
            tracing::error!(calls = self.len, "calls were not recorded: the registry is away");
            metrics::unrecorded(self.len as u64);
        }
    }

    fn batches(&mut self) -> Vec<Batch> {
        self.len = 0;
        let mut batches = Vec::new();
        for (org, mut calls) in self.calls.drain() {
            while !calls.is_empty() {
                let batch = calls.drain(..REQUEST.min(calls.len())).collect();
                batches.push((org, batch));
            }
        }
        batches
    }

    /// Makes room by one call of the organization that has the most.
    fn lose_oldest(&mut self) {
        let longest = self.calls.values_mut().max_by_key(|calls| calls.len());
        if longest.and_then(VecDeque::pop_front).is_some() {
            self.len -= 1;
            metrics::unrecorded(1);
        }
    }
}

type Batch = (OrgId, Vec<registry::Call>);

/// Sends a batch, and gives it back where it must be sent again.
async fn send(services: &Services, (org, calls): Batch) -> Option<Batch> {
    let Err(failure) = try_send(services, org, calls.clone()).await else {
        return None;
    };
    match failure.kind {
        Kind::Unavailable | Kind::Exhausted | Kind::Internal => {
            tracing::warn!(%failure, calls = calls.len(), "calls are not recorded yet");
            Some((org, calls))
        }
        Kind::Invalid | Kind::Unauthenticated | Kind::Denied | Kind::NotFound | Kind::Conflict => {
            tracing::error!(%failure, calls = calls.len(), "calls cannot be recorded");
            metrics::unrecorded(calls.len() as u64);
            None
        }
    }
}

async fn try_send(
    services: &Services,
    org: OrgId,
    calls: Vec<registry::Call>,
) -> Result<(), Failure> {
    let behind = services.for_caller(Caller::service(org, Scope::CallsWrite));
    let request = behind.to_registry(RecordCallsRequest { calls })?;
    answer_within(DEADLINE, behind.usage().record_calls(request)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use access::SignerSettings;
    use clock::Clock;
    use contract::transport;
    use tonic::service::Routes;

    use super::*;

    fn backlog() -> Backlog {
        let folder = tempfile::tempdir().unwrap();
        let (private, public) = (folder.path().join("key"), folder.path().join("key.pub"));
        access::make_signing_key(&private, &public).unwrap();
        let signer = SignerSettings { signing_key_file: private }.signer(Clock::default());
        let nowhere = transport::local(Routes::default());
        Backlog::new(Services::new(nowhere.clone(), nowhere, signer.unwrap()))
    }

    fn call(id: usize) -> registry::Call {
        registry::Call { id: id.to_string(), ..registry::Call::default() }
    }

    #[test]
    fn a_full_backlog_loses_the_oldest_call_of_who_has_most() {
        let mut backlog = backlog();
        let (much, little) = (OrgId::new(), OrgId::new());
        backlog.add(Recorded { org: little, call: call(0) });
        for id in 1..KEPT {
            backlog.add(Recorded { org: much, call: call(id) });
        }
        assert_eq!((backlog.len(), backlog.calls[&much][0].id.as_str()), (KEPT, "1"));

        backlog.add(Recorded { org: little, call: call(KEPT) });

        assert_eq!((backlog.len(), backlog.calls[&much][0].id.as_str()), (KEPT, "2"));
        assert_eq!(backlog.calls[&little].len(), 2);
    }

    #[test]
    fn calls_go_out_at_most_1000_at_once_each_organizations_apart() {
        let mut backlog = backlog();
        let (one, other) = (OrgId::new(), OrgId::new());
        for id in 0..=REQUEST {
            backlog.add(Recorded { org: one, call: call(id) });
        }
        backlog.add(Recorded { org: other, call: call(0) });

        let batches = backlog.batches();

        let mut sizes: Vec<_> = batches.iter().map(|(_, calls)| calls.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, REQUEST]);
        assert!(backlog.is_empty());
    }
}
