//! Every triangle once, within a reserved amount of memory.
//!
//! Each edge is oriented from the end with fewer list entries to the one with more, of equal ones to the smaller
//! number. A triangle then has one vertex `u` from which two edges leave, to `v` and `w`, and an edge from `v` to `w`.
//! No vertex keeps more neighbours than the square root of the number of list entries: all of them have at least as
//! many entries as itself.
//!
//! As in MGT (Hu, Tao and Chung, SIGMOD 2013), the oriented lists of as many vertices `u` as memory holds are loaded,
//! then the lists of all `v` go past them, in batches that are held as well. Deviations: what is held are the lists of
//! lowest vertices, not of middle ones; and higher neighbours of `v` are marked in a hash table in which the lists of
//! all its lower neighbours that are held are looked up, in place of merging: the lists of lowest vertices are the
//! shorter ones.

use super::marks::Marks;
use crate::outcome::HeldBytes;
use outcrop_engine::neighbourhood::{HeldSpace, HoldNeighbours, Neighbourhoods};
use outcrop_engine::{Engine, State};
use outcrop_types::{Purpose, Result, VertexId, VertexRange, length_from};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Edges of a kind, and what triangles of them give to their vertices.
pub(crate) trait Shares: Sync {
    /// Data of an edge.
    type Edge: Copy + Default;
    /// Share of a vertex in a triangle, or in some.
    type Share: Copy + Default + AddAssign + Into<Self::Sum>;
    /// Shares of a vertex, summed: the same in any order.
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

    /// Calls `take` with each neighbour below `end` in the list at `position`, and the edge to it.
    fn for_each_below(&self, end: VertexId, space: &HeldSpace, position: usize, take: impl FnMut(VertexId, Self::Edge));

    /// Calls `take` with each neighbour in the list at `position`, and the edge to it.
    #[inline]
    fn for_each(&self, space: &HeldSpace, position: usize, take: impl FnMut(VertexId, Self::Edge)) {
        self.for_each_below(VertexId::MAX, space, position, take);
    }

    /// The shares of the lowest, the middle and the highest vertex of a triangle: of the edge between the first two, of
    /// that between the first and the last, and of that between the last two.
    fn shares(lower: Self::Edge, long: Self::Edge, upper: Self::Edge) -> [Self::Share; 3];

    /// Adds to what `vertex` has; other threads may do so at the same time.
    fn add(&self, vertex: VertexId, sum: Self::Sum);

    /// Shows the sums of all vertices.
    ///
    /// # Errors
    /// As for [`State::number`].
    fn visit(&self, state: &mut State<'_>) -> Result<()>;

    /// Room of a thread that goes through lists.
    type Room: Default;

    /// Takes the list of `vertex`, at `position`, before triangles are looked for in it; once.
    fn take_list(&self, vertex: VertexId, space: &HeldSpace, position: usize, room: &mut Self::Room) {
        _ = (vertex, space, position, room);
    }
}

/// Approximate number of batches with the minimum memory; each takes a pass over the edges.
const MOST_BATCHES: u32 = 64;

/// Memory of the lists and marks of a graph with `arcs` list entries over both directions.
pub(crate) const fn held_bytes<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> HeldBytes {
    let fixed = least_passing::<S>(vertices, arcs, slots) + marks_bytes::<S>(arcs, slots);
    let batch = lists_bytes::<S>(arcs / 2 / MOST_BATCHES as u64, least_vertices(vertices), longest(arcs), slots);
    HeldBytes { least: batch + fixed, most: lists_bytes::<S>(arcs / 2, vertices, longest(arcs), slots) + fixed }
}

/// Memory of so many `edges` in lists of `vertices`, each up to `longest`.
const fn lists_bytes<S: Shares>(edges: u64, vertices: u32, longest: u64, slots: usize) -> u64 {
    HeldSpace::bytes_for(S::EDGE_ENTRIES * edges, vertices, S::EDGE_ENTRIES * longest, slots)
}

/// The number of vertices in the smallest batch.
const fn least_vertices(vertices: u32) -> u32 {
    vertices / MOST_BATCHES + 1
}

/// The least memory of lists that go past others. They have neighbours of both kinds, of which those below are in a
/// batch.
const fn least_passing<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> u64 {
    let (few, edges) = (least_vertices(vertices), arcs / 2 / MOST_BATCHES as u64);
    lists_bytes::<S>(edges, few, longest(arcs) + few as u64, slots)
}

/// The most neighbours that a vertex keeps.
const fn longest(arcs: u64) -> u64 {
    arcs.isqrt() + 1
}

const fn marks_bytes<S: Shares>(arcs: u64, slots: usize) -> u64 {
    slots as u64 * Marks::<S::Edge, S::Share>::bytes_for(longest(arcs))
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
/// Lists that are taken between two places where a run can be stopped.
const PIECE: u32 = 1 << 18;
/// Place of checkpoints.
const PLACE: &str = "lists";

/// Extent of a search so far. It holds for whatever memory: what is done is named by vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// The most list entries of a vertex whose list is held. Those of more are never the lowest or the middle one of a
    /// triangle that is looked for in lists.
    pub(crate) most_entries: u32,
    /// End of the finished part: every triangle whose lowest vertex precedes this one has been found.
    start: VertexId,
    /// The lists of all vertices before this one are taken.
    taken: VertexId,
    /// The lists of all vertices before this one have gone past those that are taken.
    next: VertexId,
}

impl Progress {
    /// A search that has not begun, in lists of at most so many entries.
    pub(crate) const fn none(most_entries: u32) -> Self {
        Self { most_entries, start: 0, taken: 0, next: 0 }
    }

