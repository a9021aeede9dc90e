//! Input of a build, batch after batch.

use crate::journal::SegmentWriter;
use crate::manifest::{FileEntry, OriginalIds};
use crate::writing::context::BuildContext;
use crate::writing::edges::{EdgeBatch, EdgeSource, IdBatch, VertexSource};
use outcrop_types::{Error, Phase, ProgressUnit, Result, number_from};

/// Input of a build that is read.
pub(in crate::writing) struct Input {
    pub(in crate::writing) edges: Box<dyn EdgeSource>,
    pub(in crate::writing) vertices: Option<Box<dyn VertexSource>>,
    /// Segment of a journal that all edges are written into, where they have times.
    pub(in crate::writing) journal: Option<SegmentWriter>,
}

/// The vertices of a build with ids other than dense ones.
pub(in crate::writing) struct MappedIds {
    pub(in crate::writing) vertices: u32,
    pub(in crate::writing) kind: OriginalIds,
    pub(in crate::writing) files: Vec<FileEntry>,
}

pub(super) fn no_numbers() -> Error {
    Error::Usage("--ids dense needs ids that are whole numbers; the input has texts".to_owned())
}

/// An id that [`vertex_count`] has let through.
pub(super) fn rank(id: u64) -> u32 {
    number_from(id)
}

pub(super) fn weight_of(batch: &EdgeBatch, edge: usize) -> f64 {
    batch.weights.get(edge).copied().unwrap_or(1.0)
}

pub(super) fn for_each_batch(
    context: &BuildContext<'_>,
    input: &mut Input,
    mut take: impl FnMut(&EdgeBatch) -> Result<()>,
) -> Result<()> {
    let total = input.edges.bytes_total();
    context.observer.phase(&Phase { name: "reading edges", unit: ProgressUnit::Bytes, total });
    let mut batch = EdgeBatch::empty(input.edges.id_kind());
    while input.edges.next_batch(&mut batch)? {
        context.cancellation.check()?;
        if let Some(journal) = &mut input.journal {
            journal.push(&batch)?;
        }
        take(&batch)?;
        context.observer.progress(input.edges.bytes_done());
    }
    Ok(())
}

pub(super) fn for_each_vertex_batch(
    context: &BuildContext<'_>,
    input: &mut Input,
    mut take: impl FnMut(&IdBatch) -> Result<()>,
) -> Result<()> {
    let Some(vertices) = &mut input.vertices else { return Ok(()) };
    let mut batch = IdBatch::empty(vertices.id_kind());
    while vertices.next_batch(&mut batch)? {
        context.cancellation.check()?;
        take(&batch)?;
    }
    Ok(())
}
