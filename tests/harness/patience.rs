//! Waiting for what happens by itself.
use std::time::{Duration, Instant};

const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Looks until there is something, and fails by `patience`.
pub async fn eventually<T>(
    what: &str,
    patience: Duration,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(began.elapsed() < patience, "not within {patience:?}: {what}");
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}
