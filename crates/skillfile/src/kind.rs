//! What a file is: how it is served, and what it is for.

use std::fmt;

use serde::Serialize;

const SCRIPTS: [&str; 16] = [
    "py", "sh", "bash", "zsh", "js", "mjs", "cjs", "ts", "rb", "pl", "ps1", "lua", "php", "go",
    "rs", "r",
];
const DOCUMENTS: [&str; 7] = ["md", "markdown", "mdx", "txt", "rst", "adoc", "html"];

/// How a file is shown to those who load a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Text to read.
    Doc,
    /// Text to run.
    Script,
    /// Everything else, and whatever is not UTF-8.
    Asset,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    Reference,
    Example,
    Template,
    Document,
    Artifact,
    Script,
}

impl Kind {
    /// By suffix and content: a script's suffix or `#!`, then a document's suffix or none.
    pub(crate) fn of(path: &str, bytes: &[u8], is_text: bool) -> Self {
        if !is_text {
            return Self::Asset;
        }
        let file = path.rsplit('/').next().unwrap_or(path);
        let suffix = file.rsplit_once('.').map(|(_, suffix)| suffix.to_ascii_lowercase());
        let is_one_of = |known: &[&str]| suffix.as_deref().is_some_and(|s| known.contains(&s));
        if is_one_of(&SCRIPTS) || bytes.starts_with(b"#!") {
            Self::Script
        } else if is_one_of(&DOCUMENTS) || suffix.is_none() {
            Self::Doc
        } else {
            Self::Asset
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Doc => "doc",
            Self::Script => "script",
            Self::Asset => "asset",
        })
    }
}

impl Role {
    /// By the skill's own folder that the file is in, then by its kind.
    pub(crate) fn of(path: &str, kind: Kind) -> Self {
        let folder = path.split_once('/').map_or("", |(folder, _)| folder);
        match (folder, kind) {
            ("references" | "reference" | "docs", _) => Self::Reference,
            ("examples", _) => Self::Example,
            ("templates", _) => Self::Template,
            ("assets" | "resources", _) | (_, Kind::Asset) => Self::Artifact,
            (_, Kind::Script) => Self::Script,
            (_, Kind::Doc) => Self::Document,
        }
    }

    /// Its name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Example => "example",
            Self::Template => "template",
            Self::Document => "document",
            Self::Artifact => "artifact",
            Self::Script => "script",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str, text: &str) -> Kind {
        Kind::of(path, text.as_bytes(), true)
    }

    #[test]
    fn a_script_is_known_by_its_suffix_or_first_line() {
        assert_eq!(kind("scripts/run.py", ""), Kind::Script);
        assert_eq!(kind("RUN.SH", ""), Kind::Script);
        assert_eq!(kind("scripts/run", "#!/bin/sh\n"), Kind::Script);
        assert_eq!(kind("schema.sql", ""), Kind::Asset);
    }

    #[test]
    fn a_document_is_known_by_its_suffix_or_by_having_none() {
        for path in ["a.md", "a.txt", "docs/a.html", "LICENSE", "scripts/README"] {
            assert_eq!(kind(path, ""), Kind::Doc, "{path}");
        }
        for path in ["a.json", "a.yaml", "a.csv", "a.svg", ".gitignore"] {
            assert_eq!(kind(path, ""), Kind::Asset, "{path}");
        }
    }

    #[test]
    fn what_is_not_text_is_an_asset_whatever_its_name() {
        assert_eq!(Kind::of("run.py", b"#!\xff", false), Kind::Asset);
    }

    #[test]
    fn the_folder_says_what_a_file_is_for() {
        assert_eq!(Role::of("references/a.py", Kind::Script), Role::Reference);
        assert_eq!(Role::of("docs/a.md", Kind::Doc), Role::Reference);
        assert_eq!(Role::of("examples/a.json", Kind::Asset), Role::Example);
        assert_eq!(Role::of("templates/a.md", Kind::Doc), Role::Template);
        assert_eq!(Role::of("resources/a.md", Kind::Doc), Role::Artifact);
        assert_eq!(Role::of("scripts/a.sh", Kind::Script), Role::Script);
        assert_eq!(Role::of("scripts/a.md", Kind::Doc), Role::Document);
        assert_eq!(Role::of("scripts/a.json", Kind::Asset), Role::Artifact);
        assert_eq!(Role::of("references", Kind::Doc), Role::Document);
    }
}
