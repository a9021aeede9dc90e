//! Values that users give by vertex.

use std::path::PathBuf;
use std::sync::Arc;

/// Targets of random jumps of PageRank.
#[derive(Clone, Debug, PartialEq)]
pub enum Personalization {
    /// A `.csv` or `.tsv` file with an id and a weight a line.
    File(PathBuf),
    /// Ids as text, and their weights.
    Weights(Vec<(String, f64)>),
}

/// A value a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum InputVector {
    /// A `.npy` file with one value a vertex in ascending original id; or a `.parquet`, `.csv` or `.tsv` file with an id and a value a
    /// row, where vertices without a row have 0; of probabilities 1/2.
    File(PathBuf),
    /// One value a vertex, in ascending original id.
    Values(Arc<[f64]>),
    /// Ids as text and their values; 0 for all other vertices, of probabilities 1/2.
    Entries(Arc<[(String, f64)]>),
}
