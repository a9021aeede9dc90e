//! Output files of edges, independent of the format.

use crate::edges::format::EdgeFormat;
use arrow_array::LargeStringArray;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result, WeightType};

/// Description of a new file of edges.
#[derive(Clone, Copy, Debug)]
pub struct NewEdges {
    /// Format of the file.
    pub format: EdgeFormat,
    /// Kind of the IDs.
    pub ids: IdKind,
    /// Type of the weights, if any.
    pub weights: Option<WeightType>,
    /// Exclusive upper bound of all IDs, if known.
    pub num_vertices: Option<u64>,
    /// Number of edges to be written; the text and binary formats ignore it.
    pub num_edges: u64,
    /// Direction of the graph (true if directed) if its lists arrive sorted by vertex and neighbor, as serialized
    /// graphs need them.
    pub lists: Option<bool>,
    /// True to overwrite an existing file.
    pub overwrite: bool,
}

impl NewEdges {
    /// Describes edges between integers, without weights.
    pub const fn new(format: EdgeFormat, num_edges: u64) -> Self {
        let (weights, num_vertices, lists) = (None, None, None);
        Self { format, ids: IdKind::Integer, weights, num_vertices, num_edges, lists, overwrite: false }
    }
}

/// Writer of a file of edges. The file appears under its name only when [`EdgeSink::finish`] succeeds.
pub trait EdgeSink: Send {
    /// Appends edges, each a source and a target, with one weight per edge if the file has weights and none otherwise.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of weights is wrong, if the format cannot represent an ID, or if writing fails.
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()>;

    /// Appends edges between vertices with string IDs.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`EdgeSink::push`], or if the format does not support strings.
    fn push_texts(&mut self, ends: [&LargeStringArray; 2], weights: &[f64]) -> Result<()> {
        _ = (ends, weights);
        Err(Error::internal("a file of edges with integer IDs received strings"))
    }

    /// Completes and publishes the file; returns the number of edges written.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails, or if a file with the same name has appeared in the meantime and may not be
    /// overwritten.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// Checks that there is one weight per edge if `weighted`, otherwise none.
pub(crate) fn check_weights(edges: usize, weights: &[f64], weighted: bool) -> Result<()> {
    let expected = if weighted { edges } else { 0 };
    if weights.len() != expected {
        return Err(Error::internal(format!(
            "{edges} edges need {expected} weights, but {} were given",
            weights.len()
        )));
    }
    if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
        return Err(Error::internal(format!("a weight must be a finite number, not {weight}")));
    }
    Ok(())
}
