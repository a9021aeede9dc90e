//! Every triangle once, within a reserved amount of memory.
//!
//! Each edge is oriented from the end with fewer list entries to the one with more, of equal ones from the smaller number. A
//! triangle then has one vertex `u` from which two edges leave, to `v` and `w`, and an edge from `v` to `w`. No vertex keeps more
//! neighbours than the square root of the number of list entries: all of them have at least as many entries as itself.
//!
//! As in MGT (Hu, Tao and Chung, SIGMOD 2013), the oriented lists of as many vertices `v` as memory holds are loaded, then the
//! lists of all `u` go past them, in batches that are held as well; where all fits, every list is read once. Deviation: neighbours
//! of `u` are marked in a hash table against which the lists of all `v` are looked up, in place of merging.

use super::marks::Marks;
use crate::outcome::HeldBytes;
use outcrop_engine::Engine;
use outcrop_engine::neighbourhood::{HeldSpace, HoldNeighbours, Neighbourhoods};
use outcrop_types::{Purpose, Result, VertexId, VertexRange};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Edges of a kind, and what triangles of them give to their vertices.
pub(crate) trait Shares: Sync {
    /// Data of an edge.
    type Edge: Copy + Default + AddAssign + Into<Self::Sum>;
    /// Shares of a vertex, summed.
    type Sum: Copy + Default + AddAssign;

    /// Room that an edge takes in a list that is held, in entries without anything but a neighbour.
    const EDGE_ENTRIES: u64;

    /// Holds the oriented lists of vertices from `start` on; which.
    ///
    /// # Errors
    /// A failed or damaged read; interruption.
    fn load(
        &self,
        neighbourhoods: &Neighbourhoods<'_>,
        start: VertexId,
        space: &HeldSpace,
        order: &Order<'_>,
    ) -> Result<VertexRange>;

    /// Number of neighbours in the list at `position`.
    fn length(&self, space: &HeldSpace, position: usize) -> usize;

    /// Calls `take` with each neighbour in the list at `position`, and the edge to it.
    fn for_each(&self, space: &HeldSpace, position: usize, take: impl FnMut(VertexId, Self::Edge));

    /// The shares of the lowest, the middle and the highest vertex of a triangle: of the edge between the first two, of that between the
    /// first and the last, and of that between the last two.
    fn shares(lower: Self::Edge, long: Self::Edge, upper: Self::Edge) -> [Self::Edge; 3];

    /// Adds to what `vertex` has; other threads may do so at the same time.
    fn add(&self, vertex: VertexId, sum: Self::Sum);

    /// The most list entries of a vertex whose list is held. Those of more are never the lowest or the middle one of a triangle
    /// that is looked for in lists.
    fn most_entries(&self) -> u32 {
        u32::MAX
    }

    /// State of a thread that goes through lists.
    type State: Default;

    /// Takes the list of `vertex`, at `position`, before triangles are looked for in it; once.
    fn take_list(&self, vertex: VertexId, space: &HeldSpace, position: usize, state: &mut Self::State) {
        _ = (vertex, space, position, state);
    }
}

/// With the least memory there are about so many batches, each of which takes a pass over the edges.
const MOST_BATCHES: u64 = 64;

/// Memory of the lists and marks of a graph with `arcs` list entries over both directions.
pub(crate) const fn held_bytes<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> HeldBytes {
    let (all, marks) = (lists_bytes::<S>(arcs / 2, vertices, arcs, slots), marks_bytes::<S>(arcs, slots));
    let least_batch = least_batch_bytes::<S>(vertices, arcs, slots);
    HeldBytes { least: 2 * least_batch + marks, most: all + least_batch + marks }
}

/// Memory of oriented lists of so many `edges` and `vertices`.
const fn lists_bytes<S: Shares>(edges: u64, vertices: u32, arcs: u64, slots: usize) -> u64 {
    HeldSpace::bytes_for(S::EDGE_ENTRIES * edges, vertices, S::EDGE_ENTRIES * longest(arcs), slots)
}

