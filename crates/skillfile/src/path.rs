//! The paths of an upload: which are allowed, and which name nothing that anybody wants to keep.

use crate::{Finding, FindingCode, IgnoredReason, finding::printable};

/// The longest path of a file inside its skill, in bytes.
pub const FILE_PATH_BYTES: usize = 255;
/// The longest path of a file inside an upload, in bytes.
pub const UPLOAD_PATH_BYTES: usize = 1024;
/// The most segments of a path inside an upload, for every one above a file is looked at.
pub const UPLOAD_PATH_SEGMENTS: usize = 64;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("it is empty")]
    Empty,
    #[error("it has a control character")]
    Control,
    #[error("it has a backslash; folders are parted by `/`")]
    Backslash,
    #[error("it is absolute; paths start inside the upload")]
    Absolute,
    #[error("it has a drive letter; paths start inside the upload")]
    Drive,
    #[error("it has `..`, which leaves its folder")]
    Parent,
    #[error("it ends with `/` as a folder does, and is a file")]
    Folder,
    #[error("it has {0} bytes, and {UPLOAD_PATH_BYTES} are allowed in an upload")]
    TooLong(usize),
    #[error("it has {0} segments, and {UPLOAD_PATH_SEGMENTS} are allowed in an upload")]
    TooDeep(usize),
}

/// The path without `.` and empty segments.
pub(crate) fn normalize(raw: &str) -> Result<String, Finding> {
    check(raw).map_err(|fault| refused(raw, &fault.to_string()))?;
    let segments: Vec<&str> = segments(raw).collect();
    match segments.len() {
        0 => Err(refused(raw, &Fault::Empty.to_string())),
        1..=UPLOAD_PATH_SEGMENTS => Ok(segments.join("/")),
        deep => Err(refused(raw, &Fault::TooDeep(deep).to_string())),
    }
}

/// Says that a path is not allowed.
pub(crate) fn refused(raw: &str, why: &str) -> Finding {
    let shown = printable(raw);
    let message = format!("the path `{shown}` is not allowed: {why}");
    Finding::new(FindingCode::BadPath, message).at(shown)
}

/// The segments that name something.
pub(crate) fn segments(raw: &str) -> impl Iterator<Item = &str> {
    raw.split('/').filter(|segment| !matches!(*segment, "" | "."))
}

/// The folder of a path and its last segment.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A folder itself and those above it, nearest first; the last is the upload's root, `""`.
pub(crate) fn and_above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| split(folder).0))
}

/// Why nobody wants to keep this file, if so.
pub(crate) fn junk(raw: &str) -> Option<IgnoredReason> {
    let (folder, file) = split(raw);
    let by_folder = segments(folder).find_map(|segment| match segment {
        ".git" => Some(IgnoredReason::VersionControl),
        "__MACOSX" => Some(IgnoredReason::SystemFile),
        "__pycache__" => Some(IgnoredReason::Cache),
        _ => None,
    });
    by_folder
        .or_else(|| matches!(file, ".DS_Store" | "Thumbs.db").then_some(IgnoredReason::SystemFile))
}

fn check(raw: &str) -> Result<(), Fault> {
    if raw.is_empty() {
        return Err(Fault::Empty);
    }
    if raw.len() > UPLOAD_PATH_BYTES {
        return Err(Fault::TooLong(raw.len()));
    }
    if raw.chars().any(char::is_control) {
        return Err(Fault::Control);
    }
    // Before the backslash, so that `C:\x` is named for what it is.
    if segments(raw).any(has_drive) {
        return Err(Fault::Drive);
    }
    if raw.contains('\\') {
        return Err(Fault::Backslash);
    }
    if raw.starts_with('/') {
        return Err(Fault::Absolute);
    }
    if segments(raw).any(|segment| segment == "..") {
        return Err(Fault::Parent);
    }
    if raw.ends_with('/') { Err(Fault::Folder) } else { Ok(()) }
}

fn has_drive(segment: &str) -> bool {
    matches!(segment.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_double_slashes_are_normalized() {
        for raw in ["a/b", "./a/b", "a//b", "a/./b", ".//a/b"] {
            assert_eq!(normalize(raw), Ok("a/b".to_owned()), "{raw}");
        }
    }

    #[test]
    fn what_leaves_the_upload_or_names_nothing_is_refused() {
        let long = "a".repeat(UPLOAD_PATH_BYTES + 1);
        let bad = ["", ".", "./", "..", "../x", "a/../b", "/etc/passwd", "a\\b", "C:\\x", "c:x"];
        for raw in bad.into_iter().chain(["a/D:/x", "a\0", "a\nb", "a/", &long]) {
            assert!(normalize(raw).is_err(), "{raw:?}");
        }
        assert!(normalize(&long[1..]).is_ok());
    }

    #[test]
    fn a_path_has_at_most_64_segments() {
        let deep = vec!["a"; UPLOAD_PATH_SEGMENTS + 1].join("/");
        assert!(normalize(&deep[2..]).is_ok());
        let refused = normalize(&deep).unwrap_err();
        assert!(refused.message.contains("65") && refused.message.contains("64"));
    }

    #[test]
    fn a_message_has_no_control_character() {
        let finding = normalize("a\0b").unwrap_err();
        assert_eq!(finding.path.as_deref(), Some("a\\u{0}b"));
    }

    #[test]
    fn junk_is_known_by_its_folder_or_name() {
        assert_eq!(junk("a/.git/config"), Some(IgnoredReason::VersionControl));
        assert_eq!(junk("__MACOSX/a/._b"), Some(IgnoredReason::SystemFile));
        assert_eq!(junk("a/__pycache__/b.pyc"), Some(IgnoredReason::Cache));
        assert_eq!(junk("a/.DS_Store"), Some(IgnoredReason::SystemFile));
        assert_eq!(junk("Thumbs.db"), Some(IgnoredReason::SystemFile));
        assert_eq!(junk("a/.gitignore"), None);
    }
}
