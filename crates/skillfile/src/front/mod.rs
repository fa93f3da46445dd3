//! The front matter of a `SKILL.md`: the YAML between its first line and the next `---`.

mod fields;
mod plain;
mod split;
mod yaml;

pub(crate) use fields::Fields;
pub use fields::{COMPATIBILITY_CHARS, DESCRIPTION_CHARS, NAME_CHARS, TRIGGER_CHARS, TRIGGERS};
pub use split::FRONT_MATTER_BYTES;

use yaml::{Cause, Failure, Node, Value};

use crate::{Finding, FindingCode};

/// What was noticed while reading one file.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) reasons: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

/// What a `SKILL.md` says about its skill.
pub(crate) struct Front {
    pub(crate) fields: Fields,
    /// Where the body starts.
    pub(crate) body_offset: usize,
}

/// Reads a `SKILL.md`; there is no front matter to speak of where a reason is noted and none is
/// returned.
pub(crate) fn read(bytes: &[u8], notes: &mut Notes) -> Option<Front> {
    match try_read(bytes, notes) {
        Ok(front) => Some(front),
        Err(reason) => {
            notes.reasons.push(reason);
            None
        }
    }
}

fn try_read(bytes: &[u8], notes: &mut Notes) -> Result<Front, Finding> {
    if bytes.is_empty() {
        let message = format!("the file is empty; {EXPECTED}");
        return Err(Finding::new(FindingCode::InstructionsEmpty, message));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let message = format!("the file is not UTF-8 from byte {} on", error.valid_up_to());
        Finding::new(FindingCode::InstructionsNotUtf8, message)
    })?;
    let split = split::split(text)?;
    if text[split.body_offset..].trim().is_empty() {
        let message = "there is nothing after the front matter";
        notes.warnings.push(Finding::new(FindingCode::EmptyBody, message));
    }
    let pairs = pairs(parse(split.yaml, notes)?)?;
    Ok(Front { fields: fields::read(&pairs, notes), body_offset: split.body_offset })
}

/// What a `SKILL.md` starts with, for messages.
pub(super) const EXPECTED: &str =
    "it starts with a line `---`, then `name: …` and `description: …`, then a line `---`";

/// The line in the file of a line of the front matter.
fn file_line(line: usize) -> u32 {
    u32::try_from(line.saturating_add(1)).unwrap_or(u32::MAX)
}

fn parse(yaml: &str, notes: &mut Notes) -> Result<Option<Node>, Finding> {
    let failure = match yaml::parse(yaml) {
        Ok(root) => return Ok(root),
        Err(failure) => failure,
    };
    let Failure { cause: Cause::Syntax(_), .. } = failure else { return Err(invalid(&failure)) };
    let Some(quoted) = plain::quote_lines_with_colons(yaml) else { return Err(invalid(&failure)) };
    let root = yaml::parse(&quoted.yaml).map_err(|failure| invalid(&failure))?;
    notes.warnings.extend(quoted.warnings);
    Ok(root)
}

fn invalid(failure: &Failure) -> Finding {
    let code = match failure.cause {
        Cause::Duplicate { .. } => FindingCode::DuplicateKey,
        Cause::TooComplex { .. } | Cause::Endless => FindingCode::FrontMatterTooComplex,
        Cause::Syntax(_) | Cause::Key | Cause::Tag(_) | Cause::Nul => {
            FindingCode::FrontMatterInvalid
        }
    };
    let line = file_line(failure.line);
    // Lines inside a cause count within the front matter only.
    let message = match &failure.cause {
        Cause::Duplicate { key, first } => {
            format!(
                "line {line}: the key `{key}` is there twice, first on line {}",
                file_line(*first)
            )
        }
        cause => format!("line {line}: the front matter is not valid YAML: {cause}"),
    };
    Finding::new(code, message).on_line(line)
}

fn pairs(root: Option<Node>) -> Result<Vec<(yaml::Key, Node)>, Finding> {
    let Some(root) = root else { return Ok(Vec::new()) };
    let (line, what) = (file_line(root.line), root.what());
    match root.value {
        Value::Map(pairs) => Ok(pairs),
        Value::Scalar { .. } | Value::List(_) => {
            let message = format!("line {line}: the front matter is {what}, not a map; {EXPECTED}");
            Err(Finding::new(FindingCode::FrontMatterNotAMap, message).on_line(line))
        }
    }
}
