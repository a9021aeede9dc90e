//! Where each vertex's list lies: 4.25 bytes a vertex.

use super::format::{BLOCK_VERTICES, ListGeometry};
use crate::component::Component;
use crate::layout::degrees::load_degrees;
use crate::manifest::CsrEntry;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from,
};
use std::ops::Range;

/// The lists of 64 vertices: where the first begins, and how many entries they have together.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    start: u64,
    entries: u32,
}

/// The position of every list among the entries of an edge file.
#[derive(Debug)]
pub struct RowIndex {
    /// Where each list begins, counted from the start of its block.
    starts: VertexValues<u32>,
    blocks: VertexValues<Block>,
}

impl RowIndex {
    /// Memory of the index of `vertices` vertices, in bytes.
    pub fn bytes(vertices: u32) -> u64 {
        let blocks = u64::from(vertices.div_ceil(BLOCK_VERTICES));
        VertexValues::<u32>::bytes(u64::from(vertices)) + VertexValues::<Block>::bytes(blocks)
    }

    /// Computes the index from the degrees in `component`.
    ///
    /// # Errors
    /// The budget is too small, or the degrees are damaged or do not agree with `entry` or the length of the edge file.
    pub fn load(
        component: &Component,
        entry: &CsrEntry,
        vertices: u32,
        geometry: ListGeometry,
        edge_pages: u64,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
    ) -> Result<Self> {
        let mut degrees = load_degrees(component, vertices, budget, Purpose::Index, cancellation)?;
        let count = index_from(u64::from(vertices.div_ceil(BLOCK_VERTICES)));
        let mut blocks = VertexValues::new(budget, Purpose::Index, count, |_| Block::default())?;
        let total = accumulate(&mut degrees, &mut blocks, entry, geometry)
            .ok_or_else(|| Error::corrupt(component.path(), "its degrees do not fit the intervals in the manifest"))?;
        if total.arcs != entry.arcs || total.pages != edge_pages {
            let message = format!("its degrees add up to {} where the manifest lists {}", total.arcs, entry.arcs);
            return Err(Error::corrupt(component.path(), message));
        }
        Ok(Self { starts: degrees, blocks })
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        VertexId::try_from(self.starts.len()).unwrap_or(VertexId::MAX)
    }

    /// The entries of the list of `vertex`.
    #[inline]
    pub fn list(&self, vertex: VertexId) -> Range<u64> {
        let block = self.blocks[index_from(u64::from(vertex / BLOCK_VERTICES))];
        let start = self.starts[index_from(u64::from(vertex))];
        let next = vertex + 1;
        let end = match self.starts.get(index_from(u64::from(next))) {
            Some(end) if !next.is_multiple_of(BLOCK_VERTICES) => *end,
            _ => block.entries,
        };
        block.start + u64::from(start)..block.start + u64::from(end)
    }

    /// How many entries the list of `vertex` has.
    #[inline]
    pub fn degree(&self, vertex: VertexId) -> u32 {
        let list = self.list(vertex);
        // Fewer than 2^32, as 64 lists together have.
        u32::try_from(list.end - list.start).unwrap_or(u32::MAX)
    }

    /// The entries of the lists of `range`, which is not empty.
    pub fn lists(&self, range: VertexRange) -> Range<u64> {
        self.list(range.start).start..self.list(range.end - 1).end
    }
}

struct Totals {
    arcs: u64,
    pages: u64,
}

/// Turns degrees into starts and fills the blocks; `None` where a sum is too large or an interval begins within a list.
fn accumulate(degrees: &mut [u32], blocks: &mut [Block], entry: &CsrEntry, geometry: ListGeometry) -> Option<Totals> {
    let mut intervals = entry.intervals.iter().peekable();
    let (mut slot, mut arcs, mut vertex) = (0_u64, 0_u64, 0_u32);
    let pages = |slot: u64| slot.div_ceil(geometry.entries());
    for (chunk, block) in degrees.chunks_mut(index_from(u64::from(BLOCK_VERTICES))).zip(blocks) {
        if let Some(interval) = intervals.next_if(|interval| interval.first_vertex == vertex) {
            let aligned = interval.first_unit.checked_mul(geometry.entries())?;
            slot = Some(aligned).filter(|_| interval.first_unit == pages(slot))?;
        }
        *block = Block { start: slot, entries: starts_from_degrees(chunk)? };
        slot = slot.checked_add(u64::from(block.entries)).filter(|slot| *slot <= ListGeometry::MAX_SLOTS)?;
        arcs += u64::from(block.entries);
        vertex = vertex.saturating_add(BLOCK_VERTICES);
    }
    intervals.next().is_none().then(|| Totals { arcs, pages: geometry.file_pages(pages(slot)) })
}

/// Replaces each degree by the sum of those before it and returns the sum of all; `None` where that overflows.
fn starts_from_degrees(degrees: &mut [u32]) -> Option<u32> {
    let mut sum = 0_u32;
    for degree in degrees {
        let next = sum.checked_add(*degree)?;
        *degree = sum;
        sum = next;
    }
    Some(sum)
}
