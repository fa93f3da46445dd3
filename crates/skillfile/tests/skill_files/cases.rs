//! The known cases, in their order.
use skillfile::{FindingCode as Code, Kind, Parsed, UploadError};

use crate::support::*;

// 1
#[test]
fn a_description_with_an_unquoted_colon_is_the_rest_of_the_line_with_a_warning() {
    let text = "---\nname: demo\ndescription: Use when: the build is red\n---\nDo it.\n";
    let skill = skill(text);
    assert_eq!(skill.description, "Use when: the build is red");
    let warning = only(skill.warnings);
    assert_eq!((warning.code, warning.line), (Code::UnquotedColon, Some(3)));
    assert_eq!(warning.path.as_deref(), Some("demo/SKILL.md"));
    assert!(warning.message.contains("line 3"), "{warning:?}");
    assert!(warning.message.contains("`Use when: the build is red`"), "{warning:?}");
}

// 2, 3
#[test]
fn a_bom_and_crlf_are_read_and_served_unchanged() {
    for start in ["", "\u{feff}"] {
        let text =
            format!("{start}---\r\nname: demo\r\ndescription: Does.\r\n---\r\nA\r\n\r\nB\r\n");
        let skill = skill(&text);
        assert_eq!(skill.instructions, text.as_bytes());
        assert_eq!(skill.body(), b"A\r\n\r\nB\r\n");
        assert_eq!((skill.name.as_str(), skill.description.as_str()), ("demo", "Does."));
        assert!(skill.warnings.is_empty());
    }
}

// 4
#[test]
fn folded_and_literal_descriptions_follow_yaml() {
    let folded = "---\nname: demo\ndescription: >-\n  one\n  two\n  three\n---\nDo.\n";
    assert_eq!(skill(folded).description, "one two three");
    let literal = "---\nname: demo\ndescription: |\n  one\n  two: 2\n  three\n---\nDo.\n";
    assert_eq!(skill(literal).description, "one\ntwo: 2\nthree");
    assert_eq!(skill(&literal.replace('\n', "\r\n")).description, "one\ntwo: 2\nthree");
}

// 5
#[test]
fn a_name_unlike_its_folder_keeps_the_folders_slug_with_a_warning() {
    let text = "---\nname: PDF tools\ndescription: Does.\n---\nDo.\n";
    let skill = ready(read_files(files([("pdf-tools/SKILL.md", text)])));
    assert_eq!((skill.slug.as_str(), skill.name.as_str()), ("pdf-tools", "PDF tools"));
    let warning = find(&skill.warnings, Code::NameDiffersFromFolder);
    assert!(warning.message.contains("`PDF tools`") && warning.message.contains("`pdf-tools`"));
    find(&skill.warnings, Code::NameNotPortable);
}

// 6
#[test]
fn a_missing_empty_or_overlong_description_is_refused() {
    let with = |line: &str| format!("---\nname: demo\n{line}\n---\nDo.\n");
    for line in ["", "description:", "description: \"\"", "description: '  '", "description: ~"] {
        assert_eq!(reason(with(line)).code, Code::DescriptionMissing, "{line}");
    }
    let long = reason(with(&format!("description: {}", "x".repeat(1025))));
    assert_eq!((long.code, long.line), (Code::DescriptionLength, Some(3)));
    assert!(long.message.contains("1024") && long.message.contains("1025"), "{long:?}");
    let cjk = "語".repeat(1024);
    assert_eq!(skill(&with(&format!("description: {cjk}"))).description, cjk);
    assert_eq!(skill(&with("description: x")).description, "x");
}

// 7
#[test]
fn front_matter_that_is_never_closed_is_refused_with_the_line() {
    let unclosed = reason("---\nname: demo\ndescription: Does.\n\n# Body\n");
    assert_eq!((unclosed.code, unclosed.line), (Code::FrontMatterUnclosed, Some(1)));
    assert!(unclosed.message.contains("line 1"));
}

