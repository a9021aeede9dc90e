//! Graph, or some of its vertices and the edges among them, in memory.

use super::queue::Queue;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, Visit, Workers};
use outcrop_types::{BitSet, Error, Result, VertexId, VertexRange, VertexSet, index_from, number_from};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory of a part, its queue and its order, in bytes.
pub(super) const fn part_bytes(vertices: u64, entries: u64) -> u64 {
    Part::bytes(vertices, entries) + Queue::bytes(vertices) + 4 * vertices
}

/// Number of steps in the search for the end of a part.
const BUCKETS: u32 = 1 << 12;

/// Members of a part, and their numbers within it: their positions in an order, relative to the first.
#[derive(Clone, Copy)]
pub(super) struct Members<'m> {
    /// Position of each vertex; `None` if positions equal vertex numbers.
    pub(super) places: Option<&'m [u32]>,
    /// Positions of the members.
    pub(super) range: VertexRange,
}

impl Members<'_> {
    #[inline]
    fn local(&self, vertex: VertexId) -> Option<u32> {
        let place = self.places.map_or(vertex, |places| places[index_from(u64::from(vertex))]);
        self.range.contains(place).then(|| place - self.range.start)
    }

    fn len(&self) -> usize {
        self.range.len()
    }

    /// Visits the lists of all members.
    fn visit<V: Visit>(&self, lists: &dyn Adjacency, workers: &Workers, visit: &V) -> Result<()> {
        workers.cancellation().check()?;
        let vertices = lists.num_vertices();
        if self.len() == index_from(u64::from(vertices)) {
            return lists.sweep(VertexRange::new(0, vertices), visit);
        }
        let bits = BitSet::empty(vertices);
        (0..vertices).filter(|vertex| self.local(*vertex).is_some()).for_each(|vertex| _ = bits.insert(vertex));
        lists.select(&VertexSet::from_bits(bits), visit)
    }

    /// Returns the end of the longest run of positions from the first one whose members fit in `space` bytes with the
    /// list entries among them, and the number of these entries. Takes one sweep, and at least one step.
    pub(super) fn longest(&self, lists: &dyn Adjacency, workers: &Workers, space: u64) -> Result<(u32, u64)> {
        let step = self.range.end.saturating_sub(self.range.start).div_ceil(BUCKETS).max(1);
        let entries: Vec<AtomicU64> = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        self.visit(lists, workers, &Entries { members: self, step, entries: &entries })?;
        let (mut end, mut sum) = (self.range.start, 0);
        for more in entries {
            let next = (end.saturating_add(step).min(self.range.end), sum + more.into_inner());
            let fits =
                next.1 < u64::from(u32::MAX) && part_bytes(u64::from(next.0 - self.range.start), next.1) <= space;
            if end > self.range.start && !fits {
                break;
            }
            (end, sum) = next;
        }
        Ok((end, sum))
    }
}

/// Counts entries by the later of the positions of their endpoints.
struct Entries<'e> {
    members: &'e Members<'e>,
    step: u32,
    entries: &'e [AtomicU64],
}

impl FoldLists for Entries<'_> {
    /// Number of the vertex within the part, if it is a member.
    type Fold = Option<u32>;

    fn begin(&self, vertex: VertexId) -> Option<u32> {
        self.members.local(vertex)
    }

    fn neighbors(&self, _: VertexId, vertex: &mut Option<u32>, piece: Neighbors<'_>) -> ControlFlow<()> {
        let Some(vertex) = *vertex else { return ControlFlow::Break(()) };
        let mut before = 0;
        for neighbor in piece.ids().iter().filter_map(|neighbor| self.members.local(*neighbor)) {
            match neighbor > vertex {
                true => _ = self.entries[index_from(u64::from(neighbor / self.step))].fetch_add(1, Relaxed),
                false => before += 1,
            }
        }
        self.entries[index_from(u64::from(vertex / self.step))].fetch_add(before, Relaxed);
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: Option<u32>) {}
}

/// Out- and in-lists of a part, without loops and repeated edges.
pub(super) struct Part {
    out: Lists,
    into: Lists,
}

impl Part {
    /// Returns the memory of `vertices` vertices with `entries` entries in their out-lists, in bytes.
    pub(super) const fn bytes(vertices: u64, entries: u64) -> u64 {
        2 * 4 * (vertices + 1 + entries)
    }

