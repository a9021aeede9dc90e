//! Files that edges are written to, whatever the format.

use outcrop_types::{Error, Result};

/// A file of edges in the making. It appears under its name when [`EdgeSink::finish`] succeeds, and not before.
pub trait EdgeSink: Send {
    /// Appends edges, each a source and a target, with one weight an edge where the file has weights and none where it does not.
    ///
    /// # Errors
    /// Weights that are missing or too many, an id that the format cannot hold, failures of writing.
    fn push(&mut self, edges: &[[u64; 2]], weights: &[f64]) -> Result<()>;

    /// Completes the file and puts it in its place; the number of edges written.
    ///
    /// # Errors
    /// Failures of writing; a file that appeared under the name meanwhile, unless it may be replaced.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// Refuses weights that do not fit the edges: one each where there are weights, none where there are not.
pub(crate) fn check_weights(edges: usize, weights: &[f64], weighted: bool) -> Result<()> {
    let expected = if weighted { edges } else { 0 };
    if weights.len() != expected {
        return Err(Error::internal(format!(
            "{edges} edges need {expected} weights, and {} were given",
            weights.len()
        )));
    }
    if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
        return Err(Error::internal(format!("a weight must be a finite number, and {weight} was given")));
    }
    Ok(())
}
