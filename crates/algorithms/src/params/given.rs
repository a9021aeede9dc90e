//! Values given by users per vertex.

use std::path::PathBuf;
use std::sync::Arc;

/// Targets of random jumps of PageRank.
#[derive(Clone, Debug, PartialEq)]
pub enum Personalization {
    /// A `.csv` or `.tsv` file with an ID and a weight per line.
    File(PathBuf),
    /// IDs as strings, and their weights.
    Weights(Vec<(String, f64)>),
}

/// Value per vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum InputVector {
    /// `.npy` file with the values in ascending order of original ID; or `.parquet`, `.csv` or `.tsv` file with
    /// an ID and a value per row. Vertices without a row have 0, or 1/2 for probabilities.
    File(PathBuf),
    /// Values per vertex, in ascending order of original ID.
    Values(Arc<[f64]>),
    /// IDs as strings and their values; 0 for all other vertices, or 1/2 for probabilities.
    Entries(Arc<[(String, f64)]>),
}
