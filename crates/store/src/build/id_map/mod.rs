//! From the user's ids to ranks, in bounded memory.
//!
//! Dense ids are their own ranks. Small whole numbers are ticked off in a bitmap and counted; all other ids are numbered by
//! sorting.

mod by_bitmap;
mod by_sorting;

use super::order::EdgeSink;
use super::sort::ArcRecord;
use super::{BuildInput, EdgeBatch, IdBatch, IdKind, Workshop, Writing, vertex_count};
use crate::manifest::{FileEntry, OriginalIds};
use by_sorting::{SortedMapping, TextIds};
use outcrop_types::{Error, Location, Phase, ProgressUnit, Result};

/// The vertices of a build with ids other than dense ones.
pub(super) struct MappedIds {
    pub(super) vertices: u32,
    pub(super) kind: OriginalIds,
    pub(super) files: Vec<FileEntry>,
}

/// Reads edges whose ids are the vertices themselves; the number of vertices.
pub(super) fn read_dense<A: ArcRecord>(
    shop: &Workshop<'_>,
    input: &mut BuildInput,
    sink: &mut EdgeSink<A>,
) -> Result<u32> {
    let mut vertices = shop.options.num_vertices.unwrap_or(0);
    vertex_count(vertices)?;
    for_each_batch(shop, input, |batch| {
        let IdBatch::Integers(ids) = &batch.endpoints else { return Err(no_numbers()) };
        vertices = ids.iter().fold(vertices, |most, id| most.max(id.saturating_add(1)));
        vertex_count(vertices)?;
        for (edge, [source, target]) in ids.as_chunks().0.iter().enumerate() {
            sink.push(shop, rank(*source), rank(*target), weight_of(batch, edge))?;
        }
        Ok(())
    })?;
    for_each_vertex_batch(shop, input, |batch| {
        let IdBatch::Integers(ids) = batch else { return Err(no_numbers()) };
        vertices = ids.iter().fold(vertices, |most, id| most.max(id.saturating_add(1)));
        Ok(())
    })?;
    vertex_count(vertices)
}

fn no_numbers() -> Error {
    Error::Usage("--ids dense needs ids that are whole numbers; the input has texts".to_owned())
}

/// An id that [`vertex_count`] has let through.
fn rank(id: u64) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

fn weight_of(batch: &EdgeBatch, edge: usize) -> f64 {
    batch.weights.get(edge).copied().unwrap_or(1.0)
}

fn for_each_batch(
    shop: &Workshop<'_>,
    input: &mut BuildInput,
    mut take: impl FnMut(&EdgeBatch) -> Result<()>,
) -> Result<()> {
    let total = input.edges.bytes_total();
    shop.observer.phase(&Phase { name: "reading edges", unit: ProgressUnit::Bytes, total });
    let mut batch = EdgeBatch::empty(input.edges.id_kind());
    while input.edges.next_batch(&mut batch)? {
        shop.cancellation.check()?;
        take(&batch)?;
        shop.observer.progress(input.edges.bytes_done());
    }
    Ok(())
}

fn for_each_vertex_batch(
    shop: &Workshop<'_>,
    input: &mut BuildInput,
    mut take: impl FnMut(&IdBatch) -> Result<()>,
) -> Result<()> {
    let Some(vertices) = &mut input.vertices else { return Ok(()) };
    let mut batch = IdBatch::empty(vertices.id_kind());
    while vertices.next_batch(&mut batch)? {
        shop.cancellation.check()?;
        take(&batch)?;
    }
    Ok(())
}

/// Reads edges with any ids, numbers the ids in ascending order, writes them, and passes the edges on as ranks.
pub(super) fn read_mapped<A: ArcRecord>(
    writing: &Writing<'_, '_>,
    input: &mut BuildInput,
    sink: &mut EdgeSink<A>,
) -> Result<MappedIds> {
    let vertex_kind = input.vertices.as_ref().map_or(input.edges.id_kind(), |vertices| vertices.id_kind());
    if vertex_kind != input.edges.id_kind() {
        let message = "its ids and those of the edges are not of one kind; pass --ids string to take both as texts";
        return Err(Error::bad_input(Location::file("the --vertices file"), message));
    }
    match input.edges.id_kind() {
        IdKind::Integer => by_bitmap::map(writing, input, sink),
        IdKind::Text => {
            let mut mapping = SortedMapping::<TextIds>::new(writing.shop)?;
            for_each_batch(writing.shop, input, |batch| mapping.take_edges(batch))?;
            for_each_vertex_batch(writing.shop, input, |batch| mapping.take_vertices(batch))?;
            mapping.finish(writing, sink)
        }
    }
}
