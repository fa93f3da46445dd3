//! Which file belongs to which skill, decided by paths and sizes alone.

use std::collections::{BTreeMap, HashSet};

use crate::{
    Finding, FindingCode, Ignored, IgnoredReason, Limits, UploadError,
    contents::Wanted,
    finding::printable,
    path::{self, FILE_PATH_BYTES, UPLOAD_PATH_SEGMENTS},
    survey::Entry,
    twins,
};

/// What is to become of an upload.
pub(crate) struct Plan {
    /// By folder.
    pub(crate) skills: Vec<Planned>,
    pub(crate) ignored: Vec<Ignored>,
}

/// A folder that holds a `SKILL.md`.
#[derive(Default)]
pub(crate) struct Planned {
    /// Its path in the upload, `""` for the root.
    pub(crate) folder: String,
    /// Its `SKILL.md`, in every spelling that it has.
    pub(crate) mains: Vec<Member>,
    pub(crate) files: Vec<Member>,
    pub(crate) reasons: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

/// A file of a skill.
pub(crate) struct Member {
    /// Its path in the skill's folder.
    pub(crate) path: String,
    pub(crate) index: usize,
    pub(crate) size: u64,
}

/// An entry with its place in the upload, if it can have one.
struct Located {
    entry: Entry,
    path: Option<String>,
}

type Skills = BTreeMap<String, Planned>;

/// Gives every entry to the skill that owns it.
pub(crate) fn plan(entries: Vec<Entry>, limits: &Limits) -> Result<Plan, UploadError> {
    let files = entries.len();
    let mut ignored = Vec::new();
    let mut located = Vec::new();
    for entry in entries {
        match path::junk(&entry.path) {
            Some(reason) => ignored.push(Ignored { path: printable(&entry.path), reason }),
            None => located.push(locate(entry)),
        }
    }
    refuse_duplicates(&mut located);
    let mut skills = find_skills(&located);
    for Located { entry, path } in located {
        ignored.extend(give(&mut skills, entry, path)?);
    }
    if skills.is_empty() {
        return Err(UploadError::NoSkill { files });
    }
    warn_parents(&mut skills);
    let mut skills: Vec<Planned> = skills.into_values().collect();
    for skill in &mut skills {
        skill.check(limits);
    }
    Ok(Plan { skills, ignored })
}

impl Plan {
    /// The entries to read: all of a skill that may come in, and the instructions of one that may
    /// not, so that it is told everything that is wrong with it at once.
    pub(crate) fn wanted(&self) -> Wanted {
        let members = self.skills.iter().flat_map(|skill| {
            let files = skill.reasons.is_empty().then_some(&skill.files);
            skill.mains.iter().chain(files.into_iter().flatten())
        });
        members.map(|member| (member.index, member.size)).collect()
    }
}

impl Planned {
    /// The path in the upload of a file of this skill.
    pub(crate) fn full_path(&self, path: &str) -> String {
        if self.folder.is_empty() { path.to_owned() } else { format!("{}/{path}", self.folder) }
    }

    fn check(&mut self, limits: &Limits) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.check_sizes(limits);
        self.check_lengths();
        self.check_spelling();
        // Looking for these takes long where paths are many or long, and those are refused anyway.
        if self.reasons.is_empty() {
            self.check_conflicts();
        }
    }

    fn check_sizes(&mut self, limits: &Limits) {
        let members = || self.mains.iter().chain(&self.files);
        let (limit, actual) = (limits.files_per_skill, members().count());
        if actual > limit {
            let message = format!("a skill may have {limit} files, and this one has {actual}");
            self.reasons.push(Finding::new(FindingCode::TooManyFiles, message));
        }
        let limit = limits.bytes_per_skill;
        let actual: u64 = members().map(|file| file.size).sum();
        if actual > limit {
            let message = format!("a skill may have {limit} bytes, and this one has {actual}");
            self.reasons.push(Finding::new(FindingCode::TooManyBytes, message));
        }
    }

    fn check_lengths(&mut self) {
        for file in &self.files {
            let bytes = file.path.len();
            if bytes > FILE_PATH_BYTES {
                let why =
                    format!("it has {bytes} bytes in its skill, and {FILE_PATH_BYTES} are allowed");
                self.reasons.push(path::refused(&self.full_path(&file.path), &why));
            }
        }
    }

    fn check_conflicts(&mut self) {
        let paths = || self.mains.iter().chain(&self.files).map(|file| file.path.as_str());
        let located = |finding: Finding| match &finding.path {
            Some(path) => Finding { path: Some(self.full_path(path)), ..finding },
            None => finding,
        };
        let conflicts: Vec<_> = twins::files_as_folders(paths()).map(located).collect();
        let alike: Vec<_> = twins::alike(paths()).map(located).collect();
        self.reasons.extend(conflicts);
        self.warnings.extend(alike);
    }