    /// The part of the lists in `range` that all other lists have gone past as far.
    fn alike(&self, range: VertexRange) -> VertexRange {
        let end = if self.next > 0 { range.end.min(self.taken) } else { range.end };
        VertexRange::new(range.start, end)
    }

    /// Records that every triangle whose lowest vertex precedes `start` has been found.
    fn end(&mut self, start: VertexId) {
        self.start = start;
        if start >= self.taken {
            self.next = 0;
        }
    }
}

impl<S: Shares> Triangles<'_, S> {
    /// Goes through all triangles that are left with `held` bytes for lists; the number of iterations.
    pub(crate) fn find(
        &self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        held: u64,
        mut progress: Progress,
    ) -> Result<u32> {
        let (arcs, vertices, slots) = (neighbourhoods.arcs(), engine.vertices(), engine.workers().slots());
        let marks = engine.budget().reserve(marks_bytes::<S>(arcs, slots), Purpose::HeldLists)?;
        let for_lists = held.saturating_sub(marks.bytes());
        let for_passing = (for_lists / 8).max(least_passing::<S>(vertices, arcs, slots));
        let order = Order::new(self, longest(arcs) as u32, progress.most_entries);
        let (passed, below) = self.longest_passed(for_passing, &order, vertices, slots);
        let space = |bytes, vertices, longest| {
            HeldSpace::new(engine.budget(), bytes, vertices, S::EDGE_ENTRIES * u64::from(longest), slots)
        };
        let staying = space(for_lists - for_passing, below, order.longest)?;
        let passing = space(for_passing, vertices, passed)?;
        let mut iterations = 0;
        while progress.start < vertices {
            engine.note_visit(None);
            let range = progress.alike(self.shares.load(neighbourhoods, progress.start, &staying, &order)?);
            self.take_lists(engine, (&staying, range), &mut progress)?;
            let past = (&passing, order.past(range, passed));
            self.pass(engine, neighbourhoods, past, (&staying, range), &mut progress)?;
            iterations = engine.end_iteration(None);
            progress.end(range.end);
            if progress.start < vertices {
                self.checkpoint(engine, &mut progress)?;
            }
        }
        Ok(iterations)
    }

