//! A skill as it comes out of an upload, whole or refused.

use std::fmt;

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use crate::{
    Finding, FindingCode, Ignored, Kind, Role, Slug,
    contents::Contents,
    finding::printable,
    front::{self, Fields, Front, Notes},
    path,
    plan::{Member, Planned},
};

/// What an upload holds.
#[derive(Debug)]
pub struct Upload {
    /// Every skill, by folder.
    pub skills: Vec<Parsed>,
    /// Every file that is part of no skill.
    pub ignored: Vec<Ignored>,
}

/// A skill that may come in, or one that may not.
#[derive(Debug)]
pub enum Parsed {
    /// It may come in.
    Ready(Box<Skill>),
    /// It may not, nor may any part of it.
    Refused(Refused),
}

/// A skill that may come in.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// Its folder in the upload, `""` for the root.
    pub folder: String,
    /// Its name in addresses: the folder's name, made into a slug; at the root its own name's.
    pub slug: Slug,
    /// Its name for people: 1–200 characters.
    pub name: String,
    /// What it does and when to use it: 1–1,024 characters.
    pub description: String,
    /// Phrases that should bring it up: up to 50 of up to 200 characters.
    pub triggers: Vec<String>,
    /// Its licence, as written.
    pub license: Option<String>,
    /// What it needs to run, as written.
    pub compatibility: Option<String>,
    /// The tools that it may use without asking.
    pub allowed_tools: Vec<String>,
    /// What its author noted beside; scalars are texts, as written.
    pub metadata: Map<String, Json>,
    /// The whole front matter, unknown keys too. A plain scalar is a number, boolean or null only
    /// where JSON writes it the same way, else the text as written.
    pub front_matter: Map<String, Json>,
    /// The path of the instructions in its folder: `SKILL.md`, or as the upload spelled it.
    pub main_path: String,
    /// The instructions, every byte as it came.
    pub instructions: Vec<u8>,
    /// Where in the instructions the body starts: after the line end of the closing `---`.
    pub body_offset: usize,
    /// Its other files, by the bytes of their paths.
    pub files: Vec<File>,
    /// What its content is known by; the crate's page says how to compute it.
    pub canonical_hash: [u8; 32],
    /// What should be better.
    pub warnings: Vec<Finding>,
}

/// A file of a skill beside its instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in the skill's folder.
    pub path: String,
    /// How it is shown.
    pub kind: Kind,
    /// What it is for.
    pub role: Role,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The SHA-256 of its content.
    pub sha256: [u8; 32],
    /// Whether its content is UTF-8.
    pub is_text: bool,
}

/// A skill that may not come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its folder in the upload, `""` for the root.
    pub folder: String,
    /// The slug that it would have had, if one could be told.
    pub slug: Option<Slug>,
    /// Why it may not come in; at least one.
    pub reasons: Vec<Finding>,
    /// What should be better beside.
    pub warnings: Vec<Finding>,
}

impl Parsed {
    /// Its folder in the upload.
    #[must_use]
    pub fn folder(&self) -> &str {
        match self {
            Self::Ready(skill) => &skill.folder,
            Self::Refused(refused) => &refused.folder,
        }
    }

    /// Its slug, if it has one.
    #[must_use]
    pub fn slug(&self) -> Option<&Slug> {
        match self {
            Self::Ready(skill) => Some(&skill.slug),
            Self::Refused(refused) => refused.slug.as_ref(),
        }
    }

    /// Makes a skill out of what was planned.
    pub(crate) fn build(planned: Planned, contents: &mut Contents) -> Self {
        let mut notes = Notes::default();
        let instructions = match planned.mains.as_slice() {
            [main] => contents.remove(&main.index).map(|bytes| (main.path.clone(), bytes)),
            _ => None,
        };
        let front = instructions.as_ref().and_then(|(_, bytes)| front::read(bytes, &mut notes));
        let name = front.as_ref().and_then(|front| front.fields.name.as_deref());
        let slug = choose_slug(&planned.folder, name, &mut notes);
        let front = front.map(|front| front.with_name(&planned.folder, &mut notes));
        if let Some((path, _)) = &instructions {
            notes.point_to(&planned.full_path(path));
        }
        let Planned { folder, files, mut reasons, mut warnings, .. } = planned;
        reasons.extend(notes.reasons);
        warnings.extend(notes.warnings);
        match (front, slug, instructions) {
            (Some(front), Some(slug), Some(main)) if reasons.is_empty() => {
                let files = files.into_iter().map(|file| File::build(file, contents)).collect();
                Self::Ready(Box::new(Skill::build(front, (folder, slug), main, files, warnings)))
            }
            (_, slug, _) => Self::Refused(Refused { folder, slug, reasons, warnings }),
        }
    }

    /// Turns the skill away for one more reason.
    pub(crate) fn refuse(self, reason: Finding) -> Self {
        Self::Refused(match self {
            Self::Ready(skill) => Refused {
                folder: skill.folder,
                slug: Some(skill.slug),
                reasons: vec![reason],
                warnings: skill.warnings,
            },
            Self::Refused(mut refused) => {
                refused.reasons.push(reason);
                refused
            }
        })
    }
}

