//! The fields of the front matter, checked.

use serde_json::{Map, Value as Json};

use super::{
    Notes, file_line,
    yaml::{self, Key, Node, Scalars, Value},
};
use crate::{Finding, FindingCode, finding::printable};

/// The longest name, in Unicode scalar values.
pub const NAME_CHARS: usize = 200;
/// The longest description, in Unicode scalar values.
pub const DESCRIPTION_CHARS: usize = 1024;
/// The longest `compatibility` without a warning, in Unicode scalar values.
pub const COMPATIBILITY_CHARS: usize = 500;
/// The most triggers.
pub const TRIGGERS: usize = 50;
/// The longest trigger, in Unicode scalar values.
pub const TRIGGER_CHARS: usize = 200;

const TRIGGER_KEYS: [&str; 4] =
    ["triggers", "trigger phrases", "trigger-phrases", "trigger_phrases"];
const OTHER_KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// What the front matter says. Where a required field is missing, a reason was noted.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) name: Option<String>,
    pub(crate) description: String,
    pub(crate) triggers: Vec<String>,
    pub(crate) license: Option<String>,
    pub(crate) compatibility: Option<String>,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) metadata: Map<String, Json>,
    pub(crate) front_matter: Map<String, Json>,
}

pub(super) fn read(pairs: &[(Key, Node)], notes: &mut Notes) -> Fields {
    let mut form = Form { pairs, notes };
    let fields = Fields {
        name: form.name(),
        description: form.description().unwrap_or_default(),
        triggers: form.triggers(),
        license: form.optional_text("license"),
        compatibility: form.compatibility(),
        allowed_tools: form.allowed_tools(),
        metadata: form.metadata(),
        front_matter: yaml::json_map(pairs, Scalars::Typed),
    };
    form.warn_of_unknown_keys();
    fields
}

struct Form<'a> {
    pairs: &'a [(Key, Node)],
    notes: &'a mut Notes,
}