    /// A place where the search can be stopped, and goes on from.
    ///
    /// # Errors
    /// As for [`outcrop_engine::Shell::checkpoint`].
    pub(crate) fn checkpoint(&self, engine: &Engine<'_>, progress: &mut Progress) -> Result<()> {
        engine.checkpoint(PLACE, |state| {
            let Progress { most_entries, start, taken, next } = progress;
            state.number(most_entries)?;
            let vertices = u64::from(engine.vertices());
            [&mut *start, taken, next].into_iter().try_for_each(|position| state.bounded(position, vertices))?;
            state.require(*next == 0 || start < taken)?;
            self.shares.visit(state)?;
            self.degrees.map_or(Ok(()), |degrees| state.shared(degrees))
        })
    }

    /// The longest list that goes past others in so many bytes, and the vertices that these are of at the most: all
    /// where the lists leave most of the bytes to others, whatever they hold.
    fn longest_passed(&self, bytes: u64, order: &Order<'_>, vertices: u32, slots: usize) -> (u32, u32) {
        let entries = self.entries.iter().copied().filter(|entries| *entries <= order.most).max();
        // Default: there is no such list.
        let needed = entries.unwrap_or_default();
        let room = HeldSpace::longest_within(bytes, slots) / S::EDGE_ENTRIES;
        let room = room.min(u64::from(u32::MAX)) as u32;
        if needed <= room {
            return (needed, vertices);
        }
        let below = room.saturating_sub(order.longest).max(least_vertices(vertices));
        (order.longest.saturating_add(below), below)
    }

    /// Lets the lists of `order` go past those of the lowest vertices of a range.
    fn pass(
        &self,
        engine: &Engine<'_>,
        neighbourhoods: &Neighbourhoods<'_>,
        (passing, order): (&HeldSpace, Order<'_>),
        lowest: (&HeldSpace, VertexRange),
        progress: &mut Progress,
    ) -> Result<()> {
        let mut next = progress.next;
        engine.begin_parts(engine.vertices().into());
        engine.end_parts(next.into());
        while order.least <= order.most && next < engine.vertices() {
            let range = self.shares.load(neighbourhoods, next, passing, &order)?;
            in_blocks(engine, range, |middles| {
                let mut marks = Marks::default();
                for middle in middles.iter() {
                    let at = (middle - range.start) as usize;
                    self.close((middle, passing, at), &order, &mut marks, lowest);
                }
            })?;
            next = range.end;
            // Where less memory holds only some of the lists that are taken, the others have not come as far.
            if lowest.1.end == progress.taken && next < engine.vertices() {
                progress.next = next;
                self.checkpoint(engine, progress)?;
            }
        }
        Ok(())
    }

    /// Counts both ends of the edges of those in a range whose lists are not taken, and hands these over.
    fn take_lists(
        &self,
        engine: &Engine<'_>,
        (space, range): (&HeldSpace, VertexRange),
        progress: &mut Progress,
    ) -> Result<()> {
        let rest = VertexRange::new(progress.taken.min(range.end), range.end);
        engine.begin_parts(length_from(rest.len()));
        for piece in rest.split(PIECE) {
            in_blocks(engine, piece, |vertices| {
                let mut room = S::Room::default();
                vertices.iter().for_each(|vertex| self.take_list(vertex, (space, range), &mut room));
            })?;
            progress.taken = piece.end;
            self.checkpoint(engine, progress)?;
        }
        Ok(())
    }

    fn take_list(&self, vertex: VertexId, (space, range): (&HeldSpace, VertexRange), room: &mut S::Room) {
        let position = (vertex - range.start) as usize;
        self.shares.take_list(vertex, space, position, room);
        if let Some(degrees) = self.degrees {
            self.shares.for_each(space, position, |neighbour, _| {
                degrees[neighbour as usize].fetch_add(1, Relaxed);
            });
            degrees[vertex as usize].fetch_add(self.shares.length(space, position) as u32, Relaxed);
        }
    }

    /// Finds the triangles whose middle vertex is `middle` and whose lowest one is in a range.
    fn close(
        &self,
        (middle, passing, at): (VertexId, &HeldSpace, usize),
        order: &Order<'_>,
        marks: &mut Marks<S::Edge, S::Share>,
        (staying, range): (&HeldSpace, VertexRange),
    ) {
        let shares = &self.shares;
        let (mut lower, mut higher) = (0, 0);
        shares.for_each(passing, at, |neighbour, _| match order.keeps_above(middle, neighbour) {
            true => higher += 1,
            false => lower += 1,
        });
        if lower == 0 || higher == 0 {
            return;
        }
        marks.begin(higher);
        shares.for_each(passing, at, |neighbour, edge| {
            if order.keeps_above(middle, neighbour) {
                marks.set(neighbour, edge);
            }
        });
        // Higher neighbours come first where the order of vertices is that of entries.
        let end = if order.descending { middle } else { VertexId::MAX };
        let mut of_middle = S::Sum::default();
        shares.for_each(passing, at, |lowest, lower| {
            if order.keeps_above(middle, lowest) {
                return;
            }
            let mut of_lowest = S::Sum::default();
            shares.for_each_below(end, staying, (lowest - range.start) as usize, |highest, long| {
                if let Some(mark) = marks.hit(highest) {
                    let [to_lowest, to_middle, to_highest] = S::shares(lower, long, mark.edge);
                    mark.share += to_highest;
                    of_middle += to_middle.into();
                    of_lowest += to_lowest.into();
                }
            });
            shares.add(lowest, of_lowest);
        });
        shares.add(middle, of_middle);
        marks.drain(|highest, share| shares.add(highest, share.into()));
    }
}

/// Calls `work` with blocks of `range`, all threads at once.
fn in_blocks(engine: &Engine<'_>, range: VertexRange, work: impl Fn(VertexRange) + Sync) -> Result<()> {
    let cancellation = engine.workers().cancellation();
    engine.workers().map_blocks(range.end - range.start, BLOCK, |positions| {
        if !cancellation.is_cancelled() {
            work(VertexRange::new(range.start + positions.start, range.start + positions.end));
            engine.end_parts(length_from(positions.len()));
        }
    });
    cancellation.check()
}

/// Order that decides which end of an edge keeps the other.
#[derive(Clone, Copy)]
pub(crate) struct Order<'o> {
    entries: &'o [u32],
    /// True if no vertex has more entries than one with a smaller number.
    descending: bool,
    longest: u32,
    /// The least and the most entries of a vertex that keeps others.
    least: u32,
    most: u32,
    /// Vertices that are kept by those above them.
    below: VertexRange,
}

