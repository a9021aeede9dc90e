//! Enumeration of every triangle once, within a reserved amount of memory.
//!
//! Each edge is oriented from the end with fewer list entries to the one with more, or in a tie to the smaller number.
//! A triangle then has one vertex `u` from which two edges leave, to `v` and `w`, and an edge from `v` to `w`. No
//! vertex keeps more neighbors than the square root of the number of list entries, since all of them have at least as
//! many entries as the vertex.
//!
//! As in MGT (Hu, Tao and Chung, SIGMOD 2013), the oriented lists of as many vertices `u` as fit in memory are loaded,
//! then the lists of all `v` are streamed past them, in batches that are also in memory. Deviations: the loaded lists
//! are those of lowest vertices, not of middle ones; and instead of merging, higher neighbors of `v` are inserted into
//! a hash table, in which the loaded lists of all its lower neighbors are looked up: the lists of lowest vertices are
//! the shorter ones.

use super::marks::Marks;
use crate::outcome::InMemoryListBytes;
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods, SelectNeighbors};
use outcrop_engine::{Engine, State};
use outcrop_types::{Purpose, Result, VertexId, VertexRange, length_from};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Data of edges, and the shares of their vertices in triangles.
pub(crate) trait Shares: Sync {
    /// Data of an edge.
    type Edge: Copy + Default + Send;
    /// Share of a vertex in one or more triangles.
    type Share: Copy + Default + AddAssign + Into<Self::Sum> + Send;
    /// Sum of the shares of a vertex, independent of the order.
    type Sum: Copy + Default + AddAssign;

    /// Size of an edge in an in-memory list, in units of an entry with only a neighbor.
    const EDGE_ENTRIES: u64;

    /// Loads the oriented lists of vertices starting at `start`; returns the range.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    fn load(
        &self,
        neighborhoods: &Neighborhoods<'_>,
        start: VertexId,
        space: &NeighborhoodBuffer,
        order: &Order<'_>,
    ) -> Result<VertexRange>;

    /// Returns the number of neighbors in the list at `position`.
    fn length(&self, space: &NeighborhoodBuffer, position: usize) -> usize;

    /// Calls `take` with each neighbor below `end` in the list at `position`, and the edge to it.
    fn for_each_below(
        &self,
        end: VertexId,
        space: &NeighborhoodBuffer,
        position: usize,
        take: impl FnMut(VertexId, Self::Edge),
    );

    /// Calls `take` with each neighbor in the list at `position`, and the edge to it.
    #[inline]
    fn for_each(&self, space: &NeighborhoodBuffer, position: usize, take: impl FnMut(VertexId, Self::Edge)) {
        self.for_each_below(VertexId::MAX, space, position, take);
    }

    /// Returns the shares of the lowest, the middle and the highest vertex of a triangle, given the edge between the
    /// first two, the one between the first and the last, and the one between the last two.
    fn shares(lower: Self::Edge, long: Self::Edge, upper: Self::Edge) -> [Self::Share; 3];

    /// Adds to the sum of `vertex`; called concurrently.
    fn add(&self, vertex: VertexId, sum: Self::Sum);

    /// Serializes the sums of all vertices.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`State::number`].
    fn visit(&self, state: &mut State<'_>) -> Result<()>;

    /// Scratch space of a thread that processes lists.
    type Room: Default;

    /// Processes the list of `vertex`, at `position`, once before triangles are searched in it.
    fn take_list(&self, vertex: VertexId, space: &NeighborhoodBuffer, position: usize, room: &mut Self::Room) {
        _ = (vertex, space, position, room);
    }
}

/// Approximate number of batches with the minimum memory; each takes a pass over the edges.
const MOST_BATCHES: u32 = 64;

/// Returns the memory of the lists and marks of a graph with `arcs` list entries over both directions.
pub(crate) const fn in_memory_list_bytes<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> InMemoryListBytes {
    let fixed = least_passing::<S>(vertices, arcs, slots) + marks_bytes::<S>(vertices, arcs, slots);
    let batch = lists_bytes::<S>(arcs / 2 / MOST_BATCHES as u64, least_vertices(vertices), longest(arcs), slots);
    InMemoryListBytes { least: batch + fixed, most: lists_bytes::<S>(arcs / 2, vertices, longest(arcs), slots) + fixed }
}

