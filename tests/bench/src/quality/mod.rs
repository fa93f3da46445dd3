//! How well skills are found: questions that people asked, each with the one tool that is right, through
//! the running product.
mod measures;

use std::{collections::HashSet, path::Path};

use anyhow::Context;
use futures::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;

use crate::{
    machine::{Machine, say},
    product::{self, Api, Place},
    report::{Budget, Limit, Report, Table},
    skills::{self, Skill},
};
use measures::{Ranks, rank_of};

/// What the ranking must reach.
const NDCG: Limit = Limit::AtLeast(0.735);
/// A name that is asked for exactly is found first, always.
const NAME_FIRST: Limit = Limit::AtLeast(1.0);
/// How many skills are asked for.
const LIMIT: usize = 10;
const AT_ONCE: usize = 4;
const PROGRESS: usize = 500;

/// Tools, and questions that each of them is right for.
#[derive(Deserialize)]
struct Data {
    docs: Vec<Tool>,
    qs: Vec<(String, usize)>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    desc: String,
}

/// The product with all tools in it.
struct Asked {
    api: Api,
    key: String,
}

/// The figures; none where the data is not there.
pub(crate) async fn measure(data: &Path) -> anyhow::Result<Option<Report>> {
    if !data.is_file() {
        println!("skipped: no `{}`, the public data set that this measures with", data.display());
        return Ok(None);
    }
    let text =
        std::fs::read_to_string(data).with_context(|| format!("reading `{}`", data.display()))?;
    let data: Data = serde_json::from_str(&text).context("reading tools and questions")?;
    let machine = Machine::prepared()?;
    let measured = product::in_new_place(&machine, async |place| measure_in(place, &data).await);
    measured.await.map(Some)
}

async fn measure_in(place: &Place, data: &Data) -> anyhow::Result<Report> {
    let skills = skills_of(&data.docs);
    let running = place.start().await?;
    let api = Api::new(running.address);
    let key = api.make_organization(place.operator_token(), "quality").await?.key;
    api.import(&key, skills::archive(&skills)?).await?;
    for skill in &skills {
        api.wait_until_found(&key, &skill.name).await?;
    }
    let listed = api.list(&key).await?;
    let id = |skill: &Skill| listed.iter().find(|l| l.slug == skill.slug).map(|l| l.id.clone());
    let ids: Option<Vec<String>> = skills.iter().map(id).collect();
    let ids = ids.context("a tool that was imported is not listed")?;
    say(&format!("{} tools are in; asking {} questions", skills.len(), data.qs.len()));
    let asked = Asked { api, key };
    let questions =
        ranks(&asked, data.qs.iter().map(|(text, right)| (text.as_str(), *right)), &ids);
    let questions = questions.await?;
    let names = data.docs.iter().enumerate().map(|(place, tool)| (tool.name.as_str(), place));
    let names = ranks(&asked, names, &ids).await?;
    running.child.stop().await?;
    Ok(report(data, &questions, &names))
}

/// Tools as skills; no two have the same slug.
fn skills_of(tools: &[Tool]) -> Vec<Skill> {
    let mut taken = HashSet::new();
    let skill = |Tool { name, desc }: &Tool| {
        let slug = skills::free_slug(name, &taken);
        taken.insert(slug.clone());
        Skill::described(slug, name, desc)
    };
    tools.iter().map(skill).collect()
}

/// At which place the right tool is for each query.
async fn ranks(
    asked: &Asked,
    queries: impl Iterator<Item = (&str, usize)>,
    ids: &[String],
) -> anyhow::Result<Ranks> {
    let rank = async |(number, (query, right)): (usize, (&str, usize))| {
        let right = ids.get(right).context("a question's tool is none of the tools")?;
        let found = asked.api.find(&asked.key, query, LIMIT).await?;
        if number > 0 && number % PROGRESS == 0 {
            say(&format!("{number} questions are asked"));
        }
        anyhow::Ok(rank_of(right, found.iter().map(|found| found.id.as_str())))
    };
    let ranks = stream::iter(queries.enumerate()).map(rank).buffered(AT_ONCE);
    ranks.try_collect().await.map(Ranks)
}

fn report(data: &Data, questions: &Ranks, names: &Ranks) -> Report {
    let (ndcg, recall, first) = (questions.ndcg(), questions.recall(5), names.recall(1));
    let mut table = Table::new("Ranking", &["", "value"]);
    for (name, value) in [("nDCG@10", ndcg), ("recall@5", recall), ("exact name first", first)] {
        table.add(vec![name.to_owned(), format!("{value:.4}")]);
    }
    Report {
        title: "How well skills are found".to_owned(),
        notes: vec![format!(
            "{} tools as skills, {} questions with one right tool each, find_skills with a limit of {LIMIT}.",
            data.docs.len(),
            data.qs.len()
        )],
        tables: vec![table],
        budgets: vec![
            Budget::new("nDCG@10", NDCG, Some(ndcg), ""),
            Budget::new("exact name first", NAME_FIRST, Some(first), ""),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_one_name_become_skills_with_two_slugs() {
        let tool = || Tool { name: "Map".into(), desc: "Shows a map.".into() };
        let slugs: Vec<_> = skills_of(&[tool(), tool()]).into_iter().map(|s| s.slug).collect();
        assert_eq!(slugs, ["map", "map-2"]);
    }
}
