//! Where the front matter starts and ends.

use super::EXPECTED;
use crate::{Finding, FindingCode};

/// The longest front matter, in bytes, its `---` lines not counted.
pub const FRONT_MATTER_BYTES: usize = 64 * 1024;

const BOM: char = '\u{feff}';

#[derive(Debug)]
pub(super) struct Split<'a> {
    /// What is between the `---` lines; its first line is the second of the file.
    pub(super) yaml: &'a str,
    /// Where the first line after the closing `---` starts.
    pub(super) body_offset: usize,
}

pub(super) fn split(text: &str) -> Result<Split<'_>, Finding> {
    let unmarked = text.strip_prefix(BOM).unwrap_or(text);
    let mut lines = unmarked.split_inclusive('\n');
    let opening = lines.next().filter(|line| line.trim_end() == "---").ok_or_else(missing)?;
    let start = text.len() - unmarked.len() + opening.len();
    let mut end = start;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            let yaml = check_length(&text[start..end])?;
            return Ok(Split { yaml, body_offset: end + line.len() });
        }
        end += line.len();
    }
    let message = "line 1: the front matter that opens here is never closed by a line `---`";
    Err(Finding::new(FindingCode::FrontMatterUnclosed, message).on_line(1))
}

fn missing() -> Finding {
    let message = format!("line 1: there is no front matter; {EXPECTED}");
    Finding::new(FindingCode::FrontMatterMissing, message).on_line(1)
}

fn check_length(yaml: &str) -> Result<&str, Finding> {
    let actual = yaml.len();
    if actual <= FRONT_MATTER_BYTES {
        return Ok(yaml);
    }
    let message =
        format!("the front matter may have {FRONT_MATTER_BYTES} bytes, and this one has {actual}");
    Err(Finding::new(FindingCode::FrontMatterTooLarge, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_starts_after_the_line_end_of_the_closing_line() {
        let cases = [
            ("---\na: b\n---\nbody", "a: b\n", "body"),
            ("---\r\na: b\r\n---\r\n\r\nbody", "a: b\r\n", "\r\nbody"),
            ("\u{feff}---\na: b\n...\nbody", "a: b\n", "body"),
            ("---  \na: b\n--- \nbody", "a: b\n", "body"),
            ("---\n---", "", ""),
        ];
        for (text, yaml, body) in cases {
            let split = split(text).unwrap();
            assert_eq!((split.yaml, &text[split.body_offset..]), (yaml, body), "{text:?}");
        }
    }

    #[test]
    fn front_matter_has_at_most_64_kib() {
        let file = |bytes: usize| format!("---\n{}\n---\n", "#".repeat(bytes - 1));
        assert!(split(&file(FRONT_MATTER_BYTES)).is_ok());
        let refused = split(&file(FRONT_MATTER_BYTES + 1)).unwrap_err();
        assert_eq!(refused.code, FindingCode::FrontMatterTooLarge);
        assert!(refused.message.contains("65536") && refused.message.contains("65537"));
    }
}
