//! Vectors over the vertices: the personalization of a PageRank, or the operand of a matrix multiplication.
//!
//! A `.csv`, `.tsv` or `.parquet` file has one row per node, in any order: the node's original ID and its value. A
//! `.npy` file has only the values, of all vertices in ascending order of original ID.

mod budgeted_rows;
mod line;
mod node;
mod npy;
mod parquet;
mod text;

pub use node::{NodeKey, NodeValue};
pub use npy::NpyValues;

use self::budgeted_rows::BudgetedRows;
use self::node::Range;
use self::parquet::ParquetRows;
use self::text::TextRows;
use outcrop_types::{Error, Location, MemoryBudget, Result};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Nodes with finite, nonnegative weights, in the order of the file; a node that is listed twice has two entries.
#[derive(Debug)]
pub struct NodeWeights {
    rows: BudgetedRows,
    path: PathBuf,
    ids_are_text: bool,
}

impl NodeWeights {
    /// Returns an error for entry number `entry`, counted from 0, with its line.
    pub fn error_at(&self, entry: usize, message: String) -> Error {
        let line = || {
            let delimiter = delimiter_of(&self.path)?;
            let mut file = TextRows::open(&self.path, delimiter, self.ids_are_text, Range::NotNegative).ok()?;
            let rows = std::iter::from_fn(|| file.next_row().ok().flatten());
            rows.map(|row| row.place).nth(entry)
        };
        let name = self.path.display().to_string();
        Error::bad_input(line().map_or_else(|| Location::file(&name), |line| Location::at(&name, line, 1)), message)
    }

    /// Returns an error for the whole file.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::bad_input(Location::file(self.path.display().to_string()), message)
    }
}

impl Deref for NodeWeights {
    type Target = [(NodeKey, f64)];

    fn deref(&self) -> &Self::Target {
        self.rows.rows()
    }
}

/// Reads one weight per node from a `.csv` or `.tsv` file, in memory reserved from `budget`.
///
/// # Errors
///
/// Returns [`Error::BadInput`] with line and column if a row is not an ID and a finite weight of at least 0,
/// [`Error::Usage`] for other file types, [`Error::BudgetTooSmall`], or an error if reading fails.
pub fn read_node_weights(path: &Path, ids_are_text: bool, budget: &MemoryBudget) -> Result<NodeWeights> {
    let delimiter = delimiter_of(path)
        .ok_or_else(|| Error::Usage(format!("node weights must be a .csv or .tsv file, not {}", path.display())))?;
    let mut file = TextRows::open(path, delimiter, ids_are_text, Range::NotNegative)?;
    let mut rows = BudgetedRows::new(budget.clone());
    while let Some(NodeValue { key, value, .. }) = file.next_row()? {
        rows.push(key, value)?;
    }
    Ok(NodeWeights { rows: rows.complete(), path: path.to_owned(), ids_are_text })
}

/// Rows of a file of values, read in batches with bounded memory.
pub struct NodeValues(Rows);

enum Rows {
    Text(TextRows),
    Parquet(Box<ParquetRows>),
}

impl NodeValues {
    /// Opens a `.csv`, `.tsv` or `.parquet` file; reserves the memory of its batches from `budget`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BadInput`] unless it has one column of IDs and one of numbers, [`Error::Usage`] for other file
    /// types, [`Error::BudgetTooSmall`], or an error if reading fails.
    pub fn open(path: &Path, ids_are_text: bool, budget: &MemoryBudget) -> Result<Self> {
        if has_ending(path, "parquet") {
            return Ok(Self(Rows::Parquet(Box::new(ParquetRows::open(path, ids_are_text, budget)?))));
        }
        let delimiter = delimiter_of(path).ok_or_else(|| {
            Error::Usage(format!("a vector must be a .npy, .parquet, .csv or .tsv file, not {}", path.display()))
        })?;
        let rows = TextRows::open(path, delimiter, ids_are_text, Range::Any)?;
        Ok(Self(Rows::Text(rows.with_batches(budget)?)))
    }

    /// Replaces the content of `rows` with the next rows; leaves it empty at the end.
    ///
    /// # Errors
    ///
    /// Returns [`Error::BadInput`] if a row is not an ID and a finite number, or an error if reading fails.
    pub fn next_batch(&mut self, rows: &mut Vec<NodeValue>) -> Result<()> {
        rows.clear();
        match &mut self.0 {
            Rows::Text(file) => file.next_batch(rows),
            Rows::Parquet(file) => file.next_batch(rows),
        }
    }

    /// Returns an error for the row at `place`.
    pub fn error_at(&self, place: u64, message: impl Into<String>) -> Error {
        match &self.0 {
            Rows::Text(file) => Error::bad_input(Location::at(file.name(), place, 1), message),
            Rows::Parquet(file) => file.error_at(place, message),
        }
    }
}

/// Returns true if the name of `path` ends in `.ending`, ignoring case.
fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn delimiter_of(path: &Path) -> Option<u8> {
    [("csv", b','), ("tsv", b'\t')]
        .into_iter()
        .find(|(ending, _)| has_ending(path, ending))
        .map(|(_, delimiter)| delimiter)
}

#[cfg(test)]
mod tests;