/// Returns the memory of `edges` edges in lists of `vertices`, each up to `longest`.
const fn lists_bytes<S: Shares>(edges: u64, vertices: u32, longest: u64, slots: usize) -> u64 {
    NeighborhoodBuffer::bytes_for(S::EDGE_ENTRIES * edges, vertices, S::EDGE_ENTRIES * longest, slots)
}

/// Returns the number of vertices in the smallest batch.
const fn least_vertices(vertices: u32) -> u32 {
    vertices / MOST_BATCHES + 1
}

/// Returns the minimum memory of the streamed lists. They contain neighbors of both kinds; the lower ones are in a
/// batch.
const fn least_passing<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> u64 {
    let (few, edges) = (least_vertices(vertices), arcs / 2 / MOST_BATCHES as u64);
    lists_bytes::<S>(edges, few, longest(arcs) + few as u64, slots)
}

/// Returns the maximum number of neighbors that a vertex keeps.
const fn longest(arcs: u64) -> u64 {
    arcs.isqrt() + 1
}

const fn marks_bytes<S: Shares>(vertices: u32, arcs: u64, slots: usize) -> u64 {
    slots as u64 * Marks::<S::Edge, S::Share>::bytes_for(vertices, longest(arcs))
}

/// Search for all triangles.
pub(crate) struct Triangles<'t, S> {
    /// Number of list entries of each vertex over both directions.
    pub(crate) entries: &'t [u32],
    /// Use of the triangles.
    pub(crate) shares: S,
    /// Number of neighbors of each vertex, if requested.
    pub(crate) degrees: Option<&'t [AtomicU32]>,
}

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 256;
/// Number of lists that are prefetched at the same time.
const PREFETCHED: usize = 32;
/// Number of lists processed between two points where a run can be stopped.
const PIECE: u32 = 1 << 18;
/// Location of checkpoints.
const PLACE: &str = "lists";

/// Progress of a search, in terms of vertices, so that it is valid for any memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Maximum number of list entries of a vertex with an in-memory list. Vertices with more are never the lowest or
    /// the middle one of a triangle that is searched in lists.
    pub(crate) most_entries: u32,
    /// End of the finished part: every triangle whose lowest vertex precedes this one has been found.
    start: VertexId,
    /// The lists of all vertices before this one are loaded.
    taken: VertexId,
    /// The lists of all vertices before this one have been streamed past the loaded ones.
    next: VertexId,
}

impl Progress {
    /// Creates the progress of a search that has not started, in lists of at most `most_entries` entries.
    pub(crate) const fn none(most_entries: u32) -> Self {
        Self { most_entries, start: 0, taken: 0, next: 0 }
    }

    /// Returns the part of the lists in `range` with equal progress of the streamed lists.
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

/// Lists of the vertices of a range, held in memory.
#[derive(Clone, Copy)]
struct BufferedLists<'s> {
    space: &'s NeighborhoodBuffer,
    range: VertexRange,
}

impl BufferedLists<'_> {
    /// Position of the list of `vertex` among them.
    const fn position(self, vertex: VertexId) -> usize {
        (vertex - self.range.start) as usize
    }
}

