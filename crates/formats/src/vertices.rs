//! The file of vertex ids: `--vertices`.

use crate::edges::{EdgeInput, EdgeListOptions};
use outcrop_store::build::VertexSource;
use outcrop_types::{Error, MemoryBudget, Result};

/// The ids in `input`: the first field of every line that is neither empty nor a comment. Of `options`, what concerns edges is left aside.
///
/// # Errors
/// A file that is missing or cannot be read; a budget without room for the buffers.
pub fn open_vertices(
    input: &EdgeInput,
    options: &EdgeListOptions,
    budget: &MemoryBudget,
) -> Result<Box<dyn VertexSource>> {
    _ = (input, options, budget);
    Err(Error::Usage("reading vertices is not built yet".to_owned()))
}
