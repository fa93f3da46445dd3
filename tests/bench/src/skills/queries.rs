//! What agents might look for: some words of a description each.
use std::collections::HashSet;

use fastrand::Rng;

use super::Skill;

const FEWEST_WORDS: usize = 4;
const MOST_WORDS: usize = 12;

/// Up to `count` queries, no two the same: the same ones at each run. Fewer where the descriptions have no
/// more in them.
pub(crate) fn queries(skills: &[Skill], count: usize, seed: u64) -> Vec<String> {
    let mut random = Rng::with_seed(seed);
    let (mut known, mut all) = (HashSet::new(), Vec::with_capacity(count));
    for _ in 0..count.saturating_mul(4) {
        let Some(skill) = random.choice(skills) else { break };
        let query = words(&skill.description, &mut random);
        if all.len() < count && known.insert(query.clone()) {
            all.push(query);
        }
    }
    all
}

fn words(text: &str, random: &mut Rng) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let length = random.usize(FEWEST_WORDS..=MOST_WORDS).min(words.len());
    let start = random.usize(..=words.len() - length);
    words.get(start..start + length).unwrap_or_default().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_distinct_and_the_same_at_each_run() {
        let text = "one two three four five six seven eight nine ten eleven twelve thirteen";
        let skills = [Skill::described("s".into(), "S", text)];
        let all = queries(&skills, 20, 1);
        assert_eq!(all, queries(&skills, 20, 1));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 20);
    }

    #[test]
    fn a_short_description_is_asked_as_a_whole() {
        let skills = [Skill::described("s".into(), "S", "two words")];
        assert_eq!(queries(&skills, 9, 1), ["two words"]);
        assert!(queries(&[], 9, 1).is_empty());
    }
}
