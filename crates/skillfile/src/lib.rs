//! Skill files: what an upload holds, checked and turned into skills.
//!
//! [`read`] takes a zip, a gzipped tar or a list of files and gives every skill in it, ready or
//! refused with its reasons, and every file that belongs to none. It works in memory, does no I/O
//! and never trusts a size that an archive declares: a first pass counts what is really there, and
//! only what is within the [`Limits`] is kept by a second one.
//!
//! A skill is a folder that holds a `SKILL.md` in the [Agent Skills](https://agentskills.io/specification)
//! format. The nearest such folder above a file owns it.
//!
//! # The canonical hash
//! Equal content has an equal [`Skill::canonical_hash`]: the SHA-256 of this text, in UTF-8 with
//! line feeds, the files sorted by the bytes of their paths:
//! ```text
//! loadout.skill.v1
//! <sha256 of SKILL.md, hexadecimal> <its size in bytes> instructions SKILL.md
//! <sha256 of a file, hexadecimal> <its size in bytes> <its role> <its path>
//! ```
//! The instructions are called `SKILL.md` there in whatever letter case the upload spelled them.
//! For a skill of `SKILL.md` and `scripts/run.sh`, in a shell in its folder:
//! ```sh
//! line() { printf '%s %s %s %s\n' "$(sha256sum <"$2" | cut -d' ' -f1)" "$(wc -c <"$2")" "$1" "$2"; }
//! { echo loadout.skill.v1; line instructions SKILL.md; line script scripts/run.sh; } | sha256sum
//! ```
mod archive;
mod contents;
mod error;
mod finding;
mod front;
mod kind;
mod limits;
mod path;
mod plan;
mod read;
mod skill;
mod slug;
mod survey;
mod twins;

pub use archive::{ArchiveKind, Source, detect};
pub use error::UploadError;
pub use finding::{Finding, FindingCode, Ignored, IgnoredReason};
pub use front::{
    COMPATIBILITY_CHARS, DESCRIPTION_CHARS, FRONT_MATTER_BYTES, NAME_CHARS, TRIGGER_CHARS, TRIGGERS,
};
pub use kind::{Kind, Role};
pub use limits::Limits;
pub use path::{FILE_PATH_BYTES, UPLOAD_PATH_BYTES, UPLOAD_PATH_SEGMENTS};
pub use read::read;
pub use skill::{File, Parsed, Refused, Skill, Upload};
pub use slug::{InvalidSlug, Slug};
