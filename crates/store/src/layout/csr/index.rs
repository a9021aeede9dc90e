//! Computes the positions of lists from their degrees.

use super::format::ListGeometry;
use crate::component::Component;
use crate::layout::csr::entry::CsrEntry;
use crate::layout::degrees::load_degrees;
use crate::layout::paged_lists::{BLOCK_VERTICES, Block, ListIndex, starts_from_lengths};
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose, Result, VertexValues, index_from};

/// Computes the index from the degrees in `component`.
///
/// # Errors
/// Returns an error if the budget is too small, or if the degrees are damaged or do not match `entry` or the length of
/// the edge file.
pub(super) fn load(
    component: &Component,
    entry: &CsrEntry,
    vertices: u32,
    geometry: ListGeometry,
    edge_pages: u64,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<ListIndex> {
    let mut degrees = load_degrees(component, vertices, budget, Purpose::Index, cancellation)?;
    let count = index_from(u64::from(vertices.div_ceil(BLOCK_VERTICES)));
    let mut blocks = VertexValues::new(budget, Purpose::Index, count, |_| Block::default())?;
    let total = accumulate(&mut degrees, &mut blocks, entry, geometry)
        .ok_or_else(|| Error::corrupt(component.path(), "its degrees do not match the intervals in the manifest"))?;
    if total.arcs != entry.arcs || total.pages != edge_pages {
        let (arcs, pages) = (total.arcs, total.pages);
        let message = format!(
            "its degrees sum to {arcs} on {pages} pages, but the manifest lists {} on {edge_pages}",
            entry.arcs
        );
        return Err(Error::corrupt(component.path(), message));
    }
    Ok(ListIndex::new(degrees, blocks))
}

struct Totals {
    arcs: u64,
    pages: u64,
}

/// Converts degrees to starts and fills the blocks; returns `None` if a sum is too large or the intervals do not
/// match the lists.
fn accumulate(degrees: &mut [u32], blocks: &mut [Block], entry: &CsrEntry, geometry: ListGeometry) -> Option<Totals> {
    let mut intervals = entry.intervals.iter().peekable();
    let (mut slot, mut arcs, mut vertex) = (0_u64, 0_u64, 0_u32);
    let pages = |slot: u64| slot.div_ceil(geometry.entries());
    for (chunk, block) in degrees.chunks_mut(index_from(u64::from(BLOCK_VERTICES))).zip(blocks) {
        if let Some(interval) = intervals.next_if(|interval| interval.first_vertex == vertex) {
            let aligned = interval.first_unit.checked_mul(geometry.entries())?;
            slot = Some(aligned).filter(|_| interval.first_unit == pages(slot))?;
        }
        *block = Block { start: slot, length: starts_from_lengths(chunk)? };
        slot = slot.checked_add(u64::from(block.length)).filter(|slot| *slot <= ListGeometry::MAX_SLOTS)?;
        arcs += u64::from(block.length);
        vertex = vertex.saturating_add(BLOCK_VERTICES);
    }
    intervals.next().is_none().then(|| Totals { arcs, pages: geometry.file_pages(pages(slot)) })
}
