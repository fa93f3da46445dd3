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
