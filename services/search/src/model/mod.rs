//! What search knows and its rules: nothing here waits, stores or speaks.
mod bm25;
mod document;
mod rank;
mod words;

pub use bm25::{Statistics, document_vector, query_terms, query_vector};
pub use document::{
    Corpus, Document, Filter, Found, IndexedDocument, IndexedSubject, Kind, Sparse, Subject,
};
pub use rank::{Query, Ranked, candidate_count, name_key, rank};
pub use words::{term, words};
