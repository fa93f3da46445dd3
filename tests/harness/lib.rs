//! What the suites share: whole stacks of services on real sockets, organizations in them, and clients
//! that speak the real protocols.
#![expect(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test harness: its names say it, and it fails by panicking"
)]

pub mod client;
pub mod dice;
pub mod embedder;
pub mod environment;
pub mod machine;
pub mod mcp;
pub mod patience;
pub mod relay;
pub mod site;
pub mod skill;
pub mod stack;
pub mod token;
pub mod upload;

pub use client::{Client, Organization, Reply};
pub use dice::Dice;
pub use mcp::{Era, Mcp};
pub use patience::eventually;
pub use site::{Layout, Model, Site};
pub use skill::Skill;
pub use stack::{Role, Stack};
pub use upload::Upload;

/// Runs functions that take a [`Stack`] over every layout, each as a test of its own.
#[macro_export]
macro_rules! over_every_layout {
    ($($name:ident),* $(,)?) => {
        $(mod $name {
            #[sqlx::test(migrator = "database::MIGRATOR")]
            async fn in_one_process(pool: sqlx::PgPool) {
                super::$name(&$crate::Stack::laid_out(&pool, $crate::Layout::OneProcess).await).await;
            }

            #[sqlx::test(migrator = "database::MIGRATOR")]
            async fn apart(pool: sqlx::PgPool) {
                super::$name(&$crate::Stack::laid_out(&pool, $crate::Layout::Apart).await).await;
            }

            #[sqlx::test(migrator = "database::MIGRATOR")]
            async fn doubled(pool: sqlx::PgPool) {
                super::$name(&$crate::Stack::laid_out(&pool, $crate::Layout::Doubled).await).await;
            }
        })*
    };
}
