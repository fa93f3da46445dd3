//! Values with an unquoted `: `, which many write and YAML forbids: read as the text they were
//! meant to be.

use super::file_line;
use crate::{Finding, FindingCode, finding::printable};

/// Front matter with such values quoted, line for line.
pub(super) struct Quoted {
    pub(super) yaml: String,
    pub(super) warnings: Vec<Finding>,
}

/// Quotes the values of top-level lines that hold a `: `; none if there is no such line.
pub(super) fn quote_lines_with_colons(yaml: &str) -> Option<Quoted> {
    let mut quoted = Quoted { yaml: String::new(), warnings: Vec::new() };
    let mut lines = yaml.split_inclusive('\n').enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let goes_on = lines.peek().is_some_and(|(_, next)| is_continuation(next));
        match plain_pair(line).filter(|_| !goes_on) {
            Some((key, value)) => {
                let end = &line[line.trim_end().len()..];
                quoted.yaml.extend([key, ": '", &value.replace('\'', "''"), "'", end]);
                quoted.warnings.push(warning(file_line(at + 1), key, value));
            }
            None => quoted.yaml.push_str(line),
        }
    }
    (!quoted.warnings.is_empty()).then_some(quoted)
}

fn is_continuation(line: &str) -> bool {
    line.starts_with([' ', '\t']) && !line.trim().is_empty()
}

/// The key and value of a top-level line whose value is plain and holds a `: `.
fn plain_pair(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_key = |char: char| char.is_alphanumeric() || "-_. ".contains(char);
    if !key.starts_with(char::is_alphanumeric) || !key.chars().all(is_key) {
        return None;
    }
    let value = rest.strip_prefix([' ', '\t'])?.trim();
    let has_colon = value.contains(": ") || value.contains(":\t") || value.ends_with(':');
    // A value that starts with one of these is no plain text to YAML.
    let is_plain = !value.starts_with(|char: char| "\"'[]{}|>&*!%@`#,?-".contains(char));
    (has_colon && is_plain).then_some((key, value))
}

fn warning(line: u32, key: &str, value: &str) -> Finding {
    let shown = printable(value);
    let message = format!(
        "line {line}: the value of `{key}` has an unquoted `: ` and was read as the text \
         `{shown}`; put it in quotes for other readers"
    );
    Finding::new(FindingCode::UnquotedColon, message).on_line(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_one_line_values_are_quoted() {
        for line in [
            "a: \"b: c\"",
            "a: [b: c]",
            "a: {b: c}",
            "  a: b: c",
            "# a: b: c",
            "a: b",
            "a: b:c",
            "a: |",
            "a:",
            "- a: b: c",
            "a: b: c\n  d",
        ] {
            assert!(quote_lines_with_colons(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn the_rest_of_the_line_is_the_text_and_its_line_end_stays() {
        let quoted = quote_lines_with_colons("a: it's: b # c \r\nd: e\n").unwrap();
        assert_eq!(quoted.yaml, "a: 'it''s: b # c' \r\nd: e\n");
        assert_eq!(quoted.warnings[0].line, Some(2));
    }
}
