//! What happens to skill files of every kind that is known to have broken an importer.
mod archives;
mod cases;
mod front_matter;
mod limits;
mod properties;
mod real;
mod skills;
mod support;