// 8
#[test]
fn front_matter_that_is_no_map_and_a_name_that_is_no_text_are_refused() {
    for yaml in ["- name\n- demo", "42", "just words"] {
        let reason = reason(format!("---\n{yaml}\n---\nDo.\n"));
        assert_eq!((reason.code, reason.line), (Code::FrontMatterNotAMap, Some(2)), "{yaml}");
    }
    let list = reason("---\nname: [a, b]\ndescription: Does.\n---\nDo.\n");
    assert_eq!((list.code, list.line), (Code::WrongType, Some(2)));
}

// 8
#[test]
fn numbers_and_words_are_texts_as_they_were_written() {
    for name in ["42", "yes", "1.10", "0x1F", "true", "2024-01-01", "1_000", "no"] {
        let text = format!("---\nname: {name}\ndescription: {name}\n---\nDo.\n");
        let skill = skill(&text);
        assert_eq!((skill.name.as_str(), skill.description.as_str()), (name, name));
    }
}

// 9
#[test]
fn nested_aliases_are_refused_before_they_grow() {
    let mut yaml = "a0: &a0 [x]\n".to_owned();
    for level in 1..=10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        yaml.extend([format!("a{level}: &a{level} [{aliases}]\n")]);
    }
    let reason = reason(format!("---\nname: demo\ndescription: Does.\n{yaml}---\nDo.\n"));
    assert_eq!(reason.code, Code::FrontMatterTooComplex);
    assert!(reason.message.contains("10000"), "{reason:?}");
}

// 10
#[test]
fn unknown_keys_are_kept_with_a_warning() {
    let skill = skill("---\nname: demo\ndescription: Does.\nmodel: {size: 1.10}\n---\nDo.\n");
    assert_eq!(skill.front_matter["model"]["size"], "1.10");
    let warning = only(skill.warnings);
    assert_eq!((warning.code, warning.line), (Code::UnknownKey, Some(4)));
    assert!(warning.message.contains("`model`"));
}

// 11
#[test]
fn a_path_that_leaves_or_names_nothing_refuses_its_skill_and_no_other() {
    let long = format!("demo/{}", "x".repeat(300));
    let bad = ["demo/../x", "demo/a/../../x", "demo/a\\b", "demo\\b", "/demo/x", "demo/C:\\x"];
    for path in bad.into_iter().chain(["demo/a\0b", "demo/a\nb", "demo/..", &long]) {
        let mut all = demo([(path, "x"), ("other/SKILL.md", HEAD)]);
        all.swap(0, 1);
        let mut skills = read_files(all).unwrap().skills;
        assert!(matches!(skills.pop(), Some(Parsed::Ready(_))), "{path:?}");
        let Some(Parsed::Refused(refused)) = skills.pop() else { panic!("{path:?}") };
        let reason = only(refused.reasons);
        assert_eq!(reason.code, Code::BadPath);
        let shown = path.replace('\0', "\\u{0}").replace('\n', "\\n");
        assert!(reason.message.contains(&shown), "{reason:?}");
    }
}

// 11
#[test]
fn a_bad_path_of_no_skill_refuses_the_upload() {
    for path in ["../x", "/etc/passwd", "a/../../x", "a\\b", "C:\\x", "", "a\0"] {
        let refused = read_files(demo([(path, "x")])).unwrap_err();
        let UploadError::Entry(finding) = refused else { panic!("{refused:?}") };
        assert_eq!(finding.code, Code::BadPath, "{path:?}");
    }
}

// 11
#[test]
fn a_bad_path_beside_a_skill_at_the_root_refuses_that_skill() {
    for path in ["../x", "/etc/passwd", "a/../../x", "a\\b", "C:\\x", ""] {
        let refused = refused(read_files(files([("SKILL.md", HEAD), (path, "x")])));
        assert_eq!(only(refused.reasons).code, Code::BadPath, "{path:?}");
    }
}

// 11
#[test]
fn dots_and_double_slashes_in_a_path_are_normalized() {
    let skill = ready(read_files(demo([("./demo/a", "1"), ("demo//b", "2"), ("demo/./c", "3")])));
    assert_eq!(paths(&skill), ["a", "b", "c"]);
}

// 11
#[test]
fn a_path_in_a_skill_has_at_most_255_bytes() {
    let path = |bytes: usize| format!("demo/{}", "x".repeat(bytes));
    assert_eq!(ready(read_files(demo([(&path(255), "")]))).files.len(), 1);
    let reason = only(refused(read_files(demo([(&path(256), "")]))).reasons);
    assert!(reason.message.contains("255") && reason.message.contains("256"), "{reason:?}");
}

