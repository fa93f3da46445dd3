//! Measures of a ranking in which one answer is right.

/// At which place the right answer was, from 1, for each query; none where it was not among them.
#[derive(Debug)]
pub(super) struct Ranks(pub(super) Vec<Option<u32>>);

/// The place of the right one, from 1.
pub(super) fn rank_of<'a>(right: &str, found: impl Iterator<Item = &'a str>) -> Option<u32> {
    (1..).zip(found).find(|(_, id)| *id == right).map(|(place, _)| place)
}

impl Ranks {
    /// The normalized discounted cumulative gain: with one right answer that is 1 / log2(place + 1), and 0
    /// where it was not found.
    pub(super) fn ndcg(&self) -> f64 {
        self.mean(|rank| rank.map_or(0.0, |rank| 1.0 / f64::from(rank + 1).log2()))
    }

    /// How often the right answer was among the first `places`.
    pub(super) fn recall(&self, places: u32) -> f64 {
        self.mean(|rank| f64::from(u8::from(rank.is_some_and(|rank| rank <= places))))
    }

    fn mean(&self, gain: impl Fn(Option<u32>) -> f64) -> f64 {
        let sum: f64 = self.0.iter().map(|rank| gain(*rank)).sum();
        sum / f64::from(u32::try_from(self.0.len()).unwrap_or(u32::MAX).max(1))
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
