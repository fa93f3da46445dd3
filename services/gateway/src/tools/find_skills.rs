//! `find_skills`
use std::collections::HashMap;

use access::Scope;
use contract::{
    registry::{DescribeSkillsRequest, SkillDescriptor},
    search::{FindDocumentsRequest, Hit, Kind},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    answer::Printed,
    behind,
    call::Call,
    failure::{Failure, sized, within},
    pin,
    tool::{Effect, Place, Tool},
};

pub(crate) struct FindSkills;

/// Finds the skills that fit what you are about to do, best first, by meaning. Returns names,
/// descriptions and similarity scores only: load the one that fits with `get_skill`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What you are about to do, in your own words, or a skill's name: 1 to 8,000 characters.
    #[schemars(length(min = 1, max = 8000))]
    query: String,
    /// How many skills at most: 1 to 50.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 50))]
    limit: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The skills, best first.
    results: Vec<Found>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    /// The skill's id, for `get_skill`.
    id: String,
    /// What the skill is called.
    name: String,
    /// What it does and when to use it.
    description: String,
    /// 1 − cosine distance between the query and the skill: higher is closer.
    score: f64,
}

const MAX_QUERY_CHARACTERS: usize = 8_000;
/// How many documents more are asked for: some may be of revisions that are current no more.
const SPARE: u32 = 10;

fn default_limit() -> i64 {
    10
}

impl Tool for FindSkills {
    const NAME: &'static str = "find_skills";
    const TITLE: &'static str = "Find skills";
    const SCOPE: Option<Scope> = Some(Scope::SkillsRead);
    const EFFECT: Effect = Effect::Reads;
    const PLACE: Place = Place::Workspace;
    type Input = Input;
    type Output = Output;

    async fn call(
        call: &mut Call,
        Input { query, limit }: Input,
    ) -> Result<Printed<Output>, Failure> {
        let query = query.trim();
        call.record.searched(query);
        sized("query", MAX_QUERY_CHARACTERS, query)?;
        let limit = within("limit", 1..=50, limit)?;
        let hits = find(call, query, limit + SPARE).await?;
        let described = describe(call, &hits).await?;
        let results = in_order(hits, described, limit);
        call.record.showed(results.iter().map(|found| found.id.clone()).collect());
        Printed::of(&Output { results })
    }
}

async fn find(call: &Call, query: &str, limit: u32) -> Result<Vec<Hit>, Failure> {
    let request = call.behind.to_search(FindDocumentsRequest {
        kind: Kind::Skill.into(),
        query: query.to_owned(),
        label: pin::wire(call.tag.as_ref()),
        limit,
    })?;
    Ok(behind::answer(call.behind.search().find_documents(request)).await?.hits)
}

async fn describe(call: &Call, hits: &[Hit]) -> Result<Vec<SkillDescriptor>, Failure> {
    if hits.is_empty() {
        return Ok(Vec::new());
    }
    let request = call.behind.to_registry(DescribeSkillsRequest {
        revision_ids: hits.iter().map(|hit| hit.document_id.clone()).collect(),
        tag: pin::wire(call.tag.as_ref()),
    })?;
    Ok(behind::answer(call.behind.skills().describe_skills(request)).await?.skills)
}

/// The skills that were found and are there, in the order of the search.
fn in_order(hits: Vec<Hit>, described: Vec<SkillDescriptor>, limit: u32) -> Vec<Found> {
    let described = described.into_iter().map(|skill| (skill.found_as.clone(), skill));
    let mut described: HashMap<_, _> = described.collect();
    let found = hits.into_iter().filter_map(|hit| {
        let SkillDescriptor { skill_id, name, description, .. } =
            described.remove(&hit.document_id)?;
        Some(Found { id: skill_id, name, description, score: rounded(hit.score) })
    });
    found.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect()
}

/// A score to four decimals: more would be noise.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}
