//! Zips and tars that are hostile, broken or merely odd.
use skillfile::{ArchiveKind, FindingCode as Code, Parsed, UploadError};
use tar::EntryType;

use crate::support::*;

fn with(entry: Zipped) -> Vec<u8> {
    zip(&[Zipped::new("demo/SKILL.md", HEAD.as_bytes()), entry])
}

fn tar_with(entry: Vec<u8>) -> Vec<u8> {
    tar_gz(&[tar_entry(b"demo/SKILL.md", EntryType::Regular, HEAD.as_bytes()), entry])
}

#[test]
fn a_zip_a_tar_and_plain_files_give_the_same_skill() {
    let all = demo([("demo/references/a.md", "# A"), ("demo/scripts/b.sh", "echo")]);
    let plain = ready(read_files(all.clone()));
    assert_eq!(ready(read_zip(&zip_of(&all))), plain);
    assert_eq!(ready(read_tar(&tar_of(&all))), plain);
}

#[test]
fn a_link_in_a_zip_is_refused() {
    let link = Zipped { mode: 0o120_777, ..Zipped::new("demo/link", b"/etc/passwd") };
    let reason = only(refused(read_zip(&with(link))).reasons);
    assert_eq!((reason.code, reason.path.as_deref()), (Code::Link, Some("demo/link")));
    assert!(reason.message.contains("`demo/link`"));
}

#[test]
fn a_device_in_a_zip_is_refused() {
    let device = Zipped { mode: 0o020_666, ..Zipped::new("demo/null", b"") };
    assert_eq!(only(refused(read_zip(&with(device))).reasons).code, Code::SpecialFile);
}

#[test]
fn a_link_or_device_in_a_tar_is_refused() {
    let kinds = [
        (EntryType::Symlink, Code::Link),
        (EntryType::Link, Code::Link),
        (EntryType::Char, Code::SpecialFile),
        (EntryType::Block, Code::SpecialFile),
        (EntryType::Fifo, Code::SpecialFile),
        (EntryType::new(b'?'), Code::SpecialFile),
    ];
    for (kind, code) in kinds {
        let bytes = tar_with(tar_entry(b"demo/odd", kind, b""));
        let reason = only(refused(read_tar(&bytes)).reasons);
        assert_eq!((reason.code, reason.path.as_deref()), (code, Some("demo/odd")), "{kind:?}");
    }
}

#[test]
fn a_link_of_no_skill_refuses_the_upload() {
    let bytes = tar_with(tar_entry(b"link", EntryType::Symlink, b""));
    let Err(UploadError::Entry(finding)) = read_tar(&bytes) else { panic!() };
    assert_eq!((finding.code, finding.path.as_deref()), (Code::Link, Some("link")));
}

#[test]
fn a_link_for_a_skill_md_refuses_its_skill() {
    let link = Zipped { mode: 0o120_777, ..Zipped::new("other/SKILL.md", b"../demo/SKILL.md") };
    let skills = read_zip(&with(link)).unwrap().skills;
    let [Parsed::Ready(_), Parsed::Refused(refused)] = skills.as_slice() else { panic!() };
    assert_eq!(codes(&refused.reasons), [Code::Link]);
}

#[test]
fn an_encrypted_entry_is_refused() {
    let entry = Zipped { flags: 1, ..Zipped::new("demo/a", b"secret") };
    assert_eq!(only(refused(read_zip(&with(entry))).reasons).code, Code::Encrypted);
}

#[test]
fn an_unsupported_compression_is_refused() {
    let entry = Zipped { method: 14, ..Zipped::new("demo/a", b"lzma") };
    assert_eq!(only(refused(read_zip(&with(entry))).reasons).code, Code::UnsupportedCompression);
}

#[test]
fn a_zip_that_lies_about_a_size_is_refused() {
    for declared in [0, 9, 11, u32::MAX - 1] {
        let entry = Zipped { declared, ..Zipped::new("demo/a", b"0123456789") };
        let reason = only(refused(read_zip(&with(entry))).reasons);
        assert_eq!(reason.code, Code::CorruptEntry, "{declared}");
    }
}

#[test]
fn a_wrong_checksum_refuses_the_skill() {
    let entry = Zipped { crc: 1, ..Zipped::new("demo/a", b"0123456789") };
    assert_eq!(only(refused(read_zip(&with(entry))).reasons).code, Code::CorruptEntry);
}

