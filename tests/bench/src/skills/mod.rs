//! Skills to measure with: real ones, and as many as wanted made from them.
mod archive;
mod folder;
mod queries;
mod vary;

use std::path::{Path, PathBuf};

use anyhow::bail;
use bytes::Bytes;

pub(crate) use archive::{archive, uploads};
pub(crate) use queries::queries;
pub(crate) use vary::vary;

/// A skill that is to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skill {
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: String,
    /// The instructions, without front matter.
    pub(crate) body: String,
    /// The other files, each with its path.
    pub(crate) files: Vec<(String, Bytes)>,
}

impl Skill {
    /// A skill of which only its name and description matter.
    pub(crate) fn described(slug: String, name: &str, description: &str) -> Self {
        let (name, description) = (name.to_owned(), description.to_owned());
        let body = format!("# {name}\n\n{description}\n");
        Self { slug, name, description, body, files: Vec::new() }
    }

    /// `SKILL.md`. JSON's texts are YAML's, too.
    fn document(&self) -> String {
        let Self { name, description, body, .. } = self;
        let (name, description) = (serde_json::json!(name), serde_json::json!(description));
        format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
    }
}

/// The real skills beside the checkout where there are some, else those of the demo.
pub(crate) fn real(checkout: &Path) -> anyhow::Result<Vec<Skill>> {
    let shared = folder::read(&checkout.join("../shared/data/skills"))?;
    if shared.is_empty() { demo(checkout) } else { Ok(shared) }
}

/// The demo's skills.
pub(crate) fn demo(checkout: &Path) -> anyhow::Result<Vec<Skill>> {
    let folder: PathBuf = checkout.join("deploy/demo/skills");
    let skills = folder::read(&folder)?;
    if skills.is_empty() {
        bail!("no skills in `{}`: run this in the checkout", folder.display());
    }
    Ok(skills)
}

/// A slug for a name that none of `taken` has.
pub(crate) fn free_slug(name: &str, taken: &std::collections::HashSet<String>) -> String {
    let dashed = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let dashed: String = name.chars().map(dashed).collect();
    let parts: Vec<&str> = dashed.split('-').filter(|part| !part.is_empty()).collect();
    let slug: String = parts.join("-").chars().take(56).collect();
    let slug = if slug.is_empty() { "skill".to_owned() } else { slug };
    let numbered = (2..).map(|number| format!("{slug}-{number}"));
    let mut all = std::iter::once(slug.clone()).chain(numbered);
    all.find(|slug| !taken.contains(slug)).unwrap_or(slug)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_document_keeps_what_yaml_would_take_for_its_own() {
        let skill = Skill::described("a".into(), "a: b", "says \"yes\" # not\n- 1");
        let expected =
            "---\nname: \"a: b\"\ndescription: \"says \\\"yes\\\" # not\\n- 1\"\n---\n# a: b";
        assert!(skill.document().starts_with(expected), "{}", skill.document());
    }

    #[test]
    fn a_slug_is_made_of_a_name_and_is_not_taken() {
        let taken = HashSet::from(["ai2sql".to_owned(), "ai2sql-2".to_owned()]);
        assert_eq!(free_slug("AI2sql", &taken), "ai2sql-3");
        assert_eq!(free_slug("  Über Tool!", &taken), "ber-tool");
        assert_eq!(free_slug("工具", &taken), "skill");
    }
}
