//! Whether the program is alive, and whether it welcomes requests.
use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::join_all;

type Answer = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;
type Check = Arc<dyn Fn() -> Answer + Send + Sync>;

/// How long a check may take before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(2);

/// What must be true before requests are welcome.
#[derive(Clone, Default)]
pub struct Readiness(Arc<Mutex<Vec<(&'static str, Check)>>>);

impl Readiness {
    /// Adds something that must be true, by the name under which `/readyz` shows it.
    pub fn require<F, R>(&self, name: &'static str, check: F)
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), String>> + Send + 'static,
    {
        let check: Check = Arc::new(move || Box::pin(check()));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name, check));
    }

    /// What is not true now, by name, with its reason.
    pub async fn missing(&self) -> Vec<(&'static str, String)> {
        let checks = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let answers = checks.into_iter().map(async |(name, check)| {
            let answer = tokio::time::timeout(PATIENCE, check()).await;
            let reason =
                answer.unwrap_or_else(|_| Err(format!("no answer in {PATIENCE:?}"))).err()?;
            Some((name, reason))
        });
        join_all(answers).await.into_iter().flatten().collect()
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").finish_non_exhaustive()
    }
}
