//! Collects the list entries with neighbors in a range, if whole lists do not fit in memory.

use outcrop_engine::IntervalLists;
use outcrop_engine::atomic_lists::{AtomicLists, as_atomics, as_plain};
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_types::{Error, Result, VertexId, VertexRange, number_from};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for the lists of `vertices` vertices without entries, in bytes.
pub(crate) const fn bytes(vertices: u64) -> u64 {
    (vertices + 1) * 8
}

/// Adds to `counts` the number of entries in the lists of `range` whose neighbors are in each of the intervals that
/// start at `bounds`.
pub(crate) fn count_by_source(
    lists: &dyn Adjacency,
    range: VertexRange,
    bounds: &[VertexId],
    counts: &mut [u64],
) -> Result<()> {
    let count = CountBySource { bounds, counts: counts.iter().map(|count| AtomicU64::new(*count)).collect() };
    lists.sweep(range, &count)?;
    counts.iter_mut().zip(count.counts).for_each(|(count, counted)| *count = counted.into_inner());
    Ok(())
}

struct CountBySource<'c> {
    bounds: &'c [VertexId],
    counts: Vec<AtomicU64>,
}

impl FoldLists for CountBySource<'_> {
    /// Interval of the last neighbor, because neighbors ascend.
    type Fold = usize;

    fn begin(&self, _: VertexId) -> usize {
        0
    }

    fn neighbors(&self, _: VertexId, interval: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
        let mut rest = piece.ids();
        while let Some(first) = rest.first() {
            let before = self.bounds[*interval + 1..].partition_point(|bound| *bound <= *first);
            *interval = (*interval + before).min(self.counts.len() - 1);
            let bound = self.bounds[*interval + 1];
            let inside = rest.partition_point(|neighbor| *neighbor < bound).max(1);
            self.counts[*interval].fetch_add(inside as u64, Relaxed);
            rest = &rest[inside..];
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: usize) {}
}

/// Returns the lists of `range`, restricted to neighbors in `sources`.
pub(crate) fn collect_between(
    lists: &dyn Adjacency,
    sources: VertexRange,
    range: VertexRange,
    weighted: bool,
) -> Result<IntervalLists> {
    let count = Count { sources, start: range.start, counts: as_atomics(vec![0; range.len()]) };
    lists.sweep(range, &count)?;
    let offsets = offsets(as_plain(count.counts))?;
    let cells = AtomicLists::new(offsets.last().map_or(0, |end| *end as usize), weighted);
    lists.sweep(range, &CopyBetween { sources, start: range.start, offsets: &offsets, cells: &cells })?;
    Ok(IntervalLists::from_cells(range, offsets, cells))
}

/// Returns the start of each list, and the end of the last.
fn offsets(counts: Vec<u32>) -> Result<Vec<u32>> {
    let mut offsets = counts;
    let mut entries = 0_u32;
    for place in &mut offsets {
        let count = std::mem::replace(place, entries);
        entries = entries.checked_add(count).ok_or_else(too_many)?;
    }
    offsets.push(entries);
    Ok(offsets)
}

fn too_many() -> Error {
    let most = IntervalLists::MAX_ENTRIES;
    Error::Usage(format!("a shard block would have more than {most} arcs; use more intervals"))
}

/// Returns the entries of a piece whose neighbors are in `sources`. Neighbors ascend.
fn inside(piece: Neighbors<'_>, sources: VertexRange) -> Neighbors<'_> {
    let begin = piece.ids().partition_point(|neighbor| *neighbor < sources.start);
    let end = piece.ids().partition_point(|neighbor| *neighbor < sources.end);
    Neighbors::new(&piece.ids()[begin..end], piece.weights().map(|weights| &weights[begin..end]))
}

struct Count {
    sources: VertexRange,
    start: VertexId,
    counts: Vec<AtomicU32>,
}

impl FoldLists for Count {
    type Fold = u64;

    fn begin(&self, _: VertexId) -> u64 {
        0
    }

    fn neighbors(&self, _: VertexId, count: &mut u64, piece: Neighbors<'_>) -> ControlFlow<()> {
        *count += inside(piece, self.sources).len() as u64;
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, count: u64) {
        self.counts[(vertex - self.start) as usize].store(number_from(count), Relaxed);
    }
}

struct CopyBetween<'c> {
    sources: VertexRange,
    start: VertexId,
    offsets: &'c [u32],
    cells: &'c AtomicLists,
}

impl FoldLists for CopyBetween<'_> {
    /// Position of the next entry.
    type Fold = usize;

    fn begin(&self, vertex: VertexId) -> usize {
        self.offsets[(vertex - self.start) as usize] as usize
    }

    fn neighbors(&self, _: VertexId, place: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
        let piece = inside(piece, self.sources);
        self.cells.put(*place..*place + piece.len(), piece);
        *place += piece.len();
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: usize) {}
}
