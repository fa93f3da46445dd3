//! Front matter in every form that authors write it in.
use skillfile::FindingCode as Code;

use crate::support::*;

fn with(lines: &str) -> String {
    format!("---\nname: demo\ndescription: Does.\n{lines}\n---\nDo it.\n")
}

#[test]
fn a_whole_front_matter_is_understood() {
    let skill = skill(&with(
        "license: MIT\ncompatibility: Needs git\nallowed-tools: Bash(git add, git rm) Read, Write\n\
         metadata:\n  version: 1.10\n  public: true\ntriggers: [red build, fix CI]",
    ));
    assert_eq!(skill.license.as_deref(), Some("MIT"));
    assert_eq!(skill.compatibility.as_deref(), Some("Needs git"));
    assert_eq!(skill.allowed_tools, ["Bash(git add, git rm)", "Read", "Write"]);
    assert_eq!(skill.metadata["version"], "1.10");
    assert_eq!(skill.metadata["public"], "true");
    assert_eq!(skill.front_matter["metadata"]["public"], true);
    assert_eq!(skill.triggers, ["red build", "fix CI"]);
    assert!(skill.warnings.is_empty(), "{:?}", skill.warnings);
}

#[test]
fn triggers_are_a_list_or_a_text_under_four_names() {
    for key in ["triggers", "trigger phrases", "trigger-phrases", "trigger_phrases"] {
        for value in [": [a b, c]", ":\n  - a b\n  - c", ": a b, c", ": |\n  a b\n  c"] {
            let skill = skill(&with(&format!("{key}{value}")));
            assert_eq!(skill.triggers, ["a b", "c"], "{key}{value}");
            assert!(skill.warnings.is_empty());
        }
    }
}

#[test]
fn there_are_at_most_50_triggers_of_200_characters() {
    let many = |count: usize| with(&format!("triggers: [{}]", vec!["x"; count].join(", ")));
    assert_eq!(skill(&many(50)).triggers.len(), 50);
    let reason51 = reason(many(51));
    assert_eq!(reason51.code, Code::TooManyTriggers);
    assert!(reason51.message.contains("50") && reason51.message.contains("51"));
    let long = |chars: usize| with(&format!("triggers: ['{}']", "語".repeat(chars)));
    assert_eq!(skill(&long(200)).triggers.len(), 1);
    let reason201 = reason(long(201));
    assert_eq!(reason201.code, Code::TriggerLength);
    assert!(reason201.message.contains("200") && reason201.message.contains("201"));
    assert!(reason201.message.contains('語'));
    assert_eq!(reason(with("triggers: {a: b}")).code, Code::WrongType);
}

#[test]
fn a_name_has_1_to_200_characters_and_is_the_folders_where_it_is_missing() {
    let named = |line: &str| format!("---\n{line}\ndescription: Does.\n---\nDo.\n");
    assert_eq!(skill(&named(&format!("name: {}", "é".repeat(200)))).name.chars().count(), 200);
    let long = reason(named(&format!("name: {}", "é".repeat(201))));
    assert_eq!(long.code, Code::NameLength);
    assert!(long.message.contains("200") && long.message.contains("201"));
    for line in ["", "name:", "name: ''", "name: ~"] {
        let skill = skill(&named(line));
        assert_eq!(skill.name, "demo");
        assert_eq!(codes(&skill.warnings), [Code::NameFromFolder], "{line}");
    }
}

#[test]
fn a_name_that_strict_clients_refuse_is_warned_of() {
    let of = |name: &str| {
        let text = format!("---\nname: {name}\ndescription: Does.\n---\nDo.\n");
        let all = files([(&format!("{name}/SKILL.md"), &text)]);
        codes(&ready(read_files(all)).warnings)
    };
    for name in ["a", "a-b-1", &"a".repeat(64)] {
        assert!(of(name).is_empty(), "{name}");
    }
    for name in ["a_b", "a--b"] {
        assert_eq!(of(name), [Code::NameNotPortable], "{name}");
    }
    for name in ["A", &"a".repeat(65)] {
        assert_eq!(of(name), [Code::SlugChanged, Code::NameNotPortable], "{name}");
    }
}

#[test]
fn compatibility_over_500_characters_is_warned_of_and_kept() {
    let of = |chars: usize| skill(&with(&format!("compatibility: {}", "x".repeat(chars))));
    assert!(of(500).warnings.is_empty());
    let over = of(501);
    assert_eq!(over.compatibility.map(|text| text.len()), Some(501));
    let warning = only(over.warnings);
    assert_eq!((warning.code, warning.line), (Code::CompatibilityLength, Some(4)));
    assert!(warning.message.contains("500") && warning.message.contains("501"));
}

