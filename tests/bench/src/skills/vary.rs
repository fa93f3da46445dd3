//! More skills than there are: each a real one, reworded for another trade and another tool.
use super::Skill;

const TRADES: [&str; 40] = [
    "airline",
    "archive",
    "bakery",
    "banking",
    "biology",
    "brewery",
    "chemistry",
    "cinema",
    "clinic",
    "construction",
    "customs",
    "education",
    "election",
    "energy",
    "farming",
    "fashion",
    "fishery",
    "forestry",
    "freight",
    "gaming",
    "geology",
    "hotel",
    "insurance",
    "journalism",
    "law",
    "library",
    "logistics",
    "mining",
    "museum",
    "navy",
    "orchestra",
    "pharmacy",
    "printing",
    "publishing",
    "railway",
    "retail",
    "shipyard",
    "sports",
    "telecom",
    "theatre",
];
const TOOLS: [&str; 40] = [
    "Airflow",
    "Ansible",
    "Bazel",
    "Cassandra",
    "ClickHouse",
    "Consul",
    "Deno",
    "Django",
    "Elixir",
    "Envoy",
    "Erlang",
    "Flink",
    "Flutter",
    "Grafana",
    "Gradle",
    "Haskell",
    "Istio",
    "Jenkins",
    "Julia",
    "Kafka",
    "Kotlin",
    "Laravel",
    "Lua",
    "MongoDB",
    "Nginx",
    "Nomad",
    "OCaml",
    "Phoenix",
    "Pulumi",
    "RabbitMQ",
    "Rails",
    "Redis",
    "Scala",
    "Snowflake",
    "Spark",
    "Svelte",
    "Swift",
    "Temporal",
    "Vault",
    "Zig",
];
/// Ways to say the same, so that descriptions differ in more than two words.
const WORDINGS: [[&str; 6]; 10] = [
    ["create", "build", "make", "produce", "write", "prepare"],
    ["use when", "apply when", "helpful when", "pick this when", "choose when", "meant for when"],
    ["implement", "carry out", "realize", "put in place", "deliver", "develop"],
    ["design", "plan", "lay out", "shape", "model", "draft"],
    ["patterns", "recipes", "techniques", "methods", "approaches", "ways"],
    ["best practices", "proven habits", "good conduct", "sound rules", "standards", "conventions"],
    ["comprehensive", "thorough", "complete", "broad", "detailed", "full"],
    ["applications", "programs", "products", "systems", "services", "apps"],
    ["testing", "checking", "verifying", "examining", "probing", "trying"],
    ["optimize", "improve", "tune", "speed up", "sharpen", "refine"],
];
const DESCRIPTION_CHARACTERS: usize = 1_024;
const SLUG_CHARACTERS: usize = 64;

/// The `number`th skill made of the real ones; every number makes another one.
pub(crate) fn vary(real: &[Skill], number: usize) -> Option<Skill> {
    let base = real.get(number % real.len().max(1))?;
    let round = number / real.len().max(1);
    let trade = TRADES.get(round % TRADES.len())?;
    let tool = TOOLS.get((round / TRADES.len() + number) % TOOLS.len())?;
    let end = format!("-{}-{number}", trade.to_lowercase());
    let start: String = base.slug.chars().take(SLUG_CHARACTERS - end.len()).collect();
    let slug = format!("{}{end}", start.trim_end_matches('-'));
    let description = format!("For {trade} with {tool}: {}", reworded(&base.description, round));
    Some(Skill {
        body: format!("# {slug}\n\nFor {trade} teams that work with {tool}.\n\n{}", base.body),
        name: slug.clone(),
        slug,
        description: description.chars().take(DESCRIPTION_CHARACTERS).collect(),
        files: base.files.clone(),
    })
}

/// The same in other words.
fn reworded(text: &str, round: usize) -> String {
    let choice = |ways: &[&'static str; 6], place: usize| ways[(round + place) % ways.len()];
    WORDINGS.iter().enumerate().fold(text.to_owned(), |text, (place, ways)| {
        let lower = text.to_lowercase();
        let found = ways.iter().find_map(|way| Some((lower.find(way)?, way.len())));
        match found.and_then(|(at, length)| Some((text.get(..at)?, text.get(at + length..)?))) {
            Some((before, after)) => format!("{before}{}{after}", choice(ways, place)),
            None => text,
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn real() -> Vec<Skill> {
        let long = "a-slug-of-just-sixty-four-characters-which-is-the-longest-there-";
        let make =
            |slug: &str| Skill::described(slug.into(), slug, "Create patterns. Use when testing.");
        vec![make("sql"), make(long)]
    }

    #[test]
    fn no_two_made_skills_share_a_slug_or_a_description() {
        let real = real();
        let made: Vec<Skill> = (0..3_000).filter_map(|number| vary(&real, number)).collect();
        let slugs: HashSet<_> = made.iter().map(|skill| &skill.slug).collect();
        assert_eq!((made.len(), slugs.len()), (3_000, 3_000));
        assert!(slugs.iter().all(|slug| slug.len() <= 64 && !slug.contains("--")));
    }

    #[test]
    fn a_made_skill_says_the_same_in_other_words() {
        let made = vary(&real(), 2).unwrap();
        assert_eq!(made.description, "For archive with Bazel: build ways. helpful when examining.");
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert_eq!(vary(&[], 0), None);
    }
}
