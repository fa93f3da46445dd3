//! The tag that a connection or a request is pinned to.
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};

/// A tag by its form: whether any skill has it is the registry's to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag(String);

/// What an address may say of revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// Use the revisions that this tag names, such as `prod`; the current ones without it.
    #[serde(default, deserialize_with = "tag")]
    #[schemars(with = "Option<String>")]
    pub(crate) tag: Option<Tag>,
}

const MAX_CHARACTERS: usize = 64;
/// What the current revisions are called; no tag can be.
const LATEST: &str = "latest";

/// A text is no tag.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is no tag: expected 1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`, beginning with a letter"
)]
pub(crate) struct InvalidTag(String);

impl Tag {
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidTag> {
        let of_tag = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b);
        let begins = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        if begins && text.len() <= MAX_CHARACTERS && text.bytes().all(of_tag) {
            return Ok(Self(text.to_owned()));
        }
        Err(InvalidTag(crate::problem::repeated(text)))
    }
}

/// A tag on the wire, where none is the empty text.
pub(crate) fn wire(tag: Option<&Tag>) -> String {
    tag.map(|Tag(name)| name.clone()).unwrap_or_default()
}

/// Reads a tag; `latest` is none.
pub(crate) fn tag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Tag>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    match text.as_deref() {
        None | Some(LATEST) => Ok(None),
        Some(text) => Tag::parse(text).map(Some).map_err(D::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_1_to_64_characters_of_its_alphabet() {
        for text in ["p", "prod", "v1.2-rc_3", &"a".repeat(64)] {
            assert!(Tag::parse(text).is_ok(), "{text}");
        }
        for text in ["", "1", "-a", "Prod", "a b", "é", "a/b", &"a".repeat(65)] {
            assert!(Tag::parse(text).is_err(), "{text}");
        }
    }
}
