//! Says how the input of a build would be read.

use super::request::BuildRequest;
use outcrop_formats::edges::{ExplainedFile, explain_edges};
use outcrop_types::{MemoryBudget, Result};

/// Looks at the first edges of each file of `request`, as [`build`](super::build) would read them; nothing is built.
///
/// # Errors
/// Bad input with its place; a budget that is too small; failures of reading.
pub fn explain(request: &BuildRequest) -> Result<Vec<ExplainedFile>> {
    explain_edges(&request.edges, &request.text_options()?, &MemoryBudget::new(request.memory.bytes()))
}