#[test]
fn a_zip_in_a_skill_is_an_asset() {
    let inner = zip(&[Zipped::new("SKILL.md", HEAD.as_bytes())]);
    let skill = ready(read_zip(&with(Zipped::new("demo/inner.zip", &inner))));
    assert_eq!(skill.files[0].bytes, inner);
}

#[test]
fn one_path_twice_refuses_the_skill() {
    for twin in ["demo/a", "./demo/a", "demo//a"] {
        let entries = ["demo/SKILL.md", "demo/a", twin].map(|p| Zipped::new(p, HEAD.as_bytes()));
        let reason = only(refused(read_zip(&zip(&entries))).reasons);
        assert_eq!((reason.code, reason.path.as_deref()), (Code::DuplicatePath, Some("demo/a")));
    }
}

#[test]
fn a_file_that_is_a_folder_too_refuses_the_skill() {
    let reason = only(refused(read_files(demo([("demo/a", ""), ("demo/a/b", "")]))).reasons);
    assert_eq!((reason.code, reason.path.as_deref()), (Code::FileAndFolder, Some("demo/a")));
}

#[test]
fn a_name_that_is_not_utf_8_refuses_the_skill() {
    let entry = Zipped { name: b"demo/\xe9".to_vec(), ..Zipped::new("", b"x") };
    assert_eq!(only(refused(read_zip(&with(entry))).reasons).code, Code::BadPath);
    let bytes = tar_with(tar_entry(b"demo/\xe9", EntryType::Regular, b"x"));
    assert_eq!(only(refused(read_tar(&bytes)).reasons).code, Code::BadPath);
}

#[test]
fn folders_in_an_archive_are_no_files() {
    let folder = Zipped { mode: 0o040_755, ..Zipped::new("demo/empty/", b"") };
    assert!(ready(read_zip(&with(folder))).files.is_empty());
    let bytes = tar_with(tar_entry(b"demo/empty", EntryType::Directory, b""));
    assert!(ready(read_tar(&bytes)).files.is_empty());
}

#[test]
fn what_git_archive_adds_to_a_tar_is_no_file() {
    let comment = b"52 comment=0123456789012345678901234567890123456789\n";
    let bytes = tar_with(tar_entry(b"pax_global_header", EntryType::XGlobalHeader, comment));
    let upload = read_tar(&bytes).unwrap();
    assert!(upload.ignored.is_empty());
    assert_eq!(upload.skills.len(), 1);
}

#[test]
fn an_archive_of_another_kind_is_refused() {
    let zip = zip_of(&demo([]));
    let tar = tar_of(&demo([]));
    assert!(matches!(read_tar(&zip), Err(UploadError::NotAnArchive(ArchiveKind::TarGz))));
    assert!(matches!(read_zip(&tar), Err(UploadError::NotAnArchive(ArchiveKind::Zip))));
    assert!(matches!(read_zip(b""), Err(UploadError::NotAnArchive(ArchiveKind::Zip))));
}

#[test]
fn a_truncated_archive_is_refused() {
    let zip = zip_of(&demo([("demo/a", "text")]));
    let tar = tar_of(&demo([("demo/a", "text")]));
    assert!(matches!(read_zip(&zip[..zip.len() - 30]), Err(UploadError::Corrupt { .. })));
    // The last eight bytes are gzip's checksum and length.
    for cut in [1, 8, 30] {
        let read = read_tar(&tar[..tar.len() - cut]);
        assert!(matches!(read, Err(UploadError::Corrupt { .. })), "{cut}");
    }
}

#[test]
fn a_header_that_grows_without_end_is_refused() {
    let name = vec![b'x'; 2 * 1024 * 1024];
    let bytes = tar_with(tar_entry(b"././@LongLink", EntryType::GNULongName, &name));
    let Err(UploadError::Corrupt { cause, .. }) = read_tar(&bytes) else { panic!() };
    assert!(cause.contains("headers"), "{cause}");
}

#[test]
fn an_empty_zip_has_no_skill() {
    assert!(matches!(read_zip(&zip(&[])), Err(UploadError::NoSkill { files: 0 })));
}
