//! What the registry knows, and its rules. Nothing here waits, stores or speaks.
mod call;
mod cursor;
mod key;
mod limit;
mod name;
mod organization;
mod skill;

pub(crate) use call::Call;
pub(crate) use cursor::{Cursor, InvalidCursor};
pub(crate) use key::{Grant, Key, NewKey, NewKeyRequest};
pub(crate) use limit::{OutOfRange, at_most, page_size};
pub(crate) use name::{InvalidName, OrgSlug, TagName, Title};
pub(crate) use organization::{Organization, Workspace};
pub(crate) use skill::{
    Descriptor, Found, Loaded, Resource, ResourceKind, ResourceRole, Revision, SkillRef, SkillRow,
    TagRow, Which,
};

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
