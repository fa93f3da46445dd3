//! Skills as gzipped tars.
use anyhow::Context;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use tar::{Builder, Header};

use super::Skill;

/// How much one upload holds unpacked, at most: half of what the product takes.
const UPLOAD_BYTES: usize = 32 << 20;
/// How many skills one upload holds, at most, so that there is progress to show.
const UPLOAD_SKILLS: usize = 500;

/// The skills in uploads that are small enough, in their order.
pub(crate) fn uploads(skills: Vec<Skill>) -> Vec<Vec<Skill>> {
    let mut uploads: Vec<Vec<Skill>> = Vec::new();
    let mut bytes = usize::MAX;
    for skill in skills {
        let size = size(&skill);
        let is_full = uploads.last().is_none_or(|last| last.len() >= UPLOAD_SKILLS);
        if is_full || bytes.saturating_add(size) > UPLOAD_BYTES {
            uploads.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(last) = uploads.last_mut() {
            last.push(skill);
        }
    }
    uploads
}

/// An archive with a folder for each skill.
pub(crate) fn archive(skills: &[Skill]) -> anyhow::Result<Bytes> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for skill in skills {
        add(&mut archive, skill).with_context(|| format!("packing `{}`", skill.slug))?;
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish).context("packing skills")?;
    Ok(packed.into())
}

fn add(archive: &mut Builder<GzEncoder<Vec<u8>>>, skill: &Skill) -> std::io::Result<()> {
    let document = ("SKILL.md".to_owned(), Bytes::from(skill.document()));
    for (path, bytes) in std::iter::once(&document).chain(&skill.files) {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("{}/{path}", skill.slug), bytes.as_ref())?;
    }
    Ok(())
}

fn size(skill: &Skill) -> usize {
    let files: usize = skill.files.iter().map(|(_, bytes)| bytes.len()).sum();
    skill.document().len() + files
}

#[cfg(test)]
mod tests {
    use skillfile::{Limits, Parsed, Source};

    use super::*;

    fn skill(number: usize, bytes: usize) -> Skill {
        let mut skill = Skill::described(format!("s{number}"), "Name", "What it does.");
        skill.files.push(("references/a.md".into(), vec![b'a'; bytes].into()));
        skill
    }

    #[test]
    fn an_upload_holds_five_hundred_skills_and_no_more() {
        let sizes = |count| -> Vec<usize> {
            uploads((0..count).map(|number| skill(number, 1)).collect())
                .iter()
                .map(Vec::len)
                .collect()
        };
        assert_eq!(sizes(500), [500]);
        assert_eq!(sizes(501), [500, 1]);
    }

    #[test]
    fn an_upload_is_not_larger_than_its_bytes() {
        let large = (0..3).map(|number| skill(number, UPLOAD_BYTES / 2 - 100)).collect();
        assert_eq!(uploads(large).iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn an_archive_is_read_as_the_skills_that_were_packed() {
        let packed = archive(&[skill(1, 9), skill(2, 9)]).unwrap();
        let upload = skillfile::read(Source::TarGz(&packed), &Limits::default()).unwrap();
        let ready = upload.skills.iter().filter(|skill| matches!(skill, Parsed::Ready(_)));
        assert_eq!((ready.count(), upload.ignored.len()), (2, 0));
    }
}
