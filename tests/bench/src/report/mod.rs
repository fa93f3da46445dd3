//! What was measured, as a page for people and as JSON for programs.
mod budget;
mod table;

use std::fmt;

use serde::Serialize;

pub(crate) use budget::{Budget, Limit};
pub(crate) use table::Table;

/// Figures and whether they are good enough.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// What to know before reading on.
    pub(crate) notes: Vec<String>,
    pub(crate) tables: Vec<Table>,
    pub(crate) budgets: Vec<Budget>,
}

impl Report {
    pub(crate) fn meets_budgets(&self) -> bool {
        self.budgets.iter().all(Budget::is_met)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{}\n", self.title)?;
        for note in &self.notes {
            writeln!(f, "- {note}")?;
        }
        for table in &self.tables {
            write!(f, "\n{table}")?;
        }
        if !self.budgets.is_empty() {
            writeln!(f, "\nBudgets")?;
        }
        for budget in &self.budgets {
            writeln!(f, "  {budget}")?;
        }
        Ok(())
    }
}
