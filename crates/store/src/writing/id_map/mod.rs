//! From the user's ids to ranks, in bounded memory.
//!
//! Dense ids are their own ranks. Small whole numbers are ticked off in a bitmap and counted; all other ids are numbered by
//! sorting.

mod by_bitmap;
mod by_sorting;
mod input;
mod ranked_bitmap;

use super::context::{BuildContext, Writing, vertex_count};
use super::edges::{EdgeSink, IdBatch, IdKind};
use super::record::ArcRecord;
use by_sorting::{SortedMapping, TextIds};
use input::{for_each_batch, for_each_vertex_batch, no_numbers, rank, weight_of};
use outcrop_types::{Error, Location, Result};

pub(super) use input::{Input, MappedIds};
pub(super) use ranked_bitmap::RankedBitmap;

/// Reads edges whose ids are the vertices themselves; the number of vertices.
pub(super) fn read_dense<A: ArcRecord>(
    context: &BuildContext<'_>,
    input: &mut Input,
    sink: &mut EdgeSink<A>,
) -> Result<u32> {
    let mut vertices = context.options.num_vertices.unwrap_or(0);
    vertex_count(vertices)?;
    for_each_batch(context, input, |batch| {
        let IdBatch::Integers(ids) = &batch.endpoints else { return Err(no_numbers()) };
        vertices = ids.iter().fold(vertices, |most, id| most.max(id.saturating_add(1)));
        vertex_count(vertices)?;
        for (edge, [source, target]) in ids.as_chunks().0.iter().enumerate() {
            sink.push(context, rank(*source), rank(*target), weight_of(batch, edge))?;
        }
        Ok(())
    })?;
    for_each_vertex_batch(context, input, |batch| {
        let IdBatch::Integers(ids) = batch else { return Err(no_numbers()) };
        vertices = ids.iter().fold(vertices, |most, id| most.max(id.saturating_add(1)));
        Ok(())
    })?;
    vertex_count(vertices)
}

/// Reads edges with any ids, numbers the ids in ascending order, writes them, and passes the edges on as ranks.
pub(super) fn read_mapped<A: ArcRecord>(
    writing: &Writing<'_>,
    input: &mut Input,
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
            let mut mapping = SortedMapping::<TextIds>::new(writing.context)?;
            for_each_batch(writing.context, input, |batch| mapping.take_edges(batch))?;
            for_each_vertex_batch(writing.context, input, |batch| mapping.take_vertices(batch))?;
            mapping.finish(writing, sink)
        }
    }
}
