//! Files that edges are written to, whatever the format.

use crate::edges::format::EdgeFormat;
use arrow_array::LargeStringArray;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Result, WeightType};

/// Description of a file of edges that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewEdges {
    /// Format of the file.
    pub format: EdgeFormat,
    /// Kind of the ids.
    pub ids: IdKind,
    /// Type of the weights, if there are any.
    pub weights: Option<WeightType>,
    /// Number that all ids are below, if known.
    pub num_vertices: Option<u64>,
    /// Number of edges that will come; text and the binary format do not look at it.
    pub num_edges: u64,
    /// Direction of the graph, true if directed, where its lists will come by vertex and neighbour, as serialized
    /// graphs need them.
    pub lists: Option<bool>,
    /// Replace a file that exists.
    pub overwrite: bool,
}

impl NewEdges {
    /// Edges between whole numbers, without weights.
    pub const fn new(format: EdgeFormat, num_edges: u64) -> Self {
        let (weights, num_vertices, lists) = (None, None, None);
        Self { format, ids: IdKind::Integer, weights, num_vertices, num_edges, lists, overwrite: false }
    }
}

/// A file of edges in the making. It appears under its name when [`EdgeSink::finish`] succeeds, and not before.
pub trait EdgeSink: Send {
    /// Appends edges, each a source and a target, with one weight per edge if the file has weights and none if it does
    /// not.
    ///
    /// # Errors
    /// Weights that are missing or too many, an id that the format cannot hold, failures of writing.
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()>;

    /// Appends edges between vertices that have texts as ids.
    ///
    /// # Errors
    /// As for [`EdgeSink::push`]; a format that holds no texts.
    fn push_texts(&mut self, ends: [&LargeStringArray; 2], weights: &[f64]) -> Result<()> {
        _ = (ends, weights);
        Err(Error::internal("a file of edges with integer IDs received strings"))
    }

    /// Completes the file and puts it in its place; the number of edges written.
    ///
    /// # Errors
    /// Failures of writing; a file that appeared under the name meanwhile, unless it may be replaced.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// Refuses weights that do not fit the edges: one each where there are weights, none if there are not.
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
