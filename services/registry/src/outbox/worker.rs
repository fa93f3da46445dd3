//! The worker that sends the outbox.
use std::{collections::VecDeque, time::Duration};

use access::{Audience, Caller, Scope};
use contract::search::{self as wire, search_service_client::SearchServiceClient};
use ids::OrgId;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Status, metadata::MetadataValue};
use uuid::Uuid;

use super::{
    Outbox, Sender,
    batch::{Batch, batches},
};
use crate::{Error, Result, store};

/// How many rows are claimed at once, and how many skills are sent at once.
const CLAIMED: i64 = 128;
const SENT: usize = 64;
/// How long a call to search may take.
const DEADLINE: Duration = Duration::from_secs(90);
/// How often a claim is renewed while what it holds is sent: well within its life.
const RENEW: Duration = Duration::from_secs(2);
/// How often the worker looks for rows that nobody woke it for.
const LOOK: Duration = Duration::from_secs(1);
/// How often it asks which index answers.
const ASK_INDEX: Duration = Duration::from_secs(2);
const FIRST_RETRY: Duration = Duration::from_millis(500);
const LONGEST_RETRY: Duration = Duration::from_secs(30);

pub(super) struct Worker {
    sender: Sender,
    outbox: Outbox,
    id: Uuid,
    search: SearchServiceClient<contract::transport::Transport>,
}

/// Why a batch was not sent.
enum Failure {
    /// Search or the database are away, or busy.
    Passing(String),
    /// Search says that this cannot be indexed.
    Lasting(String),
}

impl Worker {
    pub(super) fn new(sender: Sender, outbox: Outbox) -> Self {
        let search = SearchServiceClient::new(sender.search.clone());
        Self { sender, outbox, id: Uuid::now_v7(), search }
    }

    pub(super) async fn run(&self, stop: &CancellationToken) {
        let mut asked: Option<Instant> = None;
        while !stop.is_cancelled() {
            if asked.is_none_or(|asked| asked.elapsed() >= ASK_INDEX) {
                self.check_index().await;
                asked = Some(Instant::now());
            }
            let queued = self.outbox.queued.notified();
            match self.send_due().await {
                Ok(0) => {
                    let rest = tokio::time::timeout(LOOK, queued);
                    stop.run_until_cancelled(rest).await;
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(error.cause = %fault::chain(&error), "the outbox cannot be read");
                    stop.run_until_cancelled(tokio::time::sleep(LOOK)).await;
                }
            }
        }
    }

    /// Sends what is due, and returns how many rows that were.
    async fn send_due(&self) -> Result<usize> {
        let now = self.sender.clock.now();
        let mut tx = self.sender.database.begin_system().await?;
        let rows = store::outbox::claim(&mut tx, self.id, now, CLAIMED).await?;
        tx.commit().await?;
        let count = rows.len();
        let mut waiting = VecDeque::from(batches(rows, SENT));
        while let Some(batch) = waiting.pop_front() {
            let held =
                batch.sequences().into_iter().chain(waiting.iter().flat_map(Batch::sequences));
            self.send(batch, held.collect()).await?;
        }
        Ok(count)
    }

    /// Sends one batch, and holds on to its rows and those that wait behind it.
    async fn send(&self, batch: Batch, held: Vec<i64>) -> Result<()> {
        let sent = tokio::select! {
            sent = self.put(&batch) => sent,
            // Another worker may send them now: ours must not be under way any more.
            reason = self.hold(&held) => Err(Failure::Passing(reason)),
        };
        match sent {
            Ok(answer) => self.settle(batch, answer).await?,
            Err(Failure::Passing(reason)) => {
                tracing::warn!(org.id = %batch.org, reason, "search took nothing; trying again");
                self.release(&batch).await?;
            }
            Err(Failure::Lasting(reason)) if batch.skills.len() == 1 => {
                self.set_aside(&batch, &reason).await?;
            }
            // One of them is poison: next time each goes alone.
            Err(Failure::Lasting(_)) => self.release(&batch).await?,
        }
        self.outbox.sent.notify_waiters();
        Ok(())
    }

    /// Renews claims for as long as it can, and returns why it no longer could.
    async fn hold(&self, sequences: &[i64]) -> String {
        loop {
            tokio::time::sleep(RENEW).await;
            match self.renew(sequences).await {
                Ok(true) => {}
                Ok(false) => return "another worker has claimed the rows".to_owned(),
                Err(error) => return fault::chain(&error),
            }
        }
    }