    /// Reads a part, in two visits of its lists.
    pub(super) fn read(members: &Members<'_>, lists: &dyn Adjacency, workers: &Workers) -> Result<Self> {
        let lengths: Vec<AtomicU32> = (0..=members.len()).map(|_| AtomicU32::new(0)).collect();
        members.visit(lists, workers, &Collect { members, lengths: &lengths, entries: None })?;
        let mut starts: Vec<u32> = lengths.into_iter().map(AtomicU32::into_inner).collect();
        let sum = starts_from_lengths(&mut starts)
            .ok_or_else(|| Error::Usage("a part has more than 2^32 edges".to_owned()))?;
        let next: Vec<AtomicU32> = starts.into_iter().map(AtomicU32::new).collect();
        let entries: Vec<AtomicU32> = (0..sum).map(|_| AtomicU32::new(0)).collect();
        members.visit(lists, workers, &Collect { members, lengths: &next, entries: Some(&entries) })?;
        let out = Lists {
            starts: next.into_iter().map(AtomicU32::into_inner).collect(),
            entries: entries.into_iter().map(AtomicU32::into_inner).collect(),
        };
        Ok(Self { into: out.transposed(), out })
    }

    pub(super) fn len(&self) -> u32 {
        self.out.len()
    }

    pub(super) fn targets(&self, vertex: VertexId) -> &[VertexId] {
        self.out.of(vertex)
    }

    pub(super) fn sources(&self, vertex: VertexId) -> &[VertexId] {
        self.into.of(vertex)
    }
}

/// Consecutive lists.
struct Lists {
    /// Start of each list, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<VertexId>,
}

impl Lists {
    fn len(&self) -> u32 {
        number_from(self.starts.len().saturating_sub(1))
    }

    fn range(&self, vertex: VertexId) -> Range<usize> {
        let at = index_from(u64::from(vertex));
        index_from(u64::from(self.starts[at]))..index_from(u64::from(self.starts[at + 1]))
    }

    #[inline]
    fn of(&self, vertex: VertexId) -> &[VertexId] {
        &self.entries[self.range(vertex)]
    }

    /// Returns the lists of the other direction.
    fn transposed(&self) -> Self {
        let mut starts = vec![0; self.starts.len()];
        self.entries.iter().for_each(|target| starts[index_from(u64::from(*target))] += 1);
        // The sum equals that of the other direction, which did not overflow.
        _ = starts_from_lengths(&mut starts);
        let mut entries = vec![0; self.entries.len()];
        for source in 0..self.len() {
            for target in self.of(source) {
                let next = &mut starts[index_from(u64::from(*target))];
                entries[index_from(u64::from(*next))] = source;
                *next += 1;
            }
        }
        // Each start has moved to the start of the next list.
        starts.rotate_right(1);
        if let Some(first) = starts.first_mut() {
            *first = 0;
        }
        Self { starts, entries }
    }
}

/// Replaces each length with the sum of the previous ones and returns the total, or `None` on overflow.
fn starts_from_lengths(lengths: &mut [u32]) -> Option<u32> {
    let mut sum = 0_u32;
    for length in lengths {
        let start = sum;
        sum = sum.checked_add(*length)?;
        *length = start;
    }
    Some(sum)
}

/// Counts or collects the entries of each member's list.
struct Collect<'c> {
    members: &'c Members<'c>,
    /// Number of entries of each list; while collecting, its start.
    lengths: &'c [AtomicU32],
    entries: Option<&'c [AtomicU32]>,
}

/// Current list: the number of its vertex, the last neighbor, and the number of neighbors so far.
struct Taken {
    vertex: Option<u32>,
    start: u32,
    last: Option<VertexId>,
    count: u32,
}

impl FoldLists for Collect<'_> {
    type Fold = Taken;

    fn begin(&self, vertex: VertexId) -> Taken {
        let vertex = self.members.local(vertex);
        let start = vertex.map_or(0, |vertex| self.lengths[index_from(u64::from(vertex))].load(Relaxed));
        Taken { vertex, start, last: None, count: 0 }
    }

    fn neighbors(&self, _: VertexId, taken: &mut Taken, piece: Neighbors<'_>) -> ControlFlow<()> {
        if taken.vertex.is_none() {
            return ControlFlow::Break(());
        }
        for neighbor in piece.ids() {
            if taken.last.replace(*neighbor) == Some(*neighbor) {
                continue;
            }
            let Some(local) = self.members.local(*neighbor).filter(|local| Some(*local) != taken.vertex) else {
                continue;
            };
            if let Some(entries) = self.entries {
                entries[index_from(u64::from(taken.start) + u64::from(taken.count))].store(local, Relaxed);
            }
            taken.count += 1;
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, taken: Taken) {
        if let (Some(vertex), None) = (taken.vertex, self.entries) {
            self.lengths[index_from(u64::from(vertex))].store(taken.count, Relaxed);
        }
    }
}