impl<'o> Order<'o> {
    fn new<S: Shares>(search: &Triangles<'o, S>, longest: u32, most: u32) -> Self {
        let descending = search.entries.is_sorted_by(|before, after| before >= after);
        // Two neighbours make a triangle.
        let least = if search.degrees.is_some() { 1 } else { 2 };
        Self { entries: search.entries, descending, longest, least, most, below: VertexRange::new(0, 0) }
    }

    /// Returns the order for middle vertices of triangles whose lowest vertices are in `below`.
    fn past(&self, below: VertexRange, longest: u32) -> Self {
        let lowest = self.entries[below.start as usize..below.end as usize].iter().copied();
        let least = lowest.filter(|entries| 2 <= *entries && *entries <= self.most).min();
        // Default: nothing goes past.
        Self { longest, least: least.unwrap_or(u32::MAX), below, ..*self }
    }

    /// True if `neighbour` is the higher end.
    #[inline]
    fn keeps_above(&self, vertex: VertexId, neighbour: VertexId) -> bool {
        if self.descending {
            return neighbour < vertex;
        }
        let [of, other] = [vertex, neighbour].map(|vertex| self.entries[vertex as usize]);
        (of, neighbour) < (other, vertex)
    }
}

impl HoldNeighbours for Order<'_> {
    #[inline]
    fn keeps(&self, vertex: VertexId, neighbour: VertexId) -> bool {
        self.below.start <= neighbour && neighbour < self.below.end || self.keeps_above(vertex, neighbour)
    }

    fn at_most(&self, vertex: VertexId) -> u32 {
        let entries = self.entries[vertex as usize];
        if entries < self.least || entries > self.most { 0 } else { entries.min(self.longest) }
    }
}