// 14
#[test]
fn paths_that_differ_only_by_case_or_normalization_are_in_with_a_warning() {
    let twins = [("demo/README.md", "1"), ("demo/readme.md", "2")];
    let skill = ready(read_files(demo(twins)));
    assert_eq!(paths(&skill), ["README.md", "readme.md"]);
    let warning = find(&skill.warnings, Code::PathTwins);
    assert!(warning.message.contains("README.md") && warning.message.contains("readme.md"));
    let accents = ready(read_files(demo([("demo/\u{e9}", ""), ("demo/e\u{301}", "")])));
    assert_eq!((accents.files.len(), accents.warnings.len()), (2, 1));
}

// 15
#[test]
fn two_skills_of_one_slug_are_both_refused_and_each_names_both() {
    let all = files([("a/git-helper/SKILL.md", HEAD), ("b/Git Helper/SKILL.md", HEAD)]);
    for skill in read_files(all).unwrap().skills {
        let Parsed::Refused(refused) = skill else { panic!("{skill:?}") };
        let reason = only(refused.reasons);
        assert_eq!(reason.code, Code::SlugTaken);
        assert!(reason.message.contains("`a/git-helper`"), "{reason:?}");
        assert!(reason.message.contains("`b/Git Helper`"), "{reason:?}");
    }
}

// 15
#[test]
fn an_underscore_and_a_hyphen_make_two_slugs() {
    let all = files([("git-helper/SKILL.md", HEAD), ("git_helper/SKILL.md", HEAD)]);
    let skills = read_files(all).unwrap().skills;
    let slugs: Vec<_> = skills.iter().filter_map(Parsed::slug).map(ToString::to_string).collect();
    assert_eq!(slugs, ["git-helper", "git_helper"]);
    assert!(skills.iter().all(|skill| matches!(skill, Parsed::Ready(_))));
}

// 16
#[test]
fn a_file_that_is_not_utf_8_is_an_asset() {
    let png = b"\x89PNG\r\n\x1a\n\0\xff".to_vec();
    let mut all = demo([]);
    all.push(("demo/logo.py".to_owned(), png.clone()));
    let file = ready(read_files(all)).files.remove(0);
    assert_eq!((file.kind, file.is_text, file.bytes), (Kind::Asset, false, png));
}

// 17
#[test]
fn unusual_paths_are_kept_exactly() {
    let names = ["a b", "what?", "c#", "%2F", "e\u{301}", "日本", "\u{e9}"];
    let mut all = demo([]);
    all.extend(names.map(|name| (format!("demo/{name}"), vec![])));
    for upload in [read_files(all.clone()), read_zip(&zip_of(&all)), read_tar(&tar_of(&all))] {
        let mut expected = names;
        expected.sort_unstable();
        assert_eq!(paths(&ready(upload)), expected);
    }
}

// 19
#[test]
fn another_spelling_of_skill_md_is_in_with_a_warning() {
    for spelling in ["skill.md", "Skill.MD"] {
        let path = format!("demo/{spelling}");
        let skill = ready(read_files(files([(&path, HEAD), ("demo/a", "")])));
        assert_eq!((skill.main_path.as_str(), skill.files.len()), (spelling, 1));
        let warning = find(&skill.warnings, Code::InstructionsSpelling);
        assert_eq!(warning.path, Some(path));
    }
    let both = files([("demo/SKILL.md", HEAD), ("demo/skill.md", HEAD)]);
    assert_eq!(only(refused(read_files(both)).reasons).code, Code::TwoInstructions);
}

// 20
#[test]
fn an_empty_skill_md_is_refused() {
    assert_eq!(reason("").code, Code::InstructionsEmpty);
}

// 20
#[test]
fn front_matter_alone_is_in_with_an_empty_body_and_a_warning() {
    for text in [HEAD, HEAD.trim_end()] {
        let skill = skill(text);
        assert_eq!((skill.body(), skill.body_offset), (b"".as_slice(), text.len()));
        assert_eq!(only(skill.warnings).code, Code::EmptyBody);
    }
}