impl<'a> Form<'a> {
    fn find(&self, key: &str) -> Option<&'a Node> {
        let pair = self.pairs.iter().find(|(found, _)| found.text == key);
        pair.map(|(_, node)| node).filter(|node| !node.is_null())
    }

    fn refuse(&mut self, code: FindingCode, line: usize, message: &str) {
        self.notes.reasons.push(on_line(code, line, message));
    }

    fn warn(&mut self, code: FindingCode, line: usize, message: &str) {
        self.notes.warnings.push(on_line(code, line, message));
    }

    /// A field that must be a text: its trimmed text and line.
    fn text(&mut self, key: &str) -> Option<(&'a str, usize)> {
        let node = self.find(key)?;
        if node.text().is_none() {
            let message = format!("`{key}` is {}, and must be a text", node.what());
            self.refuse(FindingCode::WrongType, node.line, &message);
        }
        node.text().map(|text| (text.trim(), node.line))
    }

    fn name(&mut self) -> Option<String> {
        let (text, line) = self.text("name").filter(|(text, _)| !text.is_empty())?;
        let actual = text.chars().count();
        if actual > NAME_CHARS {
            let message = format!("`name` may have {NAME_CHARS} characters, and has {actual}");
            self.refuse(FindingCode::NameLength, line, &message);
        }
        Some(text.to_owned())
    }

    fn description(&mut self) -> Option<String> {
        let refused_before = self.notes.reasons.len();
        let text = self.text("description");
        let Some((text, line)) = text.filter(|(text, _)| !text.is_empty()) else {
            // A list is not missing, and was refused as what it is.
            if self.notes.reasons.len() == refused_before {
                let message = format!(
                    "`description` is missing or empty; it takes 1 to {DESCRIPTION_CHARS} \
                     characters that say what the skill does and when to use it"
                );
                let reason = Finding::new(FindingCode::DescriptionMissing, message);
                self.notes.reasons.push(reason);
            }
            return None;
        };
        let actual = text.chars().count();
        if actual > DESCRIPTION_CHARS {
            let message =
                format!("`description` may have {DESCRIPTION_CHARS} characters, and has {actual}");
            self.refuse(FindingCode::DescriptionLength, line, &message);
        }
        Some(text.to_owned())
    }

    fn triggers(&mut self) -> Vec<String> {
        let mut triggers = Vec::new();
        for (key, node) in self.pairs {
            if TRIGGER_KEYS.contains(&key.text.as_str()) {
                triggers.extend(self.trigger_list(&key.text, node));
            }
        }
        if triggers.len() > TRIGGERS {
            let message = format!(
                "a skill may have {TRIGGERS} triggers, and this one has {}",
                triggers.len()
            );
            self.notes.reasons.push(Finding::new(FindingCode::TooManyTriggers, message));
        }
        triggers
    }

    fn trigger_list(&mut self, key: &str, node: &Node) -> Vec<String> {
        let Some(texts) = texts(node, &|text| text.split([',', '\n']).collect()) else {
            let message = format!("`{key}` must be a list of texts, or a text with commas");
            self.refuse(FindingCode::WrongType, node.line, &message);
            return Vec::new();
        };
        for text in &texts {
            let actual = text.chars().count();
            if actual > TRIGGER_CHARS {
                let message = format!(
                    "a trigger may have {TRIGGER_CHARS} characters, and `{}` has {actual}",
                    printable(text)
                );
                self.refuse(FindingCode::TriggerLength, node.line, &message);
            }
        }
        texts
    }

    /// A field that other readers have a use for; one of another form is kept and warned of.
    fn optional_text(&mut self, key: &str) -> Option<String> {
        let node = self.find(key)?;
        if node.text().is_none() {
            self.not_understood(key, node, "a text");
        }
        node.text().map(|text| text.trim().to_owned())
    }

    fn compatibility(&mut self) -> Option<String> {
        let text = self.optional_text("compatibility")?;
        let actual = text.chars().count();
        if actual > COMPATIBILITY_CHARS {
            let line = self.find("compatibility").map_or(1, |node| node.line);
            let message = format!(
                "`compatibility` should have at most {COMPATIBILITY_CHARS} characters, and has \
                 {actual}"
            );
            self.warn(FindingCode::CompatibilityLength, line, &message);
        }
        Some(text)
    }

    fn allowed_tools(&mut self) -> Vec<String> {
        let Some(node) = self.find("allowed-tools") else { return Vec::new() };
        texts(node, &split_outside_parentheses).unwrap_or_else(|| {
            self.not_understood("allowed-tools", node, "a text or a list of texts");
            Vec::new()
        })
    }

    fn metadata(&mut self) -> Map<String, Json> {
        let Some(node) = self.find("metadata") else { return Map::new() };
        match &node.value {
            Value::Map(pairs) => yaml::json_map(pairs, Scalars::Text),
            Value::Scalar { .. } | Value::List(_) => {
                self.not_understood("metadata", node, "a map");
                Map::new()
            }
        }
    }

    fn not_understood(&mut self, key: &str, node: &Node, expected: &str) {
        let message = format!("`{key}` is {}, not {expected}; it is kept, unused", node.what());
        self.warn(FindingCode::NotUnderstood, node.line, &message);
    }

    fn warn_of_unknown_keys(&mut self) {
        for (key, _) in self.pairs {
            let text = key.text.as_str();
            if !OTHER_KEYS.contains(&text) && !TRIGGER_KEYS.contains(&text) {
                let message = format!("the key `{}` is not known; it is kept", printable(text));
                self.warn(FindingCode::UnknownKey, key.line, &message);
            }
        }
    }
}

fn on_line(code: FindingCode, line: usize, message: &str) -> Finding {
    let line = file_line(line);
    Finding::new(code, format!("line {line}: {message}")).on_line(line)
}

/// The texts of a list, or those that a text is split into; none if it is neither.
fn texts<'n>(node: &'n Node, split: &dyn Fn(&'n str) -> Vec<&'n str>) -> Option<Vec<String>> {
    let texts: Vec<&str> = match &node.value {
        Value::Scalar { .. } => node.text().map(split).unwrap_or_default(),
        Value::List(items) => items.iter().map(Node::text).collect::<Option<_>>()?,
        Value::Map(_) => return None,
    };
    let trimmed = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
    Some(trimmed.map(str::to_owned).collect())
}

/// Splits at commas and white space, but not in `Bash(git add, git commit)`.
fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut open = 0_usize;
    text.split(|char: char| {
        match char {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0 && (char == ',' || char.is_whitespace())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_split_at_commas_and_spaces_outside_parentheses() {
        let tools: Vec<_> = split_outside_parentheses("Bash(git add:*, x), Read Grep(a (b) c)")
            .into_iter()
            .filter(|tool| !tool.is_empty())
            .collect();
        assert_eq!(tools, ["Bash(git add:*, x)", "Read", "Grep(a (b) c)"]);
    }
}
