//! BM25, split in two: what a document knows alone is stored with it, what the organization's
//! other documents say about a word is added when a query is asked.
use std::collections::{BTreeMap, BTreeSet};

use super::{Sparse, term, words};

/// How soon more of the same word stops counting.
const K1: f32 = 1.2;
/// How much a long document is held against it, from 0 to 1.
const B: f32 = 0.75;
/// How long a document is taken to be, in words. It is fixed so that a stored document does not
/// change when others come; what is indexed are descriptions of about this length.
const TYPICAL_WORDS: f32 = 32.0;

/// How often words are found in the documents of one organization.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// How many documents there are.
    pub documents: u64,
    /// How many of them have each term, in the order of the terms that were asked for.
    pub frequencies: Vec<u64>,
}

/// What a document is found by: for each of its words, how much it is about it.
#[must_use]
pub fn document_vector(text: &str) -> Sparse {
    let words = words(text);
    #[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2²⁴ words")]
    let length = words.len() as f32;
    let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
    for word in &words {
        *counts.entry(term(word)).or_default() += 1.0;
    }
    let norm = K1 * (1.0 - B + B * length / TYPICAL_WORDS);
    let weigh = |(term, count): (u32, f32)| (term, count * (K1 + 1.0) / (count + norm));
    Sparse::from_sorted(counts.into_iter().map(weigh))
}

/// The different terms of a query, in order.
#[must_use]
pub fn query_terms(text: &str) -> Vec<u32> {
    let terms: BTreeSet<u32> = words(text).iter().map(|word| term(word)).collect();
    terms.into_iter().collect()
}

/// What a query looks for: its terms, each weighed by how rare it is in the organization.
/// Its product with [`document_vector`] is BM25.
#[must_use]
pub fn query_vector(terms: &[u32], statistics: &Statistics) -> Sparse {
    let documents = statistics.documents;
    let rarity = |found: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a weight needs no more than 53 bits")]
        let (all, with) = (documents.max(found) as f64, found as f64);
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    };
    #[expect(clippy::cast_possible_truncation, reason = "a weight needs no more than 24 bits")]
    let weigh = |(term, found): (&u32, &u64)| (*term, rarity(*found) as f32);
    Sparse::from_sorted(terms.iter().zip(&statistics.frequencies).map(weigh))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(query: &str, document: &str, statistics: &Statistics) -> f32 {
        query_vector(&query_terms(query), statistics).dot(&document_vector(document))
    }

    #[test]
    fn the_score_is_that_of_the_published_formula() {
        let statistics = Statistics { documents: 10, frequencies: vec![2] };
        let idf = (1.0_f32 + 8.5 / 2.5).ln();
        let norm = 1.2 * (0.25 + 0.75 * 3.0 / 32.0);
        let expected = idf * 2.0 * 2.2 / (2.0 + norm);
        assert!((score("rust", "rust loves rust", &statistics) - expected).abs() < 1e-5);
    }

    #[test]
    fn a_rare_word_weighs_more_than_a_common_one() {
        let rare = Statistics { documents: 100, frequencies: vec![1] };
        let common = Statistics { documents: 100, frequencies: vec![90] };
        assert!(score("x", "x", &rare) > score("x", "x", &common));
    }

    #[test]
    fn a_word_that_every_document_has_still_counts_a_little() {
        let everywhere = Statistics { documents: 5, frequencies: vec![5] };
        assert!(score("x", "x", &everywhere) > 0.0);
    }

    #[test]
    fn texts_that_share_no_word_score_nothing() {
        let statistics = Statistics { documents: 5, frequencies: vec![0] };
        assert!(score("x", "y", &statistics).abs() < f32::EPSILON);
    }

    #[test]
    fn a_count_that_lags_behind_does_not_turn_the_weight_around() {
        let lagging = Statistics { documents: 1, frequencies: vec![3] };
        assert!(score("x", "x", &lagging) > 0.0);
    }
}