impl Skill {
    /// The instructions without their front matter.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.instructions.get(self.body_offset..).unwrap_or_default()
    }

    fn build(
        front: Front,
        (folder, slug): (String, Slug),
        (main_path, instructions): (String, Vec<u8>),
        files: Vec<File>,
        warnings: Vec<Finding>,
    ) -> Self {
        let Front { fields, body_offset } = front;
        let canonical_hash = canonical_hash(&instructions, &files);
        let Fields { name, description, triggers, license, compatibility, .. } = fields;
        Self {
            folder,
            slug,
            name: name.unwrap_or_default(),
            description,
            triggers,
            license,
            compatibility,
            allowed_tools: fields.allowed_tools,
            metadata: fields.metadata,
            front_matter: fields.front_matter,
            main_path,
            instructions,
            body_offset,
            files,
            canonical_hash,
            warnings,
        }
    }
}

impl File {
    fn build(member: Member, contents: &mut Contents) -> Self {
        let Member { path, index, .. } = member;
        let bytes = contents.remove(&index).unwrap_or_default();
        let is_text = str::from_utf8(&bytes).is_ok();
        let kind = Kind::of(&path, &bytes, is_text);
        let role = Role::of(&path, kind);
        Self { kind, role, sha256: Sha256::digest(&bytes).into(), is_text, path, bytes }
    }
}

impl Front {
    /// The name, from the folder if it must be; noted where other readers would not take it.
    fn with_name(mut self, folder: &str, notes: &mut Notes) -> Self {
        let (_, folder) = path::split(folder);
        let name = self.fields.name.get_or_insert_with(|| {
            if folder.is_empty() {
                let message = "`name` is missing, and there is no folder to take it from";
                notes.reasons.push(Finding::new(FindingCode::NameMissing, message));
            } else {
                let message = format!("`name` is missing; the folder's, `{folder}`, is taken");
                notes.warnings.push(Finding::new(FindingCode::NameFromFolder, message));
            }
            folder.to_owned()
        });
        warn_of_name(name, folder, notes);
        self
    }
}

fn warn_of_name(name: &str, folder: &str, notes: &mut Notes) {
    let shown = printable(name);
    if !folder.is_empty() && name != folder {
        let message = format!(
            "the name `{shown}` differs from the folder `{folder}`; strict clients want them equal"
        );
        notes.warnings.push(Finding::new(FindingCode::NameDiffersFromFolder, message));
    }
    let words = name.split('-').all(|word| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    });
    if !words || name.len() > 64 {
        let message = format!(
            "strict clients want a name of at most 64 lower-case letters, digits and single \
             hyphens between them, and not `{shown}`"
        );
        notes.warnings.push(Finding::new(FindingCode::NameNotPortable, message));
    }
}

fn choose_slug(folder: &str, name: Option<&str>, notes: &mut Notes) -> Option<Slug> {
    let (_, folder) = path::split(folder);
    let source = if folder.is_empty() { name? } else { folder };
    if let Ok(slug) = source.parse() {
        return Some(slug);
    }
    let slug = Slug::from_text(source);
    let shown = printable(source);
    match &slug {
        Some(slug) if !folder.is_empty() => {
            let message = format!("the folder `{shown}` is no slug; `{slug}` is taken instead");
            notes.warnings.push(Finding::new(FindingCode::SlugChanged, message));
        }
        Some(_) => {}
        None => {
            let message =
                format!("no slug can be made of `{shown}`; it takes one of a-z or 0-9 at least");
            notes.reasons.push(Finding::new(FindingCode::NoSlug, message));
        }
    }
    slug
}

impl Notes {
    /// Says which file everything noted is about.
    fn point_to(&mut self, path: &str) {
        for finding in self.reasons.iter_mut().chain(&mut self.warnings) {
            finding.path.get_or_insert_with(|| path.to_owned());
        }
    }
}

/// The hash that the crate's page defines.
fn canonical_hash(instructions: &[u8], files: &[File]) -> [u8; 32] {
    let main = Line {
        sha256: &Sha256::digest(instructions).into(),
        size: instructions.len(),
        role: "instructions",
        path: "SKILL.md",
    };
    let mut hasher = Sha256::new_with_prefix("loadout.skill.v1\n");
    hasher.update(main.to_string());
    for file in files {
        let (sha256, size, role) = (&file.sha256, file.bytes.len(), file.role.as_str());
        hasher.update(Line { sha256, size, role, path: &file.path }.to_string());
    }
    hasher.finalize().into()
}

/// One file in what is hashed.
struct Line<'a> {
    sha256: &'a [u8; 32],
    size: usize,
    role: &'a str,
    path: &'a str,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.sha256 {
            write!(f, "{byte:02x}")?;
        }
        writeln!(f, " {} {} {}", self.size, self.role, self.path)
    }
}
