//! Measures of a ranking in which one answer is right.

/// At which place the right answer was, from 1, for each query; none where it was not among them.
#[derive(Debug)]
pub(super) struct Ranks(pub(super) Vec<Option<usize>>);

/// The place of the right one, from 1.
pub(super) fn rank_of<'a>(right: &str, mut found: impl Iterator<Item = &'a str>) -> Option<usize> {
    found.position(|id| id == right).map(|place| place + 1)
}

impl Ranks {
    /// The normalized discounted cumulative gain: with one right answer that is 1 / log2(place + 1), and 0
    /// where it was not found.
    pub(super) fn ndcg(&self) -> f64 {
        self.mean(|rank| rank.map_or(0.0, |rank| 1.0 / ((rank + 1) as f64).log2()))
    }

    /// How often the right answer was among the first `places`.
    pub(super) fn recall(&self, places: usize) -> f64 {
        self.mean(|rank| f64::from(u8::from(rank.is_some_and(|rank| rank <= places))))
    }

    fn mean(&self, gain: impl Fn(Option<usize>) -> f64) -> f64 {
        let sum: f64 = self.0.iter().map(|rank| gain(*rank)).sum();
        sum / self.0.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_answer_counts_less_the_later_it_comes() {
        assert!((Ranks(vec![Some(1)]).ndcg() - 1.0).abs() < 1e-12);
        assert!((Ranks(vec![Some(3)]).ndcg() - 0.5).abs() < 1e-12);
        assert!((Ranks(vec![Some(1), None]).ndcg() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn recall_counts_what_is_at_the_last_place_and_not_behind_it() {
        let ranks = Ranks(vec![Some(5), Some(6), None, Some(1)]);
        assert!((ranks.recall(5) - 0.5).abs() < 1e-12);
        assert!(Ranks(vec![]).recall(5).abs() < 1e-12);
    }

    #[test]
    fn a_place_is_counted_from_one() {
        assert_eq!(rank_of("b", ["a", "b"].into_iter()), Some(2));
        assert_eq!(rank_of("c", ["a", "b"].into_iter()), None);
    }
}
