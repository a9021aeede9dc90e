//! Vectors over the vertices: the personalisation of a PageRank, what a matrix is multiplied by.
//!
//! A `.csv`, `.tsv` or `.parquet` file has a row a node, in any order: the node's original id and its value. A `.npy`
//! file has the values alone, of all vertices in ascending original id.

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
use std::path::Path;

/// Nodes with their weights, finite and not negative, in the order of the file; a node that is named twice is there
/// twice.
#[derive(Debug)]
pub struct NodeWeights(BudgetedRows);

impl Deref for NodeWeights {
    type Target = [(NodeKey, f64)];

    fn deref(&self) -> &Self::Target {
        self.0.rows()
    }
}

/// Reads a weight a node from a `.csv` or `.tsv` file, in memory taken from `budget`.
///
/// # Errors
/// [`Error::BadInput`] with line and column for anything that is not an id and a finite weight of at least 0;
/// [`Error::Usage`] for other files; [`Error::BudgetTooSmall`]; failures of reading.
pub fn read_node_weights(path: &Path, ids_are_text: bool, budget: &MemoryBudget) -> Result<NodeWeights> {
    let delimiter = delimiter_of(path)
        .ok_or_else(|| Error::Usage(format!("node weights must be a .csv or .tsv file, not {}", path.display())))?;
    let mut file = TextRows::open(path, delimiter, ids_are_text, Range::NotNegative)?;
    let mut rows = BudgetedRows::new(budget.clone());
    while let Some(NodeValue { key, value, .. }) = file.next_row()? {
        rows.push(key, value)?;
    }
    Ok(NodeWeights(rows.complete()))
}

/// The rows of a file of values, batch after batch in bounded memory.
pub struct NodeValues(Rows);

enum Rows {
    Text(TextRows),
    Parquet(Box<ParquetRows>),
}

impl NodeValues {
    /// Opens a `.csv`, `.tsv` or `.parquet` file, with the memory that its batches take from `budget`.
    ///
    /// # Errors
    /// [`Error::BadInput`] where it has not one column of ids and one of numbers; [`Error::Usage`] for other files;
    /// [`Error::BudgetTooSmall`]; failures of reading.
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

    /// Puts the next rows into `rows`, in place of what is there; none at the end.
    ///
    /// # Errors
    /// [`Error::BadInput`] at anything that is not an id and a finite number; failures of reading.
    pub fn next_batch(&mut self, rows: &mut Vec<NodeValue>) -> Result<()> {
        rows.clear();
        match &mut self.0 {
            Rows::Text(file) => file.next_batch(rows),
            Rows::Parquet(file) => file.next_batch(rows),
        }
    }

    /// An error of the row at `place`.
    pub fn error_at(&self, place: u64, message: impl Into<String>) -> Error {
        match &self.0 {
            Rows::Text(file) => Error::bad_input(Location::at(file.name(), place, 1), message),
            Rows::Parquet(file) => file.error_at(place, message),
        }
    }
}

/// True if the name of `path` ends in `.ending`, in letters of either case.
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
