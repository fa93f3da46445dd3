//! What holds for any upload at all.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use proptest::{collection::vec, prelude::*};

use crate::support::*;

/// A skill as its author would write it.
fn rendered(name: &str, description: &str, body: &str, more: &[(String, Vec<u8>)]) -> Files {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let text =
        format!("---\nname: {}\ndescription: {}\n---\n{body}", quoted(name), quoted(description));
    let mut all = vec![("demo/SKILL.md".to_owned(), text.into_bytes())];
    all.extend(more.iter().map(|(path, bytes)| (format!("demo/{path}"), bytes.clone())));
    all
}

fn more_files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    // Files in `f/` and out of it, so that none is a folder too.
    let path = "(f/)?[a-eé ?#%]{1,8}\\.(md|py|bin)";
    let files = proptest::collection::btree_map(path, vec(any::<u8>(), 0..64), 0..6);
    files.prop_map(|files| files.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_rendered_skill_read_back_is_the_same(
        name in "[^\\p{C}\\p{Z}]{1,40}",
        description in "[^\\p{C}\\p{Z}][^\\p{C}\\p{Z} ]{0,80}[^\\p{C}\\p{Z}]",
        body in "\\PC{0,80}",
        more in more_files(),
    ) {
        let all = rendered(&name, &description, &body, &more);
        let skill = ready(read_files(all.clone()));
        prop_assert_eq!(&skill.name, &name);
        prop_assert_eq!(&skill.description, &description);
        prop_assert_eq!(skill.body(), body.as_bytes());
        let kept: Vec<_> =
            skill.files.iter().map(|file| (file.path.clone(), file.bytes.clone())).collect();
        prop_assert_eq!(&kept, &more);
        prop_assert_eq!(&ready(read_zip(&zip_of(&all))), &skill);
        prop_assert_eq!(&ready(read_tar(&tar_of(&all))), &skill);
    }

    #[test]
    fn any_front_matter_is_read_or_refused(yaml in vec(any::<u8>(), 0..200)) {
        let text = [b"---\n", yaml.as_slice(), b"\n---\nDo.\n"].concat();
        prop_assert_eq!(read_files(vec![("demo/SKILL.md".to_owned(), text)])?.skills.len(), 1);
    }

    #[test]
    fn any_yaml_like_front_matter_is_read_or_refused(yaml in "[a-c:&*\\[\\]{}|>\"'#!,\\- \n\t]{0,80}") {
        let text = format!("---\n{yaml}\n---\nDo.\n");
        prop_assert_eq!(read_files(files([("demo/SKILL.md", &text)]))?.skills.len(), 1);
    }

    #[test]
    fn any_bytes_as_an_archive_are_read_or_refused(bytes in vec(any::<u8>(), 0..400)) {
        let starts: [&[u8]; 3] = [b"", b"PK\x03\x04", b"\x1f\x8b\x08\0"];
        for start in starts {
            let bytes = [start, &bytes].concat();
            prop_assert!(read_zip(&bytes).is_err());
            prop_assert!(read_tar(&bytes).is_err());
        }
        prop_assert!(read_tar(&gzip(&bytes)).is_err());
    }

    #[test]
    fn any_damage_to_an_archive_is_survived(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let all = demo([("demo/a", "text"), ("demo/b/c", "more")]);
        let (mut zip, tar) = (zip_of(&all), tar_of(&all));
        let at_zip = at.index(zip.len());
        zip[at_zip] = byte;
        let _ = read_zip(&zip);
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&tar[..]), &mut unpacked)?;
        let at_tar = at.index(unpacked.len());
        unpacked[at_tar] = byte;
        let _ = read_tar(&gzip(&unpacked));
    }
}