    async fn renew(&self, sequences: &[i64]) -> Result<bool> {
        let mut tx = self.sender.database.begin_system().await?;
        let now = self.sender.clock.now();
        let is_held = store::outbox::renew(&mut tx, self.id, sequences, now).await?;
        tx.commit().await?;
        Ok(is_held)
    }

    async fn put(&self, batch: &Batch) -> Result<wire::PutSubjectsResponse, Failure> {
        let passing = |error: Error| Failure::Passing(fault::chain(&error));
        let message = batch.read(&self.sender.database).await.map_err(passing)?;
        let request = self.request(batch.org, message).map_err(Failure::Passing)?;
        let answer = self.search.clone().put_subjects(request).await;
        answer.map(tonic::Response::into_inner).map_err(|status| failure(&status))
    }

    fn request<M>(&self, org: OrgId, message: M) -> Result<Request<M>, String> {
        let caller = Caller::service(org, Scope::SearchWrite);
        let token = self.sender.signer.token(&caller, Audience::Search);
        let token = token.map_err(|error| error.to_string())?;
        let bearer = MetadataValue::try_from(format!("Bearer {token}"));
        let mut request = Request::new(message);
        request.set_timeout(DEADLINE);
        request.metadata_mut().insert("authorization", bearer.map_err(|error| error.to_string())?);
        process::outgoing(request.metadata_mut());
        Ok(request)
    }

    /// Removes what is durable, and sets aside what was refused.
    async fn settle(&self, mut batch: Batch, answer: wire::PutSubjectsResponse) -> Result<()> {
        for wire::Refusal { subject_id, reason } in answer.refusals {
            let refused = subject_id.parse().ok().and_then(|id| batch.skills.remove_entry(&id));
            let Some((id, rows)) = refused else { continue };
            let refused = Batch { org: batch.org, skills: [(id, rows)].into() };
            self.set_aside(&refused, &reason).await?;
        }
        let mut tx = self.sender.database.begin_system().await?;
        store::outbox::remove(&mut tx, self.id, &batch.sequences()).await?;
        tx.commit().await?;
        self.see_index(&answer.index_id).await
    }

    async fn release(&self, batch: &Batch) -> Result<()> {
        let doubled = FIRST_RETRY.saturating_mul(1 << batch.attempts().clamp(1, 10));
        let retry_at = self.sender.clock.now() + doubled.min(LONGEST_RETRY);
        let mut tx = self.sender.database.begin_system().await?;
        store::outbox::release(&mut tx, self.id, &batch.sequences(), retry_at).await?;
        Ok(tx.commit().await?)
    }

    async fn set_aside(&self, batch: &Batch, reason: &str) -> Result<()> {
        for skill in batch.skills.keys() {
            tracing::error!(org.id = %batch.org, skill.id = %skill, reason, "a skill cannot be found: search refuses it");
        }
        let mut tx = self.sender.database.begin_system().await?;
        store::outbox::set_aside(&mut tx, self.id, &batch.sequences(), reason).await?;
        Ok(tx.commit().await?)
    }

    async fn check_index(&self) {
        let request = match self.request(OrgId::nil(), wire::GetIndexRequest {}) {
            Ok(request) => request,
            Err(error) => return tracing::error!(error, "cannot sign a call to search"),
        };
        match self.search.clone().get_index(request).await {
            Ok(answer) => {
                if let Err(error) = self.see_index(&answer.into_inner().index_id).await {
                    tracing::warn!(error.cause = %fault::chain(&error), "cannot note which index answers");
                }
            }
            Err(status) => tracing::warn!(reason = status.message(), "search does not answer"),
        }
    }

    /// When another index answers than before, it began empty: everything is sent to it.
    async fn see_index(&self, index_id: &str) -> Result<()> {
        let mut tx = self.sender.database.begin_system().await?;
        let known = store::search_index::lock(&mut tx).await?;
        if known.as_deref() == Some(index_id) {
            return Ok(());
        }
        let queued = store::outbox::insert_every_skill(&mut tx, self.sender.clock.now()).await?;
        store::search_index::upsert(&mut tx, index_id).await?;
        tx.commit().await?;
        if queued > 0 {
            tracing::warn!(
                index.id = index_id,
                queued,
                "the search index is new: filling it again"
            );
        }
        self.outbox.queued.notify_one();
        Ok(())
    }
}

fn failure(status: &Status) -> Failure {
    let reason = status.message().to_owned();
    match status.code() {
        Code::InvalidArgument | Code::OutOfRange => Failure::Lasting(reason),
        _ => Failure::Passing(reason),
    }
}
