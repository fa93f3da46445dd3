//! How much an upload may hold.

const MIB: u64 = 1024 * 1024;

/// The largest upload and the largest skill that are read. A value at a limit is within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files in one skill, `SKILL.md` counted.
    pub files_per_skill: usize,
    /// Bytes in one skill, `SKILL.md` counted.
    pub bytes_per_skill: u64,
    /// Bytes in an upload, once as it was sent and once unpacked.
    pub bytes_per_upload: u64,
    /// Files, folders and links in an upload.
    pub entries_per_upload: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files_per_skill: 512,
            bytes_per_skill: 16 * MIB,
            bytes_per_upload: 64 * MIB,
            entries_per_upload: 20_000,
        }
    }
}
