//! Putting skills in.
use std::{collections::HashMap, time::Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::{
    machine::say,
    product::{Api, Organization},
    skills::{self, Skill},
};

/// How many queries are asked at most before one of them is asked again.
const DISTINCT_QUERIES: usize = 30_000;
const SEED: u64 = 7;

/// What is in, as what can be asked for.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) skills: usize,
    pub(super) ids: Vec<String>,
    /// Arguments of `get_skill_file`: a skill's id and a path each.
    pub(super) files: Vec<Value>,
    pub(super) queries: Vec<String>,
}

/// Imports skills and waits until all of them can be found.
pub(super) async fn fill(
    api: &Api,
    organization: &Organization,
    skills: Vec<Skill>,
) -> anyhow::Result<Filled> {
    let total = skills.len();
    let queries = skills::queries(&skills, DISTINCT_QUERIES, SEED);
    let begun = Instant::now();
    let (mut done, mut paths) = (0, HashMap::new());
    for upload in skills::uploads(skills) {
        done += api.import(&organization.key, skills::archive(&upload)?).await?;
        say(&format!(
            "{done} of {total} skills are in after {:.0} s",
            begun.elapsed().as_secs_f32()
        ));
        let last = upload.last().context("an upload of nothing")?;
        api.wait_until_found(&organization.key, &last.name).await?;
        paths.extend(upload.into_iter().map(|skill| {
            let first = skill.files.into_iter().next().map(|(path, _)| path);
            (skill.slug, first.unwrap_or_else(|| "SKILL.md".to_owned()))
        }));
    }
    let listed = api.list(&organization.key).await?;
    if listed.len() != total {
        bail!("{} skills are listed, expected {total}", listed.len());
    }
    let seconds = begun.elapsed().as_secs_f32();
    say(&format!("{total} skills can be found after {seconds:.0} s"));
    let file = |skill: &crate::product::Imported| {
        let path = paths.get(&skill.slug).map_or("SKILL.md", String::as_str);
        json!({ "id": skill.id, "path": path })
    };
    let files = listed.iter().map(file).collect();
    Ok(Filled { skills: total, files, queries, ids: listed.into_iter().map(|s| s.id).collect() })
}
