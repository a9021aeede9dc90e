//! Lists of one direction, decoded in memory: arrays of the starts of all lists and of their entries.

use super::degrees::DegreeReader;
use super::list_slices::ListSlices;
use crate::access::{AccessStatistics, BitBlock, FoldLists, IoCost, Neighbors, Reads, Visit, Workers};
use crate::read::{MEMBERS_AT_ONCE, SERIAL_ENTRIES, SERIAL_MEMBERS, WorkQueue};
use outcrop_types::{
    MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexSet, VertexValues, index_from, length_from,
};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Degrees per read.
const DEGREES_AT_ONCE: u32 = 1 << 14;
/// Vertices and entries per unit of work.
const AT_ONCE: u64 = 1 << 14;
/// Unit of work of sweeps: the vertices of a word of a bit set.
const WORD: u32 = u64::BITS;
/// Of a large set, the estimate of entries examines one block of vertices in this many.
const SAMPLED: u32 = 16;
const SAMPLE_BLOCK: u32 = 1 << 10;

/// Decoded lists of all vertices, with their changes since the build.
pub(super) struct DecodedLists {
    /// Start of each list among all entries, and the end of the last.
    starts: VertexValues<u64>,
    ids: VertexValues<VertexId>,
    weights: Option<VertexValues<f64>>,
    pub(super) workers: Workers,
    pub(super) statistics: AccessStatistics,
}

impl DecodedLists {
    /// Returns the memory of the lists of `vertices` vertices with `entries` entries in total, in bytes.
    pub(super) const fn bytes(vertices: u32, entries: u64, weighted: bool) -> u64 {
        (vertices as u64 + 1) * 8 + entries * if weighted { 12 } else { 4 }
    }

    /// Decodes the lists of `vertices` vertices that `sweep` shows to a visitor, and whose lengths are `degrees`.
    ///
    /// # Errors
    /// Returns the errors of `sweep`, or an error if the degrees are damaged or not those of the lists, or if the
    /// budget is too small.
    pub(super) fn new(
        vertices: u32,
        mut degrees: DegreeReader,
        weighted: bool,
        budget: &MemoryBudget,
        workers: &Workers,
        sweep: impl FnOnce(&dyn Visit) -> Result<()>,
    ) -> Result<Self> {
        let purpose = Purpose::HeldLists;
        let mut starts = VertexValues::<u64>::zeroes(budget, purpose, index_from(u64::from(vertices)) + 1)?;
        let (mut end, mut ends, mut some) = (0, starts.iter_mut().skip(1), Vec::new());
        for range in VertexRange::new(0, vertices).split(DEGREES_AT_ONCE) {
            workers.cancellation().check()?;
            degrees.read(range, &mut some)?;
            // Degrees first: `zip` takes an item of the first iterator more.
            for (degree, place) in some.iter().zip(ends.by_ref()) {
                end += u64::from(*degree);
                *place = end;
            }
        }
        let entries = index_from(end);
        let ids = VertexValues::<AtomicU32>::zeroes(budget, purpose, entries)?;
        let weights = weighted.then(|| VertexValues::<AtomicU64>::zeroes(budget, purpose, entries)).transpose()?;
        let copy = Copy { starts: &starts, ids: &ids, weights: weights.as_deref(), differs: AtomicBool::new(false) };
        sweep(&copy)?;
        if copy.differs.into_inner() {
            return Err(degrees.differ());
        }
        Ok(Self {
            starts,
            ids: ids.map(AtomicU32::into_inner),
            weights: weights.map(|weights| weights.map(|bits| f64::from_bits(bits.into_inner()))),
            workers: workers.clone(),
            statistics: AccessStatistics::default(),
        })
    }

    /// Counts the reads of the lists before they were decoded, but no cache misses, since there is no cache any more.
    pub(super) fn count_loading(&self, before: &AccessStatistics) {
        let figures = before.figures();
        self.statistics.count_loading(Reads { bytes: figures.bytes_read, requests: figures.requests });
        self.statistics.count_waiting(figures.waiting);
    }

    /// Returns true if the lists have weights.
    pub(super) const fn weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Returns the memory of the lists, in bytes.
    pub(super) fn reserved_bytes(&self) -> u64 {
        Self::bytes(self.num_vertices(), length_from(self.ids.len()), self.weighted())
    }

