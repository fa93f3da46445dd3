//! Uploads made by hand: files, tars, and zips that say what they like about themselves.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
use std::io::Write;

use flate2::{Compression, write::DeflateEncoder, write::GzEncoder};
use skillfile::{
    Finding, FindingCode, Limits, Parsed, Refused, Skill, Source, Upload, UploadError, read,
};

pub(crate) const HEAD: &str = "---\nname: demo\ndescription: Does it.\n---\n";

/// Files of an upload.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

pub(crate) fn files<const N: usize>(files: [(&str, &str); N]) -> Files {
    files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).to_vec()
}

/// A whole skill in `demo/` beside the given files.
pub(crate) fn demo<const N: usize>(more: [(&str, &str); N]) -> Files {
    let mut all = files([("demo/SKILL.md", &format!("{HEAD}Do it.\n"))]);
    all.extend(files(more));
    all
}

pub(crate) fn read_files(files: Files) -> Result<Upload, UploadError> {
    read(Source::Files(files), &Limits::default())
}

pub(crate) fn read_zip(bytes: &[u8]) -> Result<Upload, UploadError> {
    read(Source::Zip(bytes), &Limits::default())
}

pub(crate) fn read_tar(bytes: &[u8]) -> Result<Upload, UploadError> {
    read(Source::TarGz(bytes), &Limits::default())
}

/// The only skill of an upload, which must be ready.
pub(crate) fn ready(upload: Result<Upload, UploadError>) -> Skill {
    let mut skills = upload.unwrap().skills;
    assert_eq!(skills.len(), 1, "{skills:?}");
    match skills.remove(0) {
        Parsed::Ready(skill) => *skill,
        Parsed::Refused(refused) => panic!("{refused:?}"),
    }
}

/// The only skill of an upload, which must be refused.
pub(crate) fn refused(upload: Result<Upload, UploadError>) -> Refused {
    let mut skills = upload.unwrap().skills;
    assert_eq!(skills.len(), 1, "{skills:?}");
    match skills.remove(0) {
        Parsed::Refused(refused) => refused,
        Parsed::Ready(skill) => panic!("{skill:?}"),
    }
}

/// The skill whose `SKILL.md` is this text, in the folder `demo`.
pub(crate) fn skill(text: &str) -> Skill {
    ready(read_files(files([("demo/SKILL.md", text)])))
}

/// The only reason against the skill whose `SKILL.md` is this text.
pub(crate) fn reason(text: impl AsRef<[u8]>) -> Finding {
    let file = ("demo/SKILL.md".to_owned(), text.as_ref().to_vec());
    only(refused(read_files(vec![file])).reasons)
}

pub(crate) fn only(mut findings: Vec<Finding>) -> Finding {
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings.remove(0)
}

pub(crate) fn codes(findings: &[Finding]) -> Vec<FindingCode> {
    findings.iter().map(|finding| finding.code).collect()
}

pub(crate) fn find(findings: &[Finding], code: FindingCode) -> &Finding {
    findings.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("{findings:?}"))
}

pub(crate) fn paths(skill: &Skill) -> Vec<&str> {
    skill.files.iter().map(|file| file.path.as_str()).collect()
}

/// An entry of a zip, with all that it says about itself.
#[derive(Clone, Debug)]
pub(crate) struct Zipped {
    pub(crate) name: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) declared: u32,
    pub(crate) crc: u32,
    pub(crate) packed: Vec<u8>,
    /// The earlier entry whose bytes it shares.
    pub(crate) shares: Option<usize>,
}

impl Zipped {
    pub(crate) fn new(name: &str, content: &[u8]) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            mode: 0o100_644,
            flags: 0,
            method: 8,
            declared: u32::try_from(content.len()).unwrap(),
            crc: crc32fast::hash(content),
            packed: deflate(content),
            shares: None,
        }
    }
}

pub(crate) fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Deflated zeros: `count` times `chunk` bytes of them, made quickly by repeating one chunk.
pub(crate) fn deflated_zeros(chunk: usize, count: usize) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; chunk]).unwrap();
    encoder.flush().unwrap();
    let mut packed = encoder.get_ref().repeat(count);
    packed.extend([0x03, 0x00]);
    packed
}

pub(crate) fn zip(entries: &[Zipped]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut offsets = Vec::new();
    for entry in entries {
        let offset = entry.shares.map(|index| offsets[index]);
        offsets.push(offset.unwrap_or(bytes.len()));
        if offset.is_none() {
            bytes.extend(b"PK\x03\x04");
            header(&mut bytes, entry);
            bytes.extend(&entry.name);
            bytes.extend(&entry.packed);
        }
    }
    let start = bytes.len();
    for (entry, offset) in entries.iter().zip(&offsets) {
        bytes.extend(b"PK\x01\x02\x14\x03");
        header(&mut bytes, entry);
        bytes.extend([0; 8][..6].iter());
        bytes.extend((entry.mode << 16).to_le_bytes());
        bytes.extend(u32::try_from(*offset).unwrap().to_le_bytes());
        bytes.extend(&entry.name);
    }
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    let size = u32::try_from(bytes.len() - start).unwrap().to_le_bytes();
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend([size, u32::try_from(start).unwrap().to_le_bytes()].concat());
    bytes.extend([0, 0]);
    bytes
}

// The part that a local and a central header share.
fn header(bytes: &mut Vec<u8>, entry: &Zipped) {
    bytes.extend([20, 0]);
    for field in [entry.flags, entry.method, 0, 0x21] {
        bytes.extend(field.to_le_bytes());
    }
    for field in [entry.crc, u32::try_from(entry.packed.len()).unwrap(), entry.declared] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(u16::try_from(entry.name.len()).unwrap().to_le_bytes());
    bytes.extend([0, 0]);
}

pub(crate) fn zip_of(files: &Files) -> Vec<u8> {
    zip(&files.iter().map(|(path, bytes)| Zipped::new(path, bytes)).collect::<Vec<_>>())
}

/// An entry of a tar that is a file unless it says otherwise.
pub(crate) fn tar_entry(name: &[u8], kind: tar::EntryType, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    let padding = content.len().next_multiple_of(512) - content.len();
    [header.as_bytes().as_slice(), content, &vec![0; padding]].concat()
}

pub(crate) fn tar_gz(entries: &[Vec<u8>]) -> Vec<u8> {
    gzip(&[entries.concat(), vec![0; 1024]].concat())
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn tar_of(files: &Files) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, path, bytes.as_slice()).unwrap();
    }
    gzip(&builder.into_inner().unwrap())
}
