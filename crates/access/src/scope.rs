//! What a caller can be allowed to do.
use std::{fmt, str::FromStr};

/// The text names no scope that a key can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{0}`; the scopes are {list}", list = Scope::names())]
pub struct UnknownScope(pub String);

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// One thing that a caller can be allowed to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope {
            $($(#[$doc])* $name,)*
        }

        impl Scope {
            /// Every scope, in the order of their declaration.
            const EVERY: &'static [Self] = &[$(Self::$name),*];

            /// Its name in keys, tokens and pages, such as `skills:read`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

scopes! {
    /// Find and read skills.
    SkillsRead = "skills:read",
    /// Publish and tag skills.
    SkillsWrite = "skills:write",
    /// Recall an agent's own memory and skills.
    MemoryRead = "memory:read",
    /// Save to an agent's own memory and skills.
    MemoryWrite = "memory:write",
    /// Run a skill's scripts.
    MemoryExecute = "memory:execute",
    /// Read context entries and pages.
    KnowledgeRead = "knowledge:read",
    /// Write context entries and pages.
    KnowledgeWrite = "knowledge:write",
    /// Queue and cancel jobs.
    AgentsRun = "agents:run",
    /// See agents and jobs.
    AgentsRead = "agents:read",
    /// Change agents, and queue shell commands.
    AgentsWrite = "agents:write",
    /// See connectors and use their tools.
    ConnectorsRead = "connectors:read",
    /// Change connectors.
    ConnectorsWrite = "connectors:write",
    /// See the component inventory.
    ComponentsRead = "components:read",
    /// Report to the component inventory.
    ComponentsWrite = "components:write",
    /// See what was called.
    AnalyticsRead = "analytics:read",
    /// Make, list and revoke keys.
    KeysWrite = "keys:write",
    /// Change the organization itself.
    OrgAdmin = "org:admin",
    /// Between services only: tell whom a key stands for.
    KeysVerify = "internal:keys:verify",
    /// Between services only: record calls.
    CallsWrite = "internal:calls:write",
    /// Between services only: change what is indexed.
    SearchWrite = "internal:search:write",
    /// The operator's, through the gateway only: make and list organizations.
    Operate = "internal:operate",
}

impl Scope {
    /// The scopes that a key can hold.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::EVERY.iter().copied().filter(|scope| !scope.is_internal())
    }

    /// Whether only Loadout's own programs hold it.
    #[must_use]
    pub fn is_internal(self) -> bool {
        self.name().starts_with("internal:")
    }

    fn names() -> String {
        Self::all().map(|scope| format!("`{}`", scope.name())).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::all().find(|scope| scope.name() == text).ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(u32);

impl Scopes {
    /// Every scope that a key can hold.
    #[must_use]
    pub fn every() -> Self {
        Scope::all().collect()
    }

    /// Whether `scope` is among them.
    #[must_use]
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & bit(scope) != 0
    }

    /// Those of these that are not in `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The scopes, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::EVERY.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// Their names, as a token carries them: internal ones too.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Scope::name).collect()
    }

    /// The scopes of these names, internal ones too; for what a signature has vouched for.
    pub(crate) fn of_signed(names: &[String]) -> Self {
        let known = |name: &String| Scope::EVERY.iter().copied().find(|s| s.name() == name);
        names.iter().filter_map(known).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | bit(scope)))
    }
}

const fn bit(scope: Scope) -> u32 {
    1 << scope as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_can_hold_an_internal_scope() {
        assert_eq!(
            "internal:search:write".parse::<Scope>(),
            Err(UnknownScope("internal:search:write".to_owned()))
        );
        assert!(!Scopes::every().contains(Scope::SearchWrite));
    }

    #[test]
    fn every_scope_reads_back_from_its_name() {
        for scope in Scope::all() {
            assert_eq!(scope.name().parse(), Ok(scope));
        }
    }

    #[test]
    fn an_unknown_scope_is_refused_by_name_with_the_known_ones() {
        let message = "skills:fly".parse::<Scope>().unwrap_err().to_string();
        assert!(message.starts_with("unknown scope `skills:fly`; the scopes are `skills:read`"));
        assert!(!message.contains("internal"));
    }

    #[test]
    fn a_set_holds_exactly_what_was_put_in() {
        let scopes: Scopes = [Scope::SkillsRead, Scope::OrgAdmin].into_iter().collect();
        assert_eq!(scopes.names(), ["skills:read", "org:admin"]);
        assert_eq!(Scopes::of_signed(&["org:admin".into()]).names(), ["org:admin"]);
    }
}
