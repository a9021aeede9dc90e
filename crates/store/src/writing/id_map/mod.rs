//! Mapping from original IDs to ranks, in bounded memory.
//!
//! Dense IDs are their own ranks. Small integers are marked in a bitmap and counted, and strings that fit in memory are
//! numbered by a hash table; all other IDs are numbered by sorting.

mod by_sorting;
mod id_bitmap;
mod in_memory;
mod input;
mod ranked_bitmap;
mod ranks;
mod text_table;

use super::context::{BuildContext, Writing, vertex_count};
use super::edges::{DurableEdges, EdgeBatch, EdgeSink, IdBatch, IdKind};
use super::record::ArcRecord;
use id_bitmap::IdBitmap;
use input::{InputTaker, no_numbers, rank, weight_of};
use outcrop_types::{Error, Location, Result};
use serde::{Deserialize, Serialize};
use text_table::TextTable;

pub(super) use input::{Input, MappedIds, ReadInput};
pub(super) use ranks::Ranks;

/// IDs that are the vertices themselves.
struct DenseIds<'s, A: ArcRecord> {
    vertices: u64,
    sink: &'s mut EdgeSink<A>,
}

/// Durable edges between dense IDs, which survive the process.
#[derive(Serialize, Deserialize)]
struct DurableDenseEdges {
    vertices: u64,
    edges: DurableEdges,
}

impl<A: ArcRecord> DenseIds<'_, A> {
    fn take_ids(&mut self, ids: &[u64]) {
        self.vertices = ids.iter().fold(self.vertices, |most, id| most.max(id.saturating_add(1)));
    }
}

impl<A: ArcRecord> InputTaker for DenseIds<'_, A> {
    type Durable = DurableDenseEdges;

    fn take_edges(&mut self, context: &BuildContext<'_>, batch: &EdgeBatch) -> Result<()> {
        let IdBatch::Integers(ids) = &batch.endpoints else { return Err(no_numbers()) };
        self.take_ids(ids);
        vertex_count(self.vertices)?;
        for (edge, [source, target]) in ids.as_chunks().0.iter().enumerate() {
            self.sink.push(context, rank(*source), rank(*target), weight_of(batch, edge))?;
        }
        Ok(())
    }

    fn take_vertices(&mut self, _: &BuildContext<'_>, batch: &IdBatch) -> Result<()> {
        let IdBatch::Integers(ids) = batch else { return Err(no_numbers()) };
        self.take_ids(ids);
        Ok(())
    }

    fn keep(&mut self, context: &BuildContext<'_>) -> Result<DurableDenseEdges> {
        Ok(DurableDenseEdges { vertices: self.vertices, edges: self.sink.keep(context)? })
    }
}

/// Reads edges whose IDs are the vertices themselves; returns the number of vertices.
pub(super) fn read_dense<A: ArcRecord>(
    writing: &Writing<'_>,
    input: &mut Input,
    sink: &mut EdgeSink<A>,
) -> Result<u32> {
    let context = writing.context;
    let mut vertices = context.options.num_vertices.unwrap_or(0);
    vertex_count(vertices)?;
    if let Some(kept) = input.resume::<DurableDenseEdges>(context)? {
        vertices = kept.vertices;
        sink.resume(context, &kept.edges)?;
    }
    let mut ids = DenseIds { vertices, sink };
    input.read(writing, &mut ids)?;
    vertex_count(ids.vertices)
}

/// Reads edges with any IDs, numbers the IDs in ascending order, writes them, and passes the edges on as ranks.
pub(super) fn read_mapped<A: ArcRecord>(
    writing: &Writing<'_>,
    input: &mut Input,
    sink: &mut EdgeSink<A>,
) -> Result<MappedIds> {
    let vertex_kind = input.vertices.as_ref().map_or(input.edges.id_kind(), |vertices| vertices.id_kind());
    if vertex_kind != input.edges.id_kind() {
        let message = "its IDs and those of the edges have different types; use --ids string to read both as strings";
        return Err(Error::bad_input(Location::file("the --vertices file"), message));
    }
    match input.edges.id_kind() {
        IdKind::Integer => in_memory::map::<IdBitmap, A>(writing, input, sink),
        IdKind::Text => in_memory::map::<TextTable, A>(writing, input, sink),
    }
}
