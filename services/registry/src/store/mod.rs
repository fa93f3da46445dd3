//! The registry's SQL, one file for each table. The organization is the transaction's, so no query names
//! one, but where the system works across them.
pub(crate) mod call;
pub(crate) mod key;
pub(crate) mod organization;
pub(crate) mod outbox;
pub(crate) mod resource;
pub(crate) mod revision;
pub(crate) mod search_index;
pub(crate) mod skill;
pub(crate) mod tag;
pub(crate) mod workspace;
