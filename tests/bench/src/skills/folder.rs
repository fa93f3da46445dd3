//! Skills in a folder and its folders, read as an import reads them.
use std::{fs, path::Path};

use anyhow::Context;
use skillfile::{Limits, Parsed, Source};

use super::Skill;

type Files = Vec<(String, Vec<u8>)>;

/// Every skill that would come in, by slug, each slug once; none where there is no such folder.
pub(super) fn read(root: &Path) -> anyhow::Result<Vec<Skill>> {
    if !root.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Files::new();
    add_folder(root, root, &mut files)?;
    let reading = || format!("reading the skills in `{}`", root.display());
    let upload = skillfile::read(Source::Files(files), &Limits::default()).with_context(reading)?;
    let mut skills: Vec<Skill> = upload.skills.into_iter().filter_map(ready).collect();
    skills.sort_by(|one, other| one.slug.cmp(&other.slug));
    skills.dedup_by(|one, other| one.slug == other.slug);
    Ok(skills)
}

fn ready(parsed: Parsed) -> Option<Skill> {
    let Parsed::Ready(skill) = parsed else { return None };
    let body = String::from_utf8_lossy(skill.body()).into_owned();
    let files = skill.files.into_iter().map(|file| (file.path, file.bytes.into())).collect();
    let (slug, name, description) = (skill.slug.as_str().to_owned(), skill.name, skill.description);
    Some(Skill { slug, name, description, body, files })
}

fn add_folder(root: &Path, folder: &Path, files: &mut Files) -> anyhow::Result<()> {
    let reading = |path: &Path| format!("reading `{}`", path.display());
    for entry in fs::read_dir(folder).with_context(|| reading(folder))? {
        let entry = entry.with_context(|| reading(folder))?;
        let (path, kind) = (entry.path(), entry.file_type().with_context(|| reading(folder))?);
        if kind.is_dir() {
            add_folder(root, &path, files)?;
        } else if kind.is_file() {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((name, fs::read(&path).with_context(|| reading(&path))?));
        }
    }
    Ok(())
}
