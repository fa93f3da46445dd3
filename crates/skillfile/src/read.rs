//! From an upload to its skills.

use std::collections::BTreeMap;

use crate::{Finding, FindingCode, Limits, Parsed, Slug, Source, Upload, UploadError, plan};

/// Reads an upload.
///
/// Every skill in it is either ready or refused with its reasons; one that is refused takes none of
/// the others with it. The whole upload is refused where it is too large, damaged, without a skill,
/// or has an entry that must be refused and belongs to no skill.
pub fn read(source: Source<'_>, limits: &Limits) -> Result<Upload, UploadError> {
    let plan = plan::plan(source.survey(limits)?, limits)?;
    let mut contents = source.contents(&plan.wanted(), limits)?;
    let built = plan.skills.into_iter().map(|planned| Parsed::build(planned, &mut contents));
    Ok(Upload { skills: refuse_equal_slugs(built.collect()), ignored: plan.ignored })
}

/// Which of two skills a slug would mean cannot be told, so neither comes in.
fn refuse_equal_slugs(skills: Vec<Parsed>) -> Vec<Parsed> {
    let mut folders: BTreeMap<Slug, Vec<String>> = BTreeMap::new();
    for skill in &skills {
        if let Some(slug) = skill.slug() {
            folders.entry(slug.clone()).or_default().push(shown(skill.folder()));
        }
    }
    let refused = |skill: Parsed| match skill.slug().and_then(|slug| folders.get_key_value(slug)) {
        Some((slug, folders)) if folders.len() > 1 => {
            let message = format!(
                "the slug `{slug}` is that of {} skills: {}",
                folders.len(),
                folders.join(", ")
            );
            skill.refuse(Finding::new(FindingCode::SlugTaken, message))
        }
        Some(_) | None => skill,
    };
    skills.into_iter().map(refused).collect()
}

fn shown(folder: &str) -> String {
    if folder.is_empty() { "the upload's root".to_owned() } else { format!("`{folder}`") }
}
