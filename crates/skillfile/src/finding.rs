//! What was noticed about a skill or a file: reasons to refuse it, and warnings.

use std::fmt;

use serde::Serialize;

/// Something that was noticed, for people to read and for programs to tell apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing it is.
    pub code: FindingCode,
    /// The file that it is about, as a path in the upload.
    pub path: Option<String>,
    /// The line of that file, from 1.
    pub line: Option<u32>,
    /// What is wrong, with the value, and what would be right.
    pub message: String,
}

/// The kinds of findings. Which are reasons and which are warnings is told by where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum FindingCode {
    BadPath,
    DuplicatePath,
    FileAndFolder,
    Link,
    SpecialFile,
    Encrypted,
    UnsupportedCompression,
    CorruptEntry,
    TooManyFiles,
    TooManyBytes,
    TwoInstructions,
    InstructionsEmpty,
    InstructionsNotUtf8,
    FrontMatterMissing,
    FrontMatterUnclosed,
    FrontMatterTooLarge,
    FrontMatterInvalid,
    FrontMatterNotAMap,
    FrontMatterTooComplex,
    DuplicateKey,
    WrongType,
    NameMissing,
    NameLength,
    DescriptionMissing,
    DescriptionLength,
    TooManyTriggers,
    TriggerLength,
    NoSlug,
    SlugTaken,
    // From here on, warnings.
    InstructionsSpelling,
    EmptyBody,
    NestedSkill,
    PathTwins,
    SlugChanged,
    NameFromFolder,
    NameDiffersFromFolder,
    NameNotPortable,
    UnquotedColon,
    UnknownKey,
    NotUnderstood,
    CompatibilityLength,
}

/// A file that is part of no skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Its path in the upload.
    pub path: String,
    /// Why it is part of none.
    pub reason: IgnoredReason,
}

/// Why a file is part of no skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoredReason {
    /// Neither its folder nor one above holds a `SKILL.md`.
    OutsideSkills,
    /// It is in `.git/`.
    VersionControl,
    /// It is what a file manager leaves behind: `__MACOSX/`, `.DS_Store`, `Thumbs.db`.
    SystemFile,
    /// It is in `__pycache__/`.
    Cache,
}

impl fmt::Display for IgnoredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutsideSkills => "neither its folder nor one above holds a `SKILL.md`",
            Self::VersionControl => "version control data",
            Self::SystemFile => "left behind by a file manager",
            Self::Cache => "a cache that is made again when needed",
        })
    }
}

impl Finding {
    pub(crate) fn new(code: FindingCode, message: impl Into<String>) -> Self {
        Self { code, path: None, line: None, message: message.into() }
    }

    pub(crate) fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    pub(crate) fn on_line(self, line: u32) -> Self {
        Self { line: Some(line), ..self }
    }
}

/// A text from an upload as it may stand in a message: short, and without control characters.
pub(crate) fn printable(text: &str) -> String {
    const CHARS: usize = 1024;
    let mut shown = String::new();
    for (at, char) in text.chars().enumerate() {
        if at == CHARS {
            shown.push('…');
            break;
        }
        if char.is_control() {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}