/// The least memory of a batch, whose table of vertices is larger than that of their neighbours in most graphs.
const fn least_batch_bytes<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> u64 {
    lists_bytes::<S>(arcs / 2 / MOST_BATCHES, vertices / 64 + 1, arcs, slots)
}

/// The most neighbours that a vertex keeps.
const fn longest(arcs: u64) -> u64 {
    arcs.isqrt() + 1
}

const fn marks_bytes<S: Shares>(arcs: u64, slots: usize) -> u64 {
    slots as u64 * Marks::<S::Edge>::bytes_for(longest(arcs))
}

/// A search for all triangles.
pub(crate) struct Triangles<'t, S> {
    /// The number of list entries of each vertex, both directions together.
    pub(crate) entries: &'t [u32],
    /// Use that is made of triangles.
    pub(crate) shares: S,
    /// The number of neighbours of each vertex, where it is wanted.
    pub(crate) degrees: Option<&'t [AtomicU32]>,
}

/// Vertices that a thread takes at once.
const BLOCK: u32 = 256;

impl<S: Shares> Triangles<'_, S> {
    /// Goes through all triangles with `held` bytes for lists; the number of iterations.
    pub(crate) fn find(&self, engine: &Engine<'_>, neighbourhoods: &Neighbourhoods<'_>, held: u64) -> Result<u32> {
        let (arcs, slots, budget) = (neighbourhoods.arcs(), engine.workers().slots(), engine.budget());
        let marks = budget.reserve(marks_bytes::<S>(arcs, slots), Purpose::HeldLists)?;
        let space =
            |bytes: u64| HeldSpace::new(budget, bytes, engine.vertices(), S::EDGE_ENTRIES * longest(arcs), slots);
        let for_lists = held.saturating_sub(marks.bytes());
        let for_passing = match held >= held_bytes::<S>(engine.vertices(), arcs, slots).most {
            true => 0,
            false => (for_lists / 4).max(least_batch_bytes::<S>(engine.vertices(), arcs, slots)),
        };
        let staying = space(for_lists - for_passing)?;
        let passing = if for_passing > 0 { Some(space(for_passing)?) } else { None };
        let most = self.shares.most_entries();
        let order = Order { entries: self.entries, longest: longest(arcs) as u32, most };
        let (mut start, mut iterations) = (0, 0);
        while start < engine.vertices() {
            engine.note_visit(None);
            let range = self.shares.load(neighbourhoods, start, &staying, &order)?;
            self.count_degrees(engine, &staying, range)?;
            match &passing {
                Some(passing) if range.end - range.start < engine.vertices() => {
                    let middle = self.entries[range.start as usize..range.end as usize].iter();
                    let below = middle.copied().filter(|entries| *entries <= most).max();
                    // Default: there is no middle vertex.
                    let below = if start == 0 { most } else { below.unwrap_or_default() };
                    self.pass(engine, neighbourhoods, (passing, Order { most: below, ..order }), (&staying, range))?;
                }
                _ => self.close(engine, (&staying, range), (&staying, range))?,
            }
            iterations = engine.end_iteration(None);
            start = range.end;
        }
        Ok(iterations)
    }

    /// Lets the lists of `order` go past those of the middle vertices of a range.
    fn pass(
        &self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        (passing, order): (&HeldSpace, Order<'_>),
        middle: (&HeldSpace, VertexRange),
    ) -> Result<()> {
        let mut next = 0;
        // A middle vertex has a lower and a higher neighbour, and a lower one has no more.
        while order.most > 1 && next < engine.vertices() {
            let from = self.shares.load(neighbourhoods, next, passing, &order)?;
            self.close(engine, (passing, from), middle)?;
            next = from.end;
        }
        Ok(())
    }

    /// Counts both ends of the edges of `range`.
    fn count_degrees(&self, engine: &Engine<'_>, space: &HeldSpace, range: VertexRange) -> Result<()> {
        let Some(degrees) = self.degrees else { return Ok(()) };
        in_blocks(engine, range, |positions| {
            for position in positions.iter() {
                let mut count = 0;
                self.shares.for_each(space, position as usize, |neighbour, _| {
                    degrees[neighbour as usize].fetch_add(1, Relaxed);
                    count += 1;
                });
                degrees[(range.start + position) as usize].fetch_add(count, Relaxed);
            }
        })
    }

    /// Finds the triangles whose lowest vertex is in the first range and whose middle one is in the second.
    fn close(
        &self,
        engine: &Engine<'_>,
        (lowest, from): (&HeldSpace, VertexRange),
        middle: (&HeldSpace, VertexRange),
    ) -> Result<()> {
        in_blocks(engine, from, |positions| {
            let (mut marks, mut state) = (Marks::default(), S::State::default());
            for position in positions.iter() {
                if middle.1.start == 0 {
                    self.shares.take_list(from.start + position, lowest, position as usize, &mut state);
                }
                if self.shares.length(lowest, position as usize) > 1 {
                    self.close_from((lowest, from, position), &mut marks, middle);
                }
            }
        })
    }

    fn close_from(
        &self,
        (lowest, from, position): (&HeldSpace, VertexRange, u32),
        marks: &mut Marks<S::Edge>,
        (space, range): (&HeldSpace, VertexRange),
    ) {
        let (shares, at, most) = (&self.shares, position as usize, self.shares.most_entries());
        let is_middle = |vertex| range.start <= vertex && vertex < range.end && self.entries[vertex as usize] <= most;
        let mut any = false;
        shares.for_each(lowest, at, |neighbour, _| any |= is_middle(neighbour));
        if !any {
            return;
        }
        marks.begin(shares.length(lowest, at));
        shares.for_each(lowest, at, |neighbour, edge| marks.set(neighbour, edge));
        let mut of_lowest = S::Sum::default();
        shares.for_each(lowest, at, |middle, lower| {
            if !is_middle(middle) {
                return;
            }
            let mut of_middle = S::Sum::default();
            shares.for_each(space, (middle - range.start) as usize, |highest, upper| {
                if let Some(mark) = marks.hit(highest) {
                    let [to_lowest, to_middle, to_highest] = S::shares(lower, mark.edge, upper);
                    mark.share += to_highest;
                    of_middle += to_middle.into();
                    of_lowest += to_lowest.into();
                }
            });
            shares.add(middle, of_middle);
        });
        shares.add(from.start + position, of_lowest);
        marks.drain(|highest, share| shares.add(highest, share.into()));
    }
}

/// Calls `work` with ranges of positions in `range`, all threads at once.
fn in_blocks(engine: &Engine<'_>, range: VertexRange, work: impl Fn(VertexRange) + Sync) -> Result<()> {
    let cancellation = engine.workers().cancellation();
    engine.workers().map_blocks(range.end - range.start, BLOCK, |positions| {
        if !cancellation.is_cancelled() {
            work(positions);
        }
    });
    cancellation.check()
}

/// Order that decides which end of an edge keeps the other.
#[derive(Clone, Copy)]
pub(crate) struct Order<'o> {
    entries: &'o [u32],
    longest: u32,
    /// The most entries of a vertex that keeps others.
    most: u32,
}

impl HoldNeighbours for Order<'_> {
    #[inline]
    fn keeps(&self, vertex: VertexId, neighbour: VertexId) -> bool {
        (self.entries[vertex as usize], vertex) < (self.entries[neighbour as usize], neighbour)
    }

    fn at_most(&self, vertex: VertexId) -> u32 {
        let entries = self.entries[vertex as usize];
        if entries > self.most { 0 } else { entries.min(self.longest) }
    }
}