    fn num_vertices(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// Returns the positions of the list of `vertex` among all entries.
    #[inline]
    fn places(&self, vertex: VertexId) -> Range<usize> {
        let position = vertex as usize;
        self.starts[position] as usize..self.starts[position + 1] as usize
    }

    fn degree(&self, vertex: VertexId) -> u64 {
        length_from(self.places(vertex).len())
    }

    pub(super) fn cost_of(&self, set: &VertexSet) -> IoCost {
        let arcs = match set {
            VertexSet::Sparse { members, .. } => members.iter().map(|vertex| self.degree(*vertex)).sum(),
            VertexSet::Dense { bits, .. } => {
                let starts = (0..self.num_vertices()).step_by((SAMPLED * SAMPLE_BLOCK) as usize);
                let block = |start: u32| VertexRange::new(start, start.saturating_add(SAMPLE_BLOCK));
                let of_block = |start| bits.iter_range(block(start)).map(|vertex| self.degree(vertex)).sum::<u64>();
                starts.map(of_block).sum::<u64>() * u64::from(SAMPLED)
            }
        };
        IoCost { arcs, resident_bytes: arcs * 4, ..IoCost::default() }
    }

    pub(super) fn cost_of_sweep(&self) -> IoCost {
        let arcs = length_from(self.ids.len());
        IoCost { arcs, resident_bytes: arcs * 4, ..IoCost::default() }
    }

    /// Returns true if the calling thread visits the lists of `set` alone.
    pub(super) fn selects_alone(&self, set: &VertexSet) -> bool {
        let VertexSet::Sparse { members, .. } = set else { return false };
        let entries = || members.iter().map(|vertex| self.degree(*vertex)).sum::<u64>();
        members.len() <= SERIAL_MEMBERS && entries() <= SERIAL_ENTRIES
    }

    /// Visits the lists of `set`, with weights if `weighted`.
    ///
    /// # Errors
    /// Returns the errors of `visit`, or an error if the run is interrupted.
    pub(super) fn select(&self, set: &VertexSet, weighted: bool, visit: &dyn Visit) -> Result<()> {
        let members = match set {
            VertexSet::Sparse { members, .. } => members,
            VertexSet::Dense { bits, .. } => {
                let everything = VertexRange::new(0, self.num_vertices());
                return self.visit_blocks(everything, weighted, visit, Some(&|range, block| block.take(range, bits)));
            }
        };
        let queue = WorkQueue::new(0..length_from(members.len()), MEMBERS_AT_ONCE);
        self.workers.run(self.selects_alone(set), &|_| {
            let mut slices = self.slices(weighted, visit);
            while let Some(morsel) = queue.take() {
                self.workers.cancellation().check()?;
                let members = &members[index_from(morsel.start)..index_from(morsel.end)];
                members.iter().try_for_each(|vertex| slices.list(*vertex, self.places(*vertex)))?;
            }
            slices.finish(&self.statistics)
        })
    }

    /// Visits the lists of the vertices of `range` that `visit` requests, with weights if `weighted`.
    ///
    /// # Errors
    /// Returns the errors of `visit`, or an error if the run is interrupted.
    pub(super) fn sweep(&self, range: VertexRange, weighted: bool, visit: &dyn Visit) -> Result<()> {
        let fill: FillBlock<'_> = &|range, block| block.fill(range, visit);
        self.visit_blocks(range, weighted, visit, visit.selective().then_some(fill))
    }

    /// Visits the lists of the vertices of `range` that `fill` selects, or of all.
    fn visit_blocks(
        &self,
        range: VertexRange,
        weighted: bool,
        visit: &dyn Visit,
        fill: Option<FillBlock<'_>>,
    ) -> Result<()> {
        let keys = self.key(range.start)..self.key(range.end);
        let little = keys.end - keys.start <= SERIAL_ENTRIES;
        let queue = WorkQueue::new(keys, AT_ONCE);
        self.workers.run(little, &|_| {
            let (mut slices, mut block) = (self.slices(weighted, visit), BitBlock::default());
            while let Some(keys) = queue.take() {
                self.workers.cancellation().check()?;
                let morsel = VertexRange::new(self.bound(range, keys.start), self.bound(range, keys.end));
                match fill {
                    Some(fill) => {
                        fill(morsel, &mut block);
                        block.try_for_each(|vertex| slices.list(vertex, self.places(vertex)))?;
                    }
                    None => slices.lists(morsel, &self.starts[morsel.start as usize..=morsel.end as usize])?,
                }
                slices.count(&self.statistics);
            }
            slices.finish(&self.statistics)
        })
    }

    fn slices<'l>(&'l self, weighted: bool, visit: &'l dyn Visit) -> ListSlices<'l> {
        let weights = self.weights.as_deref().filter(|_| weighted && visit.reads_weights());
        ListSlices::new(visit, &self.ids, weights)
    }

    /// Returns the number of vertices and entries before the list of `vertex`.
    fn key(&self, vertex: VertexId) -> u64 {
        u64::from(vertex) + self.starts[vertex as usize]
    }

    /// Returns the first vertex of `range` that starts at `key` or later and is the first of a word, or the start or
    /// end of `range`.
    fn bound(&self, range: VertexRange, key: u64) -> VertexId {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // Default: the last word may extend beyond all vertex numbers.
        if low == range.start { low } else { low.checked_next_multiple_of(WORD).unwrap_or(range.end).min(range.end) }
    }
}

/// Selects the requested vertices of a range.
type FillBlock<'f> = &'f (dyn Fn(VertexRange, &mut BitBlock) + Sync);

/// Fold that copies pieces of lists to their positions.
struct Copy<'c> {
    starts: &'c [u64],
    ids: &'c [AtomicU32],
    weights: Option<&'c [AtomicU64]>,
    differs: AtomicBool,
}

impl FoldLists for Copy<'_> {
    /// Position of the next piece.
    type Fold = usize;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> usize {
        self.starts[vertex as usize] as usize
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, place: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
        let places = *place..*place + piece.len();
        if length_from(places.end) > self.starts[vertex as usize + 1] {
            self.differs.store(true, Relaxed);
            return ControlFlow::Break(());
        }
        *place = places.end;
        let ids = self.ids[places.clone()].iter().zip(piece.ids());
        ids.for_each(|(cell, id)| cell.store(*id, Relaxed));
        if let Some(cells) = self.weights {
            let mut cells = cells[places].iter();
            piece.try_for_each(|_, weight| {
                cells.next().into_iter().for_each(|cell| cell.store(weight.to_bits(), Relaxed));
                ControlFlow::Continue(())
            })?;
        }
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, place: usize) {
        if length_from(place) != self.starts[vertex as usize + 1] {
            self.differs.store(true, Relaxed);
        }
    }
}
