//! The ids of everything that Loadout stores.
//!
//! An id prints as `skl_019…`: its kind, then a `UUIDv7` as 32 hexadecimal digits. A [`SkillId`] never
//! parses as an [`OrgId`], so one cannot be passed for the other, in Rust or on the wire.

use std::{fmt, str::FromStr};

use uuid::Uuid;

/// The text was not an id of the kind asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id like `{prefix}_` and 32 hexadecimal digits")]
pub struct InvalidId {
    prefix: &'static str,
    text: String,
}

/// How much of a wrong id an error repeats, in characters.
const SHOWN: usize = 80;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident = $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes an id for something new.
            #[must_use]
            #[expect(clippy::new_without_default, reason = "no id is the default one")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// The id that nothing has.
            #[must_use]
            pub const fn nil() -> Self {
                Self(Uuid::nil())
            }

            /// The number that it prints, without its kind.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}_{}", $prefix, self.0.simple())
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse($prefix, text).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// Takes the one way of writing an id, so that an id is equal exactly when its text is.
fn parse(prefix: &'static str, text: &str) -> Result<Uuid, InvalidId> {
    let digits = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
    let digits = digits.filter(|digits| {
        digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    });
    digits
        .and_then(|digits| Uuid::try_parse(digits).ok())
        .ok_or_else(|| InvalidId { prefix, text: text.chars().take(SHOWN).collect() })
}

id! {
    /// One customer. Every stored row belongs to exactly one.
    OrgId = "org"
}

id! {
    /// One workspace of an organization.
    WorkspaceId = "wsp"
}

id! {
    /// One person in an organization.
    MemberId = "mem"
}

id! {
    /// One API key.
    KeyId = "key"
}

id! {
    /// One skill in the registry.
    SkillId = "skl"
}

id! {
    /// One immutable revision of a skill.
    RevisionId = "rev"
}

id! {
    /// One file of a revision.
    ResourceId = "res"
}

id! {
    /// One recorded call of a tool.
    CallId = "cal"
}

id! {
    /// One search index, from its empty start on.
    IndexId = "idx"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_from_its_text() {
        let id = SkillId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn only_the_printed_form_is_an_id() {
        let id = SkillId::new();
        let hyphens = format!("skl_{}", id.uuid().hyphenated());
        for text in [hyphens, id.to_string().to_uppercase(), format!("{id}0"), String::new()] {
            assert!(text.parse::<SkillId>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_of_another_kind_is_refused_by_name() {
        let error = OrgId::nil().to_string().parse::<SkillId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`org_00000000000000000000000000000000` is not an id like `skl_` and 32 hexadecimal digits"
        );
    }
}
