//! Which file belongs to which skill, and what a skill is known by.
use skillfile::{FindingCode as Code, IgnoredReason, Kind, Parsed, Role, UploadError};

use crate::support::*;

#[test]
fn the_nearest_folder_with_a_skill_md_owns_a_file() {
    let inner = ("demo/inner/SKILL.md", HEAD);
    let all = demo([inner, ("demo/inner/deep/a", ""), ("demo/b", ""), ("c", "")]);
    let upload = read_files(all).unwrap();
    let [Parsed::Ready(outer), Parsed::Ready(inner)] = upload.skills.as_slice() else { panic!() };
    assert_eq!((paths(outer), paths(inner)), (vec!["b"], vec!["deep/a"]));
    let warning = only(outer.warnings.clone());
    assert_eq!((warning.code, warning.path.as_deref()), (Code::NestedSkill, Some("demo/inner")));
    assert_eq!(upload.ignored[0].path, "c");
    assert_eq!(upload.ignored[0].reason, IgnoredReason::OutsideSkills);
}

#[test]
fn a_skill_at_the_root_takes_its_slug_from_its_name() {
    let text = "---\nname: PDF Tools\ndescription: Does.\n---\nDo.\n";
    let skill = ready(read_files(files([("SKILL.md", text), ("a/b", "")])));
    assert_eq!((skill.folder.as_str(), skill.slug.as_str()), ("", "pdf-tools"));
    assert_eq!(paths(&skill), ["a/b"]);
    let nameless = refused(read_files(files([("SKILL.md", "---\ndescription: x\n---\nDo.\n")])));
    assert_eq!((nameless.slug, codes(&nameless.reasons)), (None, vec![Code::NameMissing]));
}

#[test]
fn a_folder_that_is_no_slug_is_made_one_with_a_warning_or_refused() {
    let skill = ready(read_files(files([("x/Café Tools!/SKILL.md", HEAD)])));
    assert_eq!(skill.slug.as_str(), "cafe-tools");
    let warning = find(&skill.warnings, Code::SlugChanged);
    assert!(warning.message.contains("`cafe-tools`"));
    let reason = only(refused(read_files(files([("日本語/SKILL.md", HEAD)]))).reasons);
    assert_eq!(reason.code, Code::NoSlug);
    assert!(reason.message.contains("`日本語`"));
}

#[test]
fn junk_is_named_and_left_out() {
    let junk = [
        ("demo/.git/config", IgnoredReason::VersionControl),
        ("__MACOSX/demo/._SKILL.md", IgnoredReason::SystemFile),
        ("demo/.DS_Store", IgnoredReason::SystemFile),
        ("demo/a/Thumbs.db", IgnoredReason::SystemFile),
        ("demo/__pycache__/a.pyc", IgnoredReason::Cache),
    ];
    let mut all = demo([("demo/.gitignore", "")]);
    all.extend(junk.map(|(path, _)| (path.to_owned(), vec![])));
    let upload = read_files(all).unwrap();
    let ignored: Vec<_> = upload.ignored.iter().map(|i| (i.path.as_str(), i.reason)).collect();
    assert_eq!(ignored, junk);
    assert_eq!(paths(&ready(Ok(upload))), [".gitignore"]);
}

#[test]
fn an_upload_without_a_skill_is_refused() {
    let error = read_files(files([("README.md", "# Hi")])).unwrap_err();
    assert!(matches!(error, UploadError::NoSkill { files: 1 }));
    assert!(matches!(read_files(vec![]), Err(UploadError::NoSkill { files: 0 })));
}

#[test]
fn files_are_sorted_by_the_bytes_of_their_paths() {
    let skill = ready(read_files(demo([("demo/b", ""), ("demo/a/x", ""), ("demo/a-b", "")])));
    assert_eq!(paths(&skill), ["a-b", "a/x", "b"]);
}

#[test]
fn a_file_has_its_kind_role_and_hash() {
    let skill = ready(read_files(demo([("demo/scripts/run.py", "abc")])));
    let file = &skill.files[0];
    assert_eq!((file.kind, file.role, file.is_text), (Kind::Script, Role::Script, true));
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(&file.sha256), sha256);
}

/// Computed by the shell lines on the crate's page, with `sha256sum`.
#[test]
fn the_canonical_hash_is_the_one_that_a_shell_computes() {
    let text = "---\nname: demo\ndescription: Does it.\n---\nDo it.\n";
    let all = files([("demo/skill.md", text), ("demo/scripts/run.sh", "echo hi\n")]);
    let skill = ready(read_files(all));
    assert_eq!(
        hex(&skill.canonical_hash),
        "04aafe7ee3e15c652faebe1face909af233f1c74e1295a081d00e82820170663"
    );
}

#[test]
fn any_change_changes_the_canonical_hash_and_the_folder_does_not() {
    let hash = |files: Files| ready(read_files(files)).canonical_hash;
    let base = hash(demo([("demo/a.md", "1")]));
    assert_ne!(base, hash(demo([("demo/a.md", "2")])));
    assert_ne!(base, hash(demo([("demo/b.md", "1")])));
    assert_ne!(base, hash(demo([("demo/docs/a.md", "1")])));
    assert_ne!(base, hash(demo([])));
    let mut moved = demo([("demo/a.md", "1")]);
    for (path, _) in &mut moved {
        *path = path.replace("demo/", "x/other/");
    }
    assert_eq!(base, hash(moved));
}

#[test]
fn findings_are_named_in_snake_case_for_programs() {
    let warning = only(skill(HEAD).warnings);
    let json = serde_json::to_value(&warning).unwrap();
    assert_eq!(json["code"], "empty_body");
    assert_eq!(json["path"], "demo/SKILL.md");
    assert_eq!(json["line"], serde_json::Value::Null);
}

const HEX: [char; 16] =
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| HEX[digit as usize]).collect()
}