    fn check_spelling(&mut self) {
        let spellings: Vec<String> =
            self.mains.iter().map(|main| format!("`{}`", self.full_path(&main.path))).collect();
        match self.mains.as_slice() {
            [] => {}
            [main] if main.path == "SKILL.md" => {}
            [main] => {
                let message = format!("`{}` is not spelled `SKILL.md`, as it should be", main.path);
                let finding = Finding::new(FindingCode::InstructionsSpelling, message);
                self.warnings.push(finding.at(self.full_path(&main.path)));
            }
            _ => {
                let message = format!(
                    "a skill has one `SKILL.md`, and this one has {}",
                    spellings.join(", ")
                );
                self.reasons.push(Finding::new(FindingCode::TwoInstructions, message));
            }
        }
    }
}

fn locate(mut entry: Entry) -> Located {
    let path = match path::normalize(&entry.path) {
        Ok(path) => Some(path),
        Err(finding) => {
            entry.trouble = entry.trouble.or(Some(finding));
            None
        }
    };
    Located { entry, path }
}

fn refuse_duplicates(located: &mut [Located]) {
    let mut seen = HashSet::new();
    for Located { entry, path } in located {
        let Some(path) = path else { continue };
        if !seen.insert(path.clone()) && entry.trouble.is_none() {
            let message = format!("the path `{path}` is there twice");
            entry.trouble =
                Some(Finding::new(FindingCode::DuplicatePath, message).at(path.clone()));
        }
    }
}

fn find_skills(located: &[Located]) -> Skills {
    let paths = located.iter().filter_map(|located| located.path.as_deref());
    let folders = paths.map(path::split).filter(|(_, file)| is_instructions(file));
    folders
        .map(|(folder, _)| folder.to_owned())
        .map(|folder| (folder.clone(), Planned { folder, ..Planned::default() }))
        .collect()
}

fn is_instructions(file: &str) -> bool {
    file.eq_ignore_ascii_case("SKILL.md")
}

fn give(
    skills: &mut Skills,
    entry: Entry,
    path: Option<String>,
) -> Result<Option<Ignored>, UploadError> {
    let owner = match &path {
        Some(path) => owner(skills, path),
        None => claimed_owner(skills, &entry.path),
    };
    let skill = owner.and_then(|folder| skills.get_mut(&folder));
    match (entry.trouble, path, skill) {
        (Some(trouble), _, Some(skill)) => skill.reasons.push(trouble),
        (Some(trouble), _, None) => return Err(UploadError::Entry(trouble)),
        (None, Some(path), Some(skill)) => skill.take(entry.index, entry.size, &path),
        (None, path, _) => {
            let path = path.unwrap_or(entry.path);
            return Ok(Some(Ignored { path, reason: IgnoredReason::OutsideSkills }));
        }
    }
    Ok(None)
}

impl Planned {
    fn take(&mut self, index: usize, size: u64, path: &str) {
        let inside = path.strip_prefix(self.folder.as_str()).unwrap_or(path);
        let path = inside.trim_start_matches('/').to_owned();
        let is_main = is_instructions(&path);
        let member = Member { path, index, size };
        if is_main { self.mains.push(member) } else { self.files.push(member) }
    }
}

fn owner(skills: &Skills, path: &str) -> Option<String> {
    let (folder, _) = path::split(path);
    path::and_above(folder).find(|folder| skills.contains_key(*folder)).map(str::to_owned)
}

/// The skill that a path which is not allowed claims to be in, read as far as it makes sense.
fn claimed_owner(skills: &Skills, raw: &str) -> Option<String> {
    let slashed = raw.replace('\\', "/");
    let sensible: Vec<&str> = path::segments(&slashed)
        .take_while(|segment| *segment != "..")
        .take(UPLOAD_PATH_SEGMENTS)
        .collect();
    owner(skills, &format!("{}/_", sensible.join("/")))
}

fn warn_parents(skills: &mut Skills) {
    let folders: Vec<String> = skills.keys().cloned().collect();
    for folder in folders.iter().filter(|folder| !folder.is_empty()) {
        let Some(parent) = owner(skills, folder) else { continue };
        let message = format!("`{folder}` is a skill of its own and no part of this one");
        let finding = Finding::new(FindingCode::NestedSkill, message).at(folder.clone());
        if let Some(parent) = skills.get_mut(&parent) {
            parent.warnings.push(finding);
        }
    }
}
