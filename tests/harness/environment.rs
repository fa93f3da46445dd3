//! What the tests are told from outside: where their servers are.

/// Where Redis is.
pub fn redis_url() -> String {
    let told = find("LOADOUT_TEST_REDIS_URL").or_else(|| find("LOADOUT_REDIS_URL"));
    told.unwrap_or_else(|| panic!("`LOADOUT_TEST_REDIS_URL` is not set: run `make test`"))
}

/// Where the local model's files are, where not in the user's cache folder.
pub fn model_dir() -> Option<std::path::PathBuf> {
    find("LOADOUT_MODEL_DIR").map(Into::into)
}

/// The seed of all dice, to repeat a run.
pub fn seed() -> Option<u64> {
    find("LOADOUT_TEST_SEED")?.parse().ok()
}

/// Where Postgres is.
pub fn database_url() -> String {
    find("DATABASE_URL").unwrap_or_else(|| panic!("`DATABASE_URL` is not set: run `make test`"))
}

#[expect(clippy::disallowed_methods, reason = "a test has no other settings")]
fn find(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
