//! Generation of a graph to a file of edges.

use outcrop_formats::edges::{EdgeFormat, NewEdges, create_edges, is_standard_output};
use outcrop_formats::generate::EdgeGenerator;
use outcrop_types::{Cancellation, Observer, Phase, ProgressUnit, Result, WeightType, length_from};
use std::path::Path;

/// Number of edges generated at once.
const BATCH: usize = 1 << 16;

/// Writes all edges of `generator` to `path`, in the format of its extension, or in binary to standard output if it is
/// `-`; returns the number of edges.
///
/// # Errors
///
/// Returns an error if the file exists and `overwrite` is false, if it cannot be written, or if the work is
/// interrupted. In all cases no file remains.
pub fn generate(
    generator: &dyn EdgeGenerator,
    path: &Path,
    overwrite: bool,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<u64> {
    let total = generator.num_edges();
    observer.phase(&Phase { name: "generating edges", unit: ProgressUnit::Edges, total: Some(total) });
    let weights = generator.weighted().then_some(WeightType::F32);
    let num_vertices = Some(generator.num_vertices());
    let piped = is_standard_output(path).then_some(EdgeFormat::Outcrop);
    let file = NewEdges::new(EdgeFormat::written(path, piped)?, total);
    let mut sink = create_edges(path, &NewEdges { weights, num_vertices, overwrite, ..file })?;
    let (mut edges, mut weights) = (Vec::with_capacity(BATCH), Vec::new());
    for first in (0..total).step_by(BATCH) {
        cancellation.check()?;
        edges.clear();
        weights.clear();
        generator.fill(first, BATCH, &mut edges, &mut weights);
        sink.push(&edges, &weights)?;
        observer.progress(first + length_from(edges.len()));
    }
    sink.finish()
}