impl<S: Shares> Triangles<'_, S> {
    /// Finds all remaining triangles with `held` bytes for lists; returns the number of iterations.
    pub(crate) fn find(
        &self,
        engine: &Engine<'_>,
        neighborhoods: &Neighborhoods<'_>,
        held: u64,
        mut progress: Progress,
    ) -> Result<u32> {
        let (arcs, vertices, slots) = (neighborhoods.arcs(), engine.vertices(), engine.workers().slots());
        let marks = engine.budget().reserve(marks_bytes::<S>(vertices, arcs, slots), Purpose::HeldLists)?;
        let for_lists = held.saturating_sub(marks.bytes());
        let for_passing = (for_lists / 8).max(least_passing::<S>(vertices, arcs, slots));
        let order = Order::new(self, longest(arcs) as u32, progress.most_entries);
        let (passed, below) = self.longest_passed(for_passing, &order, vertices, slots);
        let space = |bytes, vertices, longest| {
            NeighborhoodBuffer::new(engine.budget(), bytes, vertices, S::EDGE_ENTRIES * u64::from(longest), slots)
        };
        let staying = space(for_lists - for_passing, below, order.longest)?;
        let passing = space(for_passing, vertices, passed)?;
        let mut iterations = 0;
        while progress.start < vertices {
            engine.note_visit(None);
            let range = progress.alike(self.shares.load(neighborhoods, progress.start, &staying, &order)?);
            let lowest = BufferedLists { space: &staying, range };
            self.take_lists(engine, lowest, &mut progress)?;
            self.pass(engine, neighborhoods, &passing, order.past(range, passed), lowest, &mut progress)?;
            iterations = engine.end_iteration(None);
            progress.end(range.end);
            if progress.start < vertices {
                self.checkpoint(engine, &mut progress)?;
            }
        }
        Ok(iterations)
    }

    /// Saves a checkpoint at a point where the search can be stopped and resumed.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`outcrop_engine::EngineContext::checkpoint`].
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

    /// Returns the maximum length of a streamed list for the given bytes, and the maximum number of such lists: all if
    /// the lists leave most of the bytes to others.
    fn longest_passed(&self, bytes: u64, order: &Order<'_>, vertices: u32, slots: usize) -> (u32, u32) {
        let entries = self.entries.iter().copied().filter(|entries| *entries <= order.most).max();
        // Default: there is no such list.
        let needed = entries.unwrap_or_default();
        let room = NeighborhoodBuffer::longest_within(bytes, slots) / S::EDGE_ENTRIES;
        let room = room.min(u64::from(u32::MAX)) as u32;
        if needed <= room {
            return (needed, vertices);
        }
        let below = room.saturating_sub(order.longest).max(least_vertices(vertices));
        (order.longest.saturating_add(below), below)
    }

    /// Streams the lists of `order` past those of the lowest vertices of a range.
    fn pass(
        &self,
        engine: &Engine<'_>,
        neighborhoods: &Neighborhoods<'_>,
        passing: &NeighborhoodBuffer,
        order: Order<'_>,
        lowest: BufferedLists<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        let (vertices, rooms, mut next) = (engine.vertices(), Mutex::new(Vec::new()), progress.next);
        engine.begin_parts(vertices.into());
        engine.end_parts(next.into());
        while order.least <= order.most && next < vertices {
            let range = self.shares.load(neighborhoods, next, passing, &order)?;
            let passing = BufferedLists { space: passing, range };
            in_blocks(engine, range, |middles| {
                let unused = rooms.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut marks = unused.unwrap_or_else(|| Marks::new(vertices, longest(neighborhoods.arcs())));
                for middle in middles.iter() {
                    self.close(middle, passing, &order, &mut marks, lowest);
                }
                rooms.lock().unwrap_or_else(PoisonError::into_inner).push(marks);
            })?;
            next = range.end;
            // If less memory holds only some of the loaded lists, the others have less progress.
            if lowest.range.end == progress.taken && next < vertices {
                progress.next = next;
                self.checkpoint(engine, progress)?;
            }
        }
        Ok(())
    }

    /// Counts both ends of the edges of the unprocessed lists in a range, and passes these lists on.
    fn take_lists(&self, engine: &Engine<'_>, held: BufferedLists<'_>, progress: &mut Progress) -> Result<()> {
        let rest = VertexRange::new(progress.taken.min(held.range.end), held.range.end);
        engine.begin_parts(length_from(rest.len()));
        for piece in rest.split(PIECE) {
            in_blocks(engine, piece, |vertices| {
                let mut room = S::Room::default();
                vertices.iter().for_each(|vertex| self.take_list(vertex, held, &mut room));
            })?;
            progress.taken = piece.end;
            self.checkpoint(engine, progress)?;
        }
        Ok(())
    }

    fn take_list(&self, vertex: VertexId, held: BufferedLists<'_>, room: &mut S::Room) {
        let (space, position) = (held.space, held.position(vertex));
        self.shares.take_list(vertex, space, position, room);
        if let Some(degrees) = self.degrees {
            self.shares.for_each(space, position, |neighbor, _| {
                degrees[neighbor as usize].fetch_add(1, Relaxed);
            });
            degrees[vertex as usize].fetch_add(self.shares.length(space, position) as u32, Relaxed);
        }
    }

    /// Finds the triangles whose middle vertex is `middle` and whose lowest vertex is in a range.
    fn close(
        &self,
        middle: VertexId,
        passing: BufferedLists<'_>,
        order: &Order<'_>,
        marks: &mut Marks<S::Edge, S::Share>,
        staying: BufferedLists<'_>,
    ) {
        let (shares, at) = (&self.shares, passing.position(middle));
        let (mut lower, mut higher) = (0, 0);
        shares.for_each(passing.space, at, |neighbor, _| match order.keeps_above(middle, neighbor) {
            true => higher += 1,
            false => lower += 1,
        });
        if lower == 0 || higher == 0 {
            return;
        }
        shares.for_each(passing.space, at, |neighbor, edge| {
            if order.keeps_above(middle, neighbor) {
                marks.set(neighbor, edge);
            }
        });
        // If vertices are ordered by entries, higher neighbors come first.
        let end = if order.descending { middle } else { VertexId::MAX };
        let mut of_middle = S::Sum::default();
        let mut close = |lowest: &[(VertexId, S::Edge)]| {
            staying.space.prefetch(lowest.iter().map(|(lowest, _)| staying.position(*lowest)));
            for (lowest, lower) in lowest {
                let mut of_lowest = S::Sum::default();
                shares.for_each_below(end, staying.space, staying.position(*lowest), |highest, long| {
                    if let Some(mark) = marks.hit(highest) {
                        let [to_lowest, to_middle, to_highest] = S::shares(*lower, long, mark.edge);
                        mark.share += to_highest;
                        of_middle += to_middle.into();
                        of_lowest += to_lowest.into();
                    }
                });
                shares.add(*lowest, of_lowest);
            }
        };
        let mut lowest = [(0, S::Edge::default()); PREFETCHED];
        let mut filled = 0;
        shares.for_each(passing.space, at, |neighbor, edge| {
            if order.keeps_above(middle, neighbor) {
                return;
            }
            lowest[filled] = (neighbor, edge);
            filled = (filled + 1) % lowest.len();
            if filled == 0 {
                close(&lowest);
            }
        });
        close(&lowest[..filled]);
        shares.add(middle, of_middle);
        marks.drain(|highest, share| shares.add(highest, share.into()));
    }
}

