//! Files of the layout, and their figures in the manifest.

use super::shards::{Largest, ShardTable};
use crate::component::units_for;
use crate::layout::sliding::entry::SlidingEntry;
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{Error, MemoryBudget, Result, VertexId, index_from, length_from};

/// Name of the component with the blocks.
pub const BLOCKS_NAME: &str = "shards.blocks";
/// Name of the component with the starts of intervals, and the arcs and bytes of each block.
pub(crate) const TABLE_NAME: &str = "shards.table";
/// Blocks per read of the table.
const BATCH: usize = 4096;

/// Returns the size of the table of `intervals` intervals, in bytes.
pub(super) const fn table_bytes(intervals: u32) -> u64 {
    (intervals as u64 + 1) * 4 + intervals as u64 * intervals as u64 * 8
}

/// Returns the maxima of the blocks, according to the manifest.
pub(super) const fn largest_of(entry: &SlidingEntry) -> Largest {
    Largest { arcs: entry.most_block_arcs, bytes: entry.most_block_bytes }
}

/// Loads the table of a store, and checks it against the manifest. The caller accounts for the buffers of the reader.
///
/// # Errors
/// Returns an error if the table is missing or damaged, or if the budget is too small.
pub(super) fn load_table(
    store: &Store,
    entry: &SlidingEntry,
    io: IoChoice,
    budget: &MemoryBudget,
) -> Result<ShardTable> {
    let component = store.component(TABLE_NAME, io)?;
    let damaged = |message: &str| Error::corrupt(component.path(), message);
    if component.units() != units_for(table_bytes(entry.intervals)) {
        return Err(damaged("its length does not match the number of intervals"));
    }
    let mut bounds: Vec<VertexId> = vec![0; index_from(u64::from(entry.intervals) + 1)];
    let mut reader = component.reader()?;
    reader.read_at(0, bytemuck::cast_slice_mut(&mut bounds))?;
    // In a graph without vertices, the only interval is empty.
    let vertices = store.manifest().graph.vertices;
    let ascends = bounds.is_sorted_by(|one, next| one < next || vertices == 0);
    if !ascends || bounds.first() != Some(&0) || bounds.last() != Some(&vertices) {
        return Err(damaged("its intervals are not a partition of the vertices"));
    }
    let mut table = ShardTable::new(&bounds, store.manifest().weights(), budget)?;
    let (mut position, mut batch) = (length_from(size_of_val(bounds.as_slice())), vec![[0_u32; 2]; BATCH]);
    while !table.is_complete() {
        let left = index_from(table.blocks()) - table.filled();
        let batch = &mut batch[..left.min(BATCH)];
        reader.read_at(position, bytemuck::cast_slice_mut(batch))?;
        position += length_from(size_of_val(batch));
        let mut blocks = batch.iter().copied();
        blocks.try_for_each(|[arcs, bytes]| table.push(arcs, bytes)).map_err(|error| damaged(&error.to_string()))?;
    }
    if figures_of(&table) == *entry { Ok(table) } else { Err(damaged("its blocks differ from the manifest")) }
}

/// Returns the manifest entry of the blocks of `table`.
pub(super) fn figures_of(table: &ShardTable) -> SlidingEntry {
    let intervals = table.intervals();
    let sum = |of: &dyn Fn(u32) -> u64| (0..intervals).map(of).sum::<u64>();
    let arcs = |from, to| u64::from(table.arcs(crate::access::BlockId { from, to }));
    let out = (0..intervals).map(|from| sum(&|to| arcs(from, to)));
    let into = (0..intervals).map(|to| sum(&|from| arcs(from, to)));
    let widths = table.bounds().windows(2).map(|ends| ends.last().unwrap_or(&0) - ends.first().unwrap_or(&0));
    let largest = table.largest();
    SlidingEntry {
        arcs: table.total(),
        intervals,
        block_bytes: table.end(),
        most_block_arcs: largest.arcs,
        most_block_bytes: largest.bytes,
        most_out_arcs: out.max().unwrap_or(0),
        most_in_arcs: into.max().unwrap_or(0),
        most_vertices: widths.max().unwrap_or(0),
    }
}
