//! The keys that were shown lately, and whom the registry said that they stand for.
//!
//! A key that ends is refused within one second, also where nobody tells us: an answer of the registry
//! serves for [`LIFE`], counted from before it was asked for. A key in use is asked for again halfway, in
//! the background, so that its calls never wait.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use access::{Caller, KeyText, Scope, SecretHash};
use clock::Clock;
use contract::registry::VerifyKeyRequest;
use fault::Kind;
use ids::KeyId;
use process::Process;
use tokio::time::Instant;
use tonic::Status;

use super::{Grant, Refusal};
use crate::{behind::Services, failure::Failure};

/// How long an answer serves.
const LIFE: Duration = Duration::from_millis(800);
/// How old an answer is when it is asked for again.
const RENEWED_AFTER: Duration = Duration::from_millis(400);
/// How long the registry may take. With this, who waited for an answer is let in by one that is less
/// than a second old.
const DEADLINE: Duration = Duration::from_millis(900);
/// How many keys are remembered, and how many wrong ones.
const REMEMBERED: u64 = 10_000;

type Shown = (KeyId, SecretHash);

/// Whom keys stand for. Clones share what they remember.
#[derive(Clone)]
pub(crate) struct Keys(Arc<Shared>);

struct Shared {
    known: moka::future::Cache<Shown, Arc<Known>>,
    /// When each wrong key was found wrong.
    wrong: moka::sync::Cache<Shown, Instant>,
    services: Services,
    clock: Clock,
    process: Process,
}

struct Known {
    grant: Arc<Grant>,
    asked_at: Instant,
    is_being_renewed: AtomicBool,
}

impl Keys {
    pub(crate) fn new(services: Services, clock: Clock, process: Process) -> Self {
        let known = moka::future::Cache::new(REMEMBERED);
        let wrong = moka::sync::Cache::new(REMEMBERED);
        Self(Arc::new(Shared { known, wrong, services, clock, process }))
    }

    /// Whom a key stands for.
    pub(crate) async fn grant(&self, text: &str) -> Result<Arc<Grant>, Refusal> {
        let key = KeyText::parse(text).map_err(|_| Refusal::Wrong)?;
        let shown = (key.id(), key.secret_hash());
        let known = match self.0.known.get(&shown).await {
            Some(known) if known.asked_at.elapsed() < LIFE => {
                self.renew(shown, &known);
                known
            }
            Some(_) => {
                self.0.known.invalidate(&shown).await;
                self.ask_once(shown).await?
            }
            None => self.ask_once(shown).await?,
        };
        if known.grant.has_expired(self.0.clock.now()) {
            return Err(Refusal::Wrong);
        }
        Ok(Arc::clone(&known.grant))
    }

    /// Forgets a key that has ended or changed.
    pub(crate) async fn forget(&self, id: KeyId) {
        let ended: Vec<_> = self.0.known.iter().map(|(shown, _)| *shown).collect();
        for shown in ended.into_iter().filter(|(key, _)| *key == id) {
            self.0.known.invalidate(&shown).await;
        }
    }

    /// Whether the registry answers at all: a key that nobody has is refused, and that is an answer.
    pub(crate) async fn reach_registry(&self) -> Result<(), Failure> {
        match self.verify((KeyId::nil(), SecretHash([0; 32]))).await {
            Err(status) if matches!(Kind::of(&status), Kind::Unavailable | Kind::Internal) => {
                Err(status.into())
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Asks for a key, once for all who show it meanwhile.
    async fn ask_once(&self, shown: Shown) -> Result<Arc<Known>, Refusal> {
        if self.0.wrong.get(&shown).is_some_and(|at| at.elapsed() < LIFE) {
            return Err(Refusal::Wrong);
        }
        let known = self.0.known.try_get_with(shown, self.ask(shown)).await;
        known.map_err(|refusal| *refusal)
    }

    /// Asks for a key again in the background, if its answer grows old and nobody does yet.
    fn renew(&self, shown: Shown, known: &Arc<Known>) {
        let due = known.asked_at.elapsed() >= RENEWED_AFTER;
        if !due || known.is_being_renewed.swap(true, Ordering::Relaxed) {
            return;
        }
        let (keys, known) = (self.clone(), Arc::clone(known));
        self.0.process.spawn(async move {
            match keys.ask(shown).await {
                Ok(renewed) => keys.0.known.insert(shown, renewed).await,
                Err(Refusal::Unavailable) => known.is_being_renewed.store(false, Ordering::Relaxed),
                Err(Refusal::Missing | Refusal::Wrong) => keys.0.known.invalidate(&shown).await,
            }
        });
    }

    async fn ask(&self, shown: Shown) -> Result<Arc<Known>, Refusal> {
        let asked_at = Instant::now();
        match self.verify(shown).await {
            Ok(grant) => {
                let (grant, is_being_renewed) = (Arc::new(grant), AtomicBool::new(false));
                Ok(Arc::new(Known { grant, asked_at, is_being_renewed }))
            }
            // `Unauthenticated` would be us: a registry that does not trust this gateway.
            Err(status) if Kind::of(&status) == Kind::NotFound => {
                self.0.wrong.insert(shown, asked_at);
                Err(Refusal::Wrong)
            }
            Err(status) => {
                tracing::warn!(key.id = %shown.0, error.cause = %status, "cannot check a key");
                Err(Refusal::Unavailable)
            }
        }
    }

    async fn verify(&self, (key_id, secret): Shown) -> Result<Grant, Status> {
        let behind = self.0.services.for_caller(Caller::for_nobody(Scope::KeysVerify));
        let message =
            VerifyKeyRequest { key_id: key_id.to_string(), secret_sha256: secret.0.to_vec() };
        let request = behind.to_registry(message);
        let request = request.map_err(|failure| Status::internal(failure.to_string()))?;
        let answer = tokio::time::timeout(DEADLINE, behind.keys().verify_key(request)).await;
        let answer = answer.map_err(|_| Status::deadline_exceeded("the registry is slow"))??;
        Grant::try_from(answer.into_inner()).map_err(|error| Status::internal(error.to_string()))
    }
}
