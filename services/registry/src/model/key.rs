//! API keys, and what they may be given.
use access::{Caller, Scope, Scopes};
use ids::{KeyId, MemberId, OrgId, WorkspaceId};
use time::OffsetDateTime;

use super::{Title, at_most};
use crate::{Error, Result};

const MOST_TOOLS: usize = 200;
const LONGEST_TOOL: usize = 128;
/// In place of scopes: every scope, also those that are added later.
const EVERY: &str = "*";

/// An API key, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) id: KeyId,
    pub(crate) name: String,
    pub(crate) workspace: String,
    pub(crate) member_id: Option<MemberId>,
    pub(crate) scopes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) expires_at: Option<OffsetDateTime>,
    pub(crate) revoked_at: Option<OffsetDateTime>,
}

/// Whom a key stands for.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) org_id: OrgId,
    pub(crate) org_slug: String,
    pub(crate) org_name: String,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) workspace_name: String,
    pub(crate) secret_sha256: Vec<u8>,
    pub(crate) key: Key,
}

/// A key as it was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewKeyRequest {
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) expires_at: Option<OffsetDateTime>,
}

/// A key that may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewKey {
    pub(crate) name: Title,
    pub(crate) scopes: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) expires_at: Option<OffsetDateTime>,
}

impl Key {
    /// Whether the key still works.
    pub(crate) fn is_live(&self, now: OffsetDateTime) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expiry| now < expiry)
    }
}

impl NewKeyRequest {
    /// The key, if `giver` may give it.
    pub(crate) fn check(self, giver: &Caller, now: OffsetDateTime) -> Result<NewKey> {
        let Self { name, scopes, tools, expires_at } = self;
        let name = Title::parse("the key's name", &name)?;
        let scopes = check_scopes(scopes, giver.scopes)?;
        at_most("tools", tools.len(), MOST_TOOLS)?;
        for tool in &tools {
            at_most("the length of a tool's name", tool.chars().count(), LONGEST_TOOL)?;
        }
        if let Some(expiry) = expires_at.filter(|expiry| *expiry <= now) {
            return Err(Error::ExpiryPassed(expiry));
        }
        Ok(NewKey { name, scopes, tools: once_each(tools), expires_at })
    }
}

fn check_scopes(names: Vec<String>, held: Scopes) -> Result<Vec<String>> {
    if names.is_empty() {
        return Err(Error::NoScope);
    }
    if names.iter().any(|name| name == EVERY) {
        let holds_all = Scopes::every().without(held).iter().next().is_none();
        return if holds_all { Ok(vec![EVERY.to_owned()]) } else { Err(Error::MoreThanHeldAll) };
    }
    for name in &names {
        let scope: Scope = name.parse()?;
        if !held.contains(scope) {
            return Err(Error::MoreThanHeld(scope));
        }
    }
    Ok(once_each(names))
}

fn once_each(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

    fn giver(scopes: Scopes) -> Caller {
        Caller { scopes, ..Caller::for_nobody(Scope::KeysWrite) }
    }

    fn asked(scopes: &[&str]) -> NewKeyRequest {
        let scopes = scopes.iter().map(|&scope| scope.to_owned()).collect();
        NewKeyRequest { name: "ci".to_owned(), scopes, ..NewKeyRequest::default() }
    }

    #[test]
    fn a_scope_named_twice_is_given_once() {
        let key = asked(&["skills:read", "skills:read"]).check(&giver(Scopes::every()), NOW);
        assert_eq!(key.unwrap().scopes, ["skills:read"]);
    }

    #[test]
    fn an_unknown_scope_is_refused_by_name() {
        let error = asked(&["skills:fly"]).check(&giver(Scopes::every()), NOW).unwrap_err();
        assert!(error.to_string().starts_with("unknown scope `skills:fly`"), "{error}");
    }

    #[test]
    fn nobody_gives_a_scope_that_they_lack() {
        let reader = giver([Scope::SkillsRead].into_iter().collect());
        let error = asked(&["skills:write"]).check(&reader, NOW).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this key lacks the scope `skills:write`, so it cannot give it to another"
        );
        assert!(matches!(asked(&["*"]).check(&reader, NOW), Err(Error::MoreThanHeldAll)));
    }

    #[test]
    fn every_scope_is_given_by_who_holds_every_scope() {
        let key = asked(&["*", "skills:read"]).check(&giver(Scopes::every()), NOW).unwrap();
        assert_eq!(key.scopes, ["*"]);
    }

    #[test]
    fn an_expiry_must_be_to_come() {
        for (seconds, comes) in [(-1, false), (0, false), (1, true)] {
            let expires_at = Some(NOW + Duration::seconds(seconds));
            let request = NewKeyRequest { expires_at, ..asked(&["skills:read"]) };
            assert_eq!(request.check(&giver(Scopes::every()), NOW).is_ok(), comes, "{seconds}");
        }
    }

    #[test]
    fn a_key_names_at_most_200_tools_of_128_characters() {
        for (count, length, fits) in [(200, 128, true), (201, 1, false), (1, 129, false)] {
            let tools = vec!["t".repeat(length); count];
            let request = NewKeyRequest { tools, ..asked(&["skills:read"]) };
            assert_eq!(
                request.check(&giver(Scopes::every()), NOW).is_ok(),
                fits,
                "{count} {length}"
            );
        }
    }
}
