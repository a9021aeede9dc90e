//! Tables of IDs and vertex order of a rewritten store, with the vertices that pending updates added.

use crate::component::ComponentWriter;
use crate::manifest::{FileEntry, Order, OriginalIds};
use crate::original_ids::{
    INTEGERS_NAME, OriginalIdReader, RANK_OF_VERTEX_NAME, RankReader, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME,
};
use crate::store::Store;
use crate::writing::context::Writing;
use crate::writing::edges::IdBatch;
use outcrop_types::{Error, Purpose, Result, VertexRange, index_from, length_from};
use std::ops::Range;

/// Ranks read at once.
const BATCH_RANKS: u32 = 1 << 13;
/// Bytes of texts read at once.
const BATCH_BYTES: u64 = 1 << 20;

/// Returns the memory of [`write_ids`] and [`write_order`], in bytes.
pub(super) fn tables_bytes(store: &Store) -> u64 {
    let manifest = store.manifest();
    let readers = OriginalIdReader::memory(manifest) + RankReader::memory(manifest);
    readers + 2 * ComponentWriter::MEMORY_BYTES + 4 * BATCH_BYTES
}

/// Writes the IDs of all vertices.
///
/// # Errors
///
/// Returns an error if the budget is too small, if the store is damaged, if writing fails, or if the conversion is
/// interrupted.
pub(super) fn write_ids(store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
    let (kind, vertices) = (store.manifest().numbering.ids, store.manifest().graph.vertices);
    if kind == OriginalIds::Dense {
        return Ok(Vec::new());
    }
    let _buffers = writing.context.work.budget.reserve(tables_bytes(store), Purpose::IoBuffers)?;
    let mut reader = OriginalIdReader::open(store, writing.context.work.io)?;
    let text = kind == OriginalIds::Text;
    let mut table = writing.component(if text { TEXTS_NAME } else { INTEGERS_NAME })?;
    let mut ends = text.then(|| writing.component(TEXT_ENDS_NAME)).transpose()?;
    let (mut start, mut written) = (0, 0);
    while start < vertices {
        writing.context.work.cancellation().check()?;
        let batch = reader.batch_end(start..start.saturating_add(BATCH_RANKS).min(vertices), BATCH_BYTES)?;
        match (reader.ids(start..batch)?, &mut ends) {
            (IdBatch::Integers(ids), None) => table.write(bytemuck::cast_slice(&ids))?,
            (IdBatch::Texts { bytes, ends: batch }, Some(ends)) => {
                table.write(&bytes)?;
                batch.iter().try_for_each(|end| ends.write(&(written + length_from(*end)).to_le_bytes()))?;
                written += length_from(bytes.len());
            }
            _ => return Err(Error::internal("the IDs of a store differ in type from its manifest")),
        }
        start = batch;
    }
    let table = table.finish()?;
    Ok(std::iter::once(table).chain(ends.map(ComponentWriter::finish).transpose()?).collect())
}

/// Writes both tables of the order of `store`, in which new vertices are last; none for the original order.
///
/// # Errors
///
/// Returns an error under the same conditions as [`write_ids`].
pub(super) fn write_order(store: &Store, writing: &Writing<'_>) -> Result<Vec<FileEntry>> {
    if store.manifest().numbering.order == Order::Original {
        return Ok(Vec::new());
    }
    let work = writing.context.work;
    let _buffers = work.budget.reserve(tables_bytes(store), Purpose::IoBuffers)?;
    let mut table = writing.component(VERTEX_OF_RANK_NAME)?;
    let mut reader = OriginalIdReader::open(store, work.io)?;
    for batch in batches(store) {
        work.cancellation().check()?;
        table.write(bytemuck::cast_slice(&reader.vertices(batch)?))?;
    }
    drop(reader);
    let vertex_of_rank = table.finish()?;
    let mut table = writing.component(RANK_OF_VERTEX_NAME)?;
    let no_ranks = || Error::internal("a store in another order has no ranks");
    let (mut reader, mut ranks) = (RankReader::open(store, work.io)?.ok_or_else(no_ranks)?, Vec::new());
    for batch in batches(store) {
        work.cancellation().check()?;
        reader.read(VertexRange::new(batch.start, batch.end), &mut ranks)?;
        table.write(bytemuck::cast_slice(&ranks))?;
    }
    Ok(vec![vertex_of_rank, table.finish()?])
}

fn batches(store: &Store) -> impl Iterator<Item = Range<u32>> {
    let vertices = store.manifest().graph.vertices;
    (0..vertices)
        .step_by(index_from(u64::from(BATCH_RANKS)))
        .map(move |start| start..start.saturating_add(BATCH_RANKS).min(vertices))
}
