//! Explanation of how the input of a build would be read.

use super::request::BuildRequest;
use outcrop_formats::edges::{ExplainedFile, explain_edges};
use outcrop_types::{MemoryBudget, Result};

/// Reads the first edges of each file of `request` as [`build`](super::build) would; builds nothing.
///
/// # Errors
///
/// Returns an error with its location if the input is invalid, if the budget is too small, or if reading fails.
pub fn explain(request: &BuildRequest) -> Result<Vec<ExplainedFile>> {
    explain_edges(&request.edges, &request.text_options()?, &MemoryBudget::new(request.resources.memory.bytes()))
}
