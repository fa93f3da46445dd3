//! The words of a text, as lexical search sees them.
use std::iter::once;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// English words that are in most texts and say nothing of what they are about. Left out, they cost
/// no place in the index, and a question is looked for by what it asks.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "i'd", "i'll", "i'm",
    "i've", "if", "in", "into", "is", "it", "it's", "its", "just", "like", "me", "my", "need",
    "no", "not", "of", "on", "or", "our", "out", "please", "she", "should", "so", "some", "than",
    "that", "the", "their", "them", "then", "there", "they", "this", "to", "up", "us", "want",
    "was", "we", "were", "what", "when", "where", "which", "who", "will", "with", "would", "you",
    "your",
];

/// The words of a text that say something, lower-cased, in one Unicode form (NFKC), without the `s` of
/// the plural, in their order.
///
/// An identifier counts as a whole and by its parts: `parseHttpUrl` is `parsehttpurl`, `parse`,
/// `http` and `url`. Scripts without spaces count by character and by pair of neighbours.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let text: String = text.nfkc().collect();
    let mut words = Vec::new();
    let mut before: Option<(usize, char)> = None;
    for (start, word) in text.unicode_word_indices() {
        let Some(sign) = unspaced(word) else {
            push_with_parts(&mut words, word);
            continue;
        };
        words.push(word.to_owned());
        if let Some((end, neighbour)) = before
            && end == start
        {
            words.push([neighbour, sign].iter().collect());
        }
        before = Some((start + word.len(), sign));
    }
    words
}

/// The number that stands for a word in a sparse vector: 32-bit FNV-1a.
#[must_use]
pub fn term(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The character, if the word is a single one of a script that is written without spaces.
fn unspaced(word: &str) -> Option<char> {
    let mut characters = word.chars();
    let first = characters.next()?;
    let alone = characters.next().is_none();
    (alone && matches!(first, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'))
        .then_some(first)
}

fn push_with_parts(words: &mut Vec<String>, word: &str) {
    let whole = word.to_lowercase();
    if is_stop_word(&whole) {
        return;
    }
    words.push(singular(whole));
    let parts = parts(word);
    if parts.len() > 1 {
        let parts = parts.into_iter().map(str::to_lowercase);
        words.extend(parts.filter(|part| !is_stop_word(part)).map(singular));
    }
}

fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Both numbers of a noun count as one word. That it cuts more than plurals does no harm: it cuts
/// texts and queries alike.
fn singular(mut word: String) -> String {
    let is_plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    if is_plural {
        word.pop();
    }
    word
}

/// Cuts an identifier at `_`, `.`, `'`, `:` and where its letter case says that a word begins.
fn parts(word: &str) -> Vec<&str> {
    word.split(['_', '.', '\'', '’', ':'])
        .flat_map(cut_at_case)
        .filter(|part| !part.is_empty())
        .collect()
}

fn cut_at_case(word: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let begins = |at: usize| {
        let (before, this) = (letters[at - 1].1, letters[at].1);
        let next_is_lower = letters.get(at + 1).is_some_and(|(_, next)| next.is_lowercase());
        this.is_uppercase() && (before.is_lowercase() || before.is_numeric() || next_is_lower)
    };
    let cuts = (1..letters.len()).filter(|at| begins(*at)).map(|at| letters[at].0);
    let mut start = 0;
    cuts.chain(once(word.len()))
        .map(|end| {
            let part = &word[start..end];
            start = end;
            part
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_in_one_unicode_form() {
        assert_eq!(words("Ｒｕｎ ﬁle, NOW!"), ["run", "file", "now"]);
    }

    #[test]
    fn an_identifier_counts_as_a_whole_and_by_its_parts() {
        assert_eq!(words("snake_case_name"), ["snake_case_name", "snake", "case", "name"]);
        assert_eq!(words("kebab-case"), ["kebab", "case"]);
        assert_eq!(words("parseHttpUrl"), ["parsehttpurl", "parse", "http", "url"]);
        assert_eq!(words("HTTPServer2Go"), ["httpserver2go", "http", "server2", "go"]);
    }

    #[test]
    fn a_plain_or_shouted_word_has_no_parts() {
        assert_eq!(words("Python SQL x"), ["python", "sql", "x"]);
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(words("How do I deploy THE app?"), ["deploy", "app"]);
        assert_eq!(words("loop_of_events"), ["loop_of_event", "loop", "event"]);
    }

    #[test]
    fn one_and_many_are_the_same_word() {
        assert_eq!(words("skill skills"), ["skill", "skill"]);
        assert_eq!(words("class bus gas"), ["class", "bus", "gas"]);
    }

    #[test]
    fn text_without_spaces_counts_by_character_and_pair() {
        assert_eq!(words("数据库"), ["数", "据", "数据", "库", "据库"]);
        assert_eq!(words("数 据"), ["数", "据"]);
    }

    #[test]
    fn a_text_without_words_has_none() {
        assert!(words(" … --- 🦀 ").is_empty());
    }

    #[test]
    fn a_word_keeps_its_number() {
        assert_eq!(term(""), 0x811c_9dc5);
        assert_eq!(term("foobar"), 0xbf9c_f968);
    }
}