/// Calls `work` with blocks of `range`, in parallel.
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
    /// True if vertices are in descending order of entries.
    descending: bool,
    longest: u32,
    /// Minimum and maximum number of entries of a vertex that keeps others.
    least: u32,
    most: u32,
    /// Range of vertices that are kept by those above them.
    below: VertexRange,
}

impl<'o> Order<'o> {
    fn new<S: Shares>(search: &Triangles<'o, S>, longest: u32, most: u32) -> Self {
        let descending = search.entries.is_sorted_by(|before, after| before >= after);
        // A triangle needs two neighbors.
        let least = if search.degrees.is_some() { 1 } else { 2 };
        Self { entries: search.entries, descending, longest, least, most, below: VertexRange::new(0, 0) }
    }

    /// Returns the order for middle vertices of triangles whose lowest vertices are in `below`.
    fn past(&self, below: VertexRange, longest: u32) -> Self {
        let lowest = self.entries[below.start as usize..below.end as usize].iter().copied();
        let least = lowest.filter(|entries| 2 <= *entries && *entries <= self.most).min();
        // Default: no lists are streamed.
        Self { longest, least: least.unwrap_or(u32::MAX), below, ..*self }
    }

    /// Returns true if `neighbor` is the higher end.
    #[inline]
    fn keeps_above(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        if self.descending {
            return neighbor < vertex;
        }
        let [of, other] = [vertex, neighbor].map(|vertex| self.entries[vertex as usize]);
        (of, neighbor) < (other, vertex)
    }
}

impl SelectNeighbors for Order<'_> {
    #[inline]
    fn keeps(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        self.below.start <= neighbor && neighbor < self.below.end || self.keeps_above(vertex, neighbor)
    }

    fn at_most(&self, vertex: VertexId) -> u32 {
        let entries = self.entries[vertex as usize];
        if entries < self.least || entries > self.most { 0 } else { entries.min(self.longest) }
    }
}
