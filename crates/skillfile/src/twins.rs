//! Paths of one skill that some file systems cannot hold side by side.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use crate::{Finding, FindingCode, path};

/// Files that are folders too.
pub(crate) fn files_as_folders<'a>(
    paths: impl Iterator<Item = &'a str> + Clone,
) -> impl Iterator<Item = Finding> {
    let folders: HashSet<&str> =
        paths.clone().flat_map(|path| path::and_above(path::split(path).0)).collect();
    paths.filter(move |path| folders.contains(path)).map(|path| {
        let message = format!("`{path}` is a file and a folder");
        Finding::new(FindingCode::FileAndFolder, message).at(path)
    })
}

/// Files whose paths differ only by letter case or by Unicode normalization.
pub(crate) fn alike<'a>(paths: impl Iterator<Item = &'a str>) -> impl Iterator<Item = Finding> {
    let mut first_of: HashMap<String, &str> = HashMap::new();
    paths.filter_map(move |path| {
        let folded: String = path.nfd().flat_map(char::to_lowercase).nfd().collect();
        let first = *first_of.entry(folded).or_insert(path);
        (first != path).then(|| {
            let message = format!(
                "`{first}` and `{path}` differ only by letter case or Unicode normalization, \
                 and are one file on some machines"
            );
            Finding::new(FindingCode::PathTwins, message).at(path)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_differ_by_case_or_normalization_are_alike() {
        let paths = ["A.md", "a.md", "\u{e9}.md", "e\u{301}.md", "É.md", "b.md"];
        assert_eq!(alike(paths.into_iter()).count(), 3);
    }

    #[test]
    fn a_file_cannot_be_a_folder_too() {
        let paths = ["a", "a-b", "a/b/c", "a/b"];
        let found: Vec<_> =
            files_as_folders(paths.into_iter()).filter_map(|finding| finding.path).collect();
        assert_eq!(found, ["a", "a/b"]);
    }
}
