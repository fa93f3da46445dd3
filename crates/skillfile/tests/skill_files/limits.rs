//! Every limit: at it, and one over it.
use skillfile::{FindingCode as Code, Limits, Source, UploadError, read};

use crate::support::*;

const MIB: usize = 1024 * 1024;

/// A skill of exactly so many bytes.
fn skill_of(bytes: usize) -> Files {
    let mut all = demo([]);
    let filling = bytes - all[0].1.len();
    all.push(("demo/filling.bin".to_owned(), vec![0; filling]));
    all
}

#[test]
fn the_limits_are_as_documented() {
    let Limits { files_per_skill, bytes_per_skill, bytes_per_upload, entries_per_upload } =
        Limits::default();
    assert_eq!((files_per_skill, entries_per_upload), (512, 20_000));
    assert_eq!((bytes_per_skill, bytes_per_upload), (16 << 20, 64 << 20));
}

#[test]
fn a_skill_has_at_most_512_files() {
    let with = |count: usize| {
        let mut all = demo([]);
        all.extend((1..count).map(|n| (format!("demo/{n}"), vec![])));
        all
    };
    assert_eq!(ready(read_files(with(512))).files.len(), 511);
    let reason = only(refused(read_files(with(513))).reasons);
    assert_eq!(reason.code, Code::TooManyFiles);
    assert!(reason.message.contains("512") && reason.message.contains("513"));
}

#[test]
fn a_skill_has_at_most_16_mib() {
    let at = skill_of(16 * MIB);
    let over = skill_of(16 * MIB + 1);
    for upload in [read_files(at.clone()), read_zip(&zip_of(&at)), read_tar(&tar_of(&at))] {
        assert_eq!(ready(upload).files.len(), 1);
    }
    for upload in [read_files(over.clone()), read_zip(&zip_of(&over)), read_tar(&tar_of(&over))] {
        let reason = only(refused(upload).reasons);
        assert_eq!(reason.code, Code::TooManyBytes);
        assert!(reason.message.contains("16777216") && reason.message.contains("16777217"));
    }
}

#[test]
fn a_skill_over_its_limit_takes_no_other_with_it() {
    let mut all = skill_of(16 * MIB + 1);
    all.extend(files([("other/SKILL.md", HEAD)]));
    let skills = read_zip(&zip_of(&all)).unwrap().skills;
    assert!(matches!(skills[1], skillfile::Parsed::Ready(_)));
}

#[test]
fn an_upload_has_at_most_64_mib_as_sent() {
    let mut all = demo([]);
    let filling = 64 * MIB - all[0].1.len();
    all.push(("outside.bin".to_owned(), vec![0; filling]));
    assert!(read_files(all.clone()).is_ok());
    all[1].1.push(0);
    let error = read_files(all).unwrap_err();
    assert!(matches!(error, UploadError::Sent { .. }));
    assert!(error.to_string().contains("67108864"), "{error}");
    assert!(error.to_string().contains("67108865"), "{error}");
    let sent = vec![0; 64 * MIB + 1];
    assert!(matches!(read_zip(&sent), Err(UploadError::Sent { actual: 67_108_865, .. })));
    assert!(matches!(read_tar(&sent), Err(UploadError::Sent { actual: 67_108_865, .. })));
}

#[test]
fn an_upload_unpacks_to_at_most_64_mib() {
    let mut all = demo([]);
    let filling = 64 * MIB - all[0].1.len();
    all.push(("outside.bin".to_owned(), vec![0; filling]));
    assert!(read_zip(&zip_of(&all)).is_ok());
    assert!(read_tar(&tar_of(&all)).is_ok());
    all[1].1.push(0);
    for upload in [read_zip(&zip_of(&all)), read_tar(&tar_of(&all))] {
        let error = upload.unwrap_err();
        assert!(matches!(error, UploadError::Unpacked { .. }));
        assert!(error.to_string().contains("more than 67108864"), "{error}");
    }
}

#[test]
fn an_upload_has_at_most_so_many_entries() {
    let limits = |entries_per_upload| Limits { entries_per_upload, ..Limits::default() };
    let all = demo([("demo/a", ""), ("demo/b", "")]);
    let (zip, tar) = (zip_of(&all), tar_of(&all));
    for source in [Source::Zip(&zip), Source::TarGz(&tar), Source::Files(all.clone())] {
        assert!(read(source, &limits(3)).is_ok());
    }
    for source in [Source::Zip(&zip), Source::TarGz(&tar), Source::Files(all)] {
        let error = read(source, &limits(2)).unwrap_err();
        assert!(matches!(error, UploadError::Entries { limit: 2, .. }), "{error}");
    }
}

#[test]
fn one_entry_that_grows_to_4_gb_is_refused_at_the_limit() {
    let packed = deflated_zeros(MIB, 4095);
    let declared = 4095 << 20;
    let honest = Zipped { declared, packed, ..Zipped::new("demo/zeros", b"") };
    let skill = Zipped::new("demo/SKILL.md", HEAD.as_bytes());
    let lying = Zipped { declared: 10, ..honest.clone() };
    let error = read_zip(&zip(&[skill.clone(), honest])).unwrap_err();
    assert!(matches!(error, UploadError::Unpacked { limit: 67_108_864 }));
    let reason = only(refused(read_zip(&zip(&[skill, lying]))).reasons);
    assert_eq!(reason.code, Code::CorruptEntry);
}

#[test]
fn a_tar_that_grows_to_gigabytes_is_refused_at_the_limit() {
    let mut header = tar::Header::new_gnu();
    header.set_path("demo/zeros").unwrap();
    header.set_size(8 << 30);
    header.set_cksum();
    let content = vec![0; 65 * MIB];
    let bytes = gzip(&[header.as_bytes().as_slice(), &content].concat());
    assert!(matches!(read_tar(&bytes), Err(UploadError::Unpacked { .. })));
}