#[test]
fn an_optional_field_of_another_form_is_kept_with_a_warning() {
    for line in
        ["license: [MIT]", "compatibility: {a: b}", "metadata: text", "allowed-tools: {a: b}"]
    {
        let skill = skill(&with(line));
        assert_eq!(only(skill.warnings).code, Code::NotUnderstood, "{line}");
        assert_eq!(skill.front_matter.len(), 3);
    }
}

#[test]
fn a_file_without_front_matter_is_refused_saying_what_is_expected() {
    for text in ["# Demo\n", " ---\nname: demo\n---\n", "\n---\nname: demo\n---\n", "----\n---\n"] {
        let reason = reason(text);
        assert_eq!(reason.code, Code::FrontMatterMissing, "{text:?}");
        assert!(reason.message.contains("`---`") && reason.message.contains("`name"));
    }
}

#[test]
fn a_key_that_is_there_twice_is_refused_with_both_lines() {
    let reason = reason(with("license: a\nlicense: b"));
    assert_eq!((reason.code, reason.line), (Code::DuplicateKey, Some(5)));
    assert!(reason.message.contains("`license`") && reason.message.contains("line 4"));
}

#[test]
fn a_skill_md_that_is_not_utf_8_is_refused_with_the_byte() {
    let reason = reason([HEAD.as_bytes(), b"caf\xe9"].concat());
    assert_eq!(reason.code, Code::InstructionsNotUtf8);
    assert!(reason.message.contains(&format!("byte {}", HEAD.len() + 3)), "{reason:?}");
}

#[test]
fn small_anchors_work() {
    let skill = skill("---\nname: &n demo\ndescription: Does.\nmetadata: {a: *n}\n---\nDo.\n");
    assert_eq!(skill.metadata["a"], "demo");
}

#[test]
fn an_alias_of_itself_is_refused() {
    assert_eq!(reason(with("metadata: &a {b: *a}")).code, Code::FrontMatterTooComplex);
}

#[test]
fn deep_nesting_is_refused() {
    for levels in [40, 30_000] {
        let lists = format!("metadata: {}{}", "[".repeat(levels), "]".repeat(levels));
        let found = reason(with(&lists)).code;
        assert!(matches!(found, Code::FrontMatterInvalid | Code::FrontMatterTooComplex));
    }
    let chain: Vec<_> = (1..40).map(|n| format!("a{n}: &a{n} [*a{}]", n - 1)).collect();
    let found = reason(with(&format!("a0: &a0 x\n{}", chain.join("\n"))));
    assert_eq!(found.code, Code::FrontMatterTooComplex);
}

#[test]
fn an_aliased_text_is_counted_as_often_as_it_stands() {
    let aliases = |count: usize| vec!["*t"; count].join(", ");
    let of = |count| with(&format!("a: &t {}\nb: [{}]", "x".repeat(1000), aliases(count)));
    assert_eq!(skill(&of(200)).front_matter["b"][199], "x".repeat(1000));
    assert_eq!(reason(of(300)).code, Code::FrontMatterTooComplex);
}

#[test]
fn a_nul_in_a_text_is_refused() {
    assert_eq!(reason(with("license: \"a\\0b\"")).code, Code::FrontMatterInvalid);
}

#[test]
fn several_values_with_colons_are_all_named() {
    let text = "---\nname: demo\ndescription: a: b\nlicense: 'x: y'\ncompatibility: c:\n---\nDo.\n";
    let skill = skill(text);
    assert_eq!(skill.description, "a: b");
    assert_eq!(skill.compatibility.as_deref(), Some("c:"));
    let lines: Vec<_> = skill.warnings.iter().filter_map(|warning| warning.line).collect();
    assert_eq!(lines, [3, 5]);
}

#[test]
fn front_matter_that_is_not_yaml_is_refused_with_the_line() {
    let reason = reason(with("license: [MIT"));
    assert_eq!(reason.code, Code::FrontMatterInvalid);
    assert!(reason.line.is_some_and(|line| line >= 4), "{reason:?}");
    assert!(reason.message.contains("line"));
}

#[test]
fn three_dots_close_front_matter_too() {
    let skill = skill("---\nname: demo\ndescription: Does.\n...\nDo.\n");
    assert_eq!(skill.body(), b"Do.\n");
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let name = "x".repeat(201);
    let text = format!("---\nname: {name}\ntriggers: {{a: b}}\n---\nDo.\n");
    let mut all = files([("demo/SKILL.md", text.as_str())]);
    all.push((format!("demo/{}", "x".repeat(300)), vec![]));
    let found = codes(&refused(read_files(all)).reasons);
    assert_eq!(found, [Code::BadPath, Code::NameLength, Code::DescriptionMissing, Code::WrongType]);
}
