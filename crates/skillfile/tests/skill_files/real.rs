//! Skills as their authors publish them, where a folder of them is given.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::{fs, path::Path, time::Instant};

use skillfile::Parsed;

use crate::support::*;

/// Every file under a folder, by its path in it.
fn collect(root: &Path, folder: &Path, all: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, all);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            all.push((name, fs::read(&path).unwrap()));
        }
    }
}

/// Every skill of `LOADOUT_TEST_SKILLS` comes in as it is on disk, or is named with a reason.
#[test]
#[expect(clippy::disallowed_methods, reason = "the folder is none of the project's settings")]
fn real_skills_are_in_or_named_with_a_reason() {
    let Ok(folder) = std::env::var("LOADOUT_TEST_SKILLS") else {
        eprintln!("skipped: LOADOUT_TEST_SKILLS names no folder of real skills");
        return;
    };
    let mut all = Files::new();
    collect(Path::new(&folder), Path::new(&folder), &mut all);
    let zip = zip_of(&all);
    let start = Instant::now();
    let upload = read_zip(&zip).unwrap();
    eprintln!("{} files, {} bytes of zip in {:?}", all.len(), zip.len(), start.elapsed());
    let owned: usize = upload.skills.iter().map(|skill| report(skill, &all)).sum();
    assert_eq!(owned + upload.ignored.len(), all.len());
}

/// Checks a skill against its files and says what was noticed; the number of files it has.
fn report(skill: &Parsed, all: &Files) -> usize {
    let prefix = format!("{}/", skill.folder());
    match skill {
        Parsed::Ready(skill) => {
            for warning in &skill.warnings {
                eprintln!("{}: {:?}: {}", skill.folder, warning.code, warning.message);
            }
            let on_disk =
                |path: &str| all.iter().find(|(name, _)| *name == format!("{prefix}{path}"));
            assert_eq!(on_disk(&skill.main_path).unwrap().1, skill.instructions);
            assert!(skill.files.iter().all(|file| on_disk(&file.path).unwrap().1 == file.bytes));
            skill.files.len() + 1
        }
        Parsed::Refused(refused) => {
            eprintln!("{}: refused: {:?}", refused.folder, refused.reasons);
            assert!(!refused.reasons.is_empty());
            all.iter().filter(|(name, _)| name.starts_with(&prefix)).count()
        }
    }
}
