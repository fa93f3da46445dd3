//! The readable name of a skill in an address.

use std::{fmt, str::FromStr};

use serde::Serialize;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

const SLUG_CHARS: usize = 64;

/// 1–64 characters of `a-z`, `0-9`, `-` and `_`, the first and the last a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Slug(String);

/// The text is not a slug.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a slug: 1 to 64 of a-z, 0-9, - and _, the first and the last a letter or a digit"
)]
pub struct InvalidSlug(String);

impl Slug {
    /// The slug as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Makes a slug out of any text: accents dropped, lower case, everything else a hyphen.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let mut slug = String::new();
        let plain = text.nfkd().filter(|&char| !is_combining_mark(char));
        for char in plain.flat_map(char::to_lowercase) {
            let char = if is_letter_or_digit(char) || char == '_' { char } else { '-' };
            if char != '-' || !slug.ends_with('-') {
                slug.push(char);
            }
        }
        let start = slug.trim_start_matches(is_joint);
        let cut = start.get(..SLUG_CHARS).unwrap_or(start);
        cut.trim_end_matches(is_joint).parse().ok()
    }
}

impl FromStr for Slug {
    type Err = InvalidSlug;

    fn from_str(text: &str) -> Result<Self, InvalidSlug> {
        let known = text.chars().all(|char| is_letter_or_digit(char) || is_joint(char));
        let ends = text.starts_with(is_letter_or_digit) && text.ends_with(is_letter_or_digit);
        if known && ends && text.len() <= SLUG_CHARS {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSlug(text.to_owned()))
        }
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_letter_or_digit(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit()
}

fn is_joint(char: char) -> bool {
    char == '-' || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Option<String> {
        Slug::from_text(text).map(|slug| slug.to_string())
    }

    #[test]
    fn a_slug_has_1_to_64_characters() {
        assert!("".parse::<Slug>().is_err());
        assert!("a".parse::<Slug>().is_ok());
        assert!("a".repeat(64).parse::<Slug>().is_ok());
        assert!("a".repeat(65).parse::<Slug>().is_err());
    }

    #[test]
    fn a_slug_starts_and_ends_with_a_letter_or_digit() {
        for text in ["-a", "a-", "_a", "a_", "A", "a b", "é", "a/b", "a.b"] {
            assert!(text.parse::<Slug>().is_err(), "{text}");
        }
        for text in ["latest", "git_helper", "git-helper", "7", "a--b"] {
            assert!(text.parse::<Slug>().is_ok(), "{text}");
        }
    }

    #[test]
    fn any_text_with_a_letter_makes_a_slug() {
        assert_eq!(made("PDF Tools!").as_deref(), Some("pdf-tools"));
        assert_eq!(made("  Café – ﬁle №5 ").as_deref(), Some("cafe-file-no5"));
        assert_eq!(made("_a__b_").as_deref(), Some("a__b"));
        assert_eq!(made("日本語"), None);
        assert_eq!(made(&format!("{}-b", "a".repeat(63))), Some("a".repeat(63)));
    }
}
