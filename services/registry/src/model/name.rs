//! The names that people give, each with its rule.
use std::fmt;

/// A name breaks its rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{name}` {problem}")]
pub(crate) struct InvalidName {
    what: &'static str,
    name: String,
    problem: String,
}

/// How much of a wrong name an error repeats, in characters.
const SHOWN: usize = 80;
/// The longest slug and tag, in characters.
const LONGEST: usize = 64;
/// The longest title, in characters.
const LONGEST_TITLE: usize = 200;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct $name(String);

        impl $name {
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// The slug of an organization or workspace: 1 to 64 of `a-z`, `0-9` and `-`, with a letter or digit
    /// at both ends.
    OrgSlug
}

name! {
    /// A tag: 1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`, beginning with a letter; not `latest`.
    TagName
}

name! {
    /// What people call something: 1 to 200 characters, none of them a control character.
    Title
}

impl OrgSlug {
    pub(crate) fn parse(what: &'static str, text: &str) -> Result<Self, InvalidName> {
        let fits = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
        check_length(what, text, LONGEST)?;
        if !text.chars().all(fits) || text.starts_with('-') || text.ends_with('-') {
            let rule = "may hold only a-z, 0-9 and -, with a letter or digit at both ends";
            return Err(invalid(what, text, rule));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TagName {
    /// The name that stands for the current revision, and so cannot be given to another.
    pub(crate) const LATEST: &str = "latest";

    pub(crate) fn parse(text: &str) -> Result<Self, InvalidName> {
        let fits = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_' | '.');
        check_length("the tag", text, LONGEST)?;
        if !text.chars().all(fits) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
            let rule = "may hold only a-z, 0-9, -, _ and ., and begins with a letter";
            return Err(invalid("the tag", text, rule));
        }
        if text == Self::LATEST {
            return Err(invalid(
                "the tag",
                text,
                "is reserved: it always means the current version",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl Title {
    pub(crate) fn parse(what: &'static str, text: &str) -> Result<Self, InvalidName> {
        let text = text.trim();
        check_length(what, text, LONGEST_TITLE)?;
        if text.chars().any(char::is_control) {
            return Err(invalid(what, text, "holds a control character"));
        }
        Ok(Self(text.to_owned()))
    }
}

fn check_length(what: &'static str, text: &str, longest: usize) -> Result<(), InvalidName> {
    match text.chars().count() {
        0 => Err(invalid(what, text, "is empty")),
        length if length > longest => {
            let problem = format!("has {length} characters; at most {longest} fit");
            Err(invalid(what, text, &problem))
        }
        _ => Ok(()),
    }
}

fn invalid(what: &'static str, text: &str, problem: &str) -> InvalidName {
    InvalidName { what, name: text.chars().take(SHOWN).collect(), problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_1_to_64_characters() {
        for fits in ["a", "9", "a-b", &"a".repeat(64)] {
            assert!(OrgSlug::parse("the slug", fits).is_ok(), "{fits}");
        }
        for breaks in ["", "-a", "a-", "A", "a_b", "ä", &"a".repeat(65)] {
            assert!(OrgSlug::parse("the slug", breaks).is_err(), "{breaks}");
        }
    }

    #[test]
    fn a_tag_has_1_to_64_characters_and_begins_with_a_letter() {
        for fits in ["p", "prod", "v1.2_rc-3", &"a".repeat(64)] {
            assert!(TagName::parse(fits).is_ok(), "{fits}");
        }
        for breaks in ["", "1", ".a", "Prod", "a b", &"a".repeat(65)] {
            assert!(TagName::parse(breaks).is_err(), "{breaks}");
        }
    }

    #[test]
    fn latest_is_no_tag() {
        let message = TagName::parse("latest").unwrap_err().to_string();
        assert_eq!(message, "the tag `latest` is reserved: it always means the current version");
    }

    #[test]
    fn a_title_has_1_to_200_characters_of_any_script() {
        assert!(Title::parse("the name", &"🔑".repeat(200)).is_ok());
        let message = Title::parse("the name", &"🔑".repeat(201)).unwrap_err().to_string();
        assert!(message.ends_with("has 201 characters; at most 200 fit"), "{message}");
        assert!(Title::parse("the name", "  ").is_err());
        assert!(Title::parse("the name", "a\0b").is_err());
    }
}
