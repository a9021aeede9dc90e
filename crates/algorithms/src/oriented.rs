//! Every triangle once, within a reserved amount of memory.
//!
//! Each edge is oriented from the end with fewer list entries to the one with more, of equal ones from the smaller number. A
//! triangle then has one vertex `u` from which two edges leave, to `v` and `w`, and an edge from `v` to `w`. No vertex keeps more
//! neighbours than the square root of the number of list entries: all of them have at least as many entries as itself.
//!
//! As in MGT (Hu, Tao and Chung, SIGMOD 2013), the oriented lists of as many vertices `v` as memory holds are loaded, then the
//! lists of all `u` go past them, in batches that are held as well; where all fits, every list is read once. Deviation: neighbours
//! of `u` are marked in a hash table against which the lists of all `v` are looked up, in place of merging.

mod marks;

use crate::outcome::HeldBytes;
use marks::Marks;
use outcrop_engine::Engine;
use outcrop_engine::neighbourhood::{Held, HeldSpace, HoldNeighbours, Neighbourhoods};
use outcrop_types::{Purpose, Result, VertexId, VertexRange};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// How often an edge counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeWeights {
    /// One that is there in one direction.
    pub(crate) single: u32,
    /// One that is there in both.
    pub(crate) double: u32,
}

/// With the least memory there are about so many batches, each of which takes a pass over the edges.
const MOST_BATCHES: u64 = 64;

/// Memory of the lists and marks of a graph with `arcs` list entries over both directions.
pub(crate) const fn held_bytes(vertices: u32, arcs: u64, slots: usize) -> HeldBytes {
    let (all, marks) = (HeldSpace::bytes_for(arcs / 2, vertices, longest(arcs), slots), marks_bytes(arcs, slots));
    HeldBytes {
        least: 2 * least_batch_bytes(vertices, arcs, slots) + marks,
        most: all + least_batch_bytes(vertices, arcs, slots) + marks,
    }
}

/// The least memory of a batch, whose table of vertices is larger than that of their neighbours in most graphs.
const fn least_batch_bytes(vertices: u32, arcs: u64, slots: usize) -> u64 {
    HeldSpace::bytes_for(arcs / 2 / MOST_BATCHES, vertices / 16 + 1, longest(arcs), slots)
}

/// The most neighbours that a vertex keeps.
const fn longest(arcs: u64) -> u64 {
    arcs.isqrt() + 1
}

const fn marks_bytes(arcs: u64, slots: usize) -> u64 {
    slots as u64 * Marks::bytes_for(longest(arcs))
}

/// What triangles are added to.
pub(crate) struct Triangles<'t> {
    /// The number of list entries of each vertex, both directions together.
    pub(crate) entries: &'t [u32],
    /// How often an edge counts where it is opposite a vertex.
    pub(crate) weights: EdgeWeights,
    /// For each vertex the weight of the edges that make a triangle with it.
    pub(crate) opposite: &'t [AtomicU64],
    /// The number of neighbours of each vertex, where it is wanted.
    pub(crate) degrees: Option<&'t [AtomicU32]>,
}

/// Vertices that a thread takes at once.
const BLOCK: u32 = 256;

impl Triangles<'_> {
    /// Goes through all triangles with `held` bytes for lists; the number of iterations.
    pub(crate) fn find(&self, engine: &Engine<'_>, neighbourhoods: &Neighbourhoods<'_>, held: u64) -> Result<u32> {
        let (arcs, slots, budget) = (neighbourhoods.arcs(), engine.workers().slots(), engine.budget());
        let marks = budget.reserve(marks_bytes(arcs, slots), Purpose::HeldLists)?;
        let space = |bytes: u64| HeldSpace::new(budget, bytes, engine.vertices(), longest(arcs), slots);
        let for_lists = held.saturating_sub(marks.bytes());
        let for_passing = match held >= held_bytes(engine.vertices(), arcs, slots).most {
            true => 0,
            false => (for_lists / 4).max(least_batch_bytes(engine.vertices(), arcs, slots)),
        };
        let staying = space(for_lists - for_passing)?;
        let passing = if for_passing > 0 { Some(space(for_passing)?) } else { None };
        let order = Order { entries: self.entries, longest: longest(arcs) as u32 };
        let tell_apart = self.weights.single != self.weights.double;
        let (mut start, mut iterations) = (0, 0);
        while start < engine.vertices() {
            engine.note_visit(None);
            let range = neighbourhoods.load(start, &staying, &order, tell_apart)?;
            self.count_degrees(engine, &staying, range)?;
            match &passing {
                Some(passing) if range.end - range.start < engine.vertices() => {
                    let mut next = 0;
                    while next < engine.vertices() {
                        let from = neighbourhoods.load(next, passing, &order, tell_apart)?;
                        self.close(engine, (passing, from), (&staying, range))?;
                        next = from.end;
                    }
                }
                _ => self.close(engine, (&staying, range), (&staying, range))?,
            }
            iterations = engine.end_iteration(None);
            start = range.end;
        }
        Ok(iterations)
    }

    /// Counts both ends of the edges of `range`.
    fn count_degrees(&self, engine: &Engine<'_>, space: &HeldSpace, range: VertexRange) -> Result<()> {
        let Some(degrees) = self.degrees else { return Ok(()) };
        in_blocks(engine, range, |positions| {
            for position in positions.iter() {
                let mut count = 0;
                for_each(space.neighbourhood(position as usize), self.weights, |neighbour, _| {
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
            let mut marks = Marks::default();
            for position in positions.iter() {
                let neighbourhood = lowest.neighbourhood(position as usize);
                if neighbourhood.iter().map(|part| part.single.len() + part.double.len()).sum::<usize>() > 1 {
                    self.close_from(from.start + position, neighbourhood, &mut marks, middle);
                }
            }
        })
    }

    fn close_from(
        &self,
        lowest: VertexId,
        neighbourhood: [Held<'_>; 2],
        marks: &mut Marks,
        (space, range): (&HeldSpace, VertexRange),
    ) {
        marks.begin(neighbourhood.iter().map(|part| part.single.len() + part.double.len()).sum());
        for_each(neighbourhood, self.weights, |neighbour, weight| marks.set(neighbour, weight));
        let mut of_lowest = 0_u64;
        for_each(neighbourhood, self.weights, |middle, lower_edge| {
            if middle < range.start || middle >= range.end {
                return;
            }
            let mut of_middle = 0_u64;
            for_each(space.neighbourhood((middle - range.start) as usize), self.weights, |highest, upper_edge| {
                if let Some(long_edge) = marks.hit(highest, lower_edge) {
                    of_middle += u64::from(long_edge);
                    of_lowest += u64::from(upper_edge);
                }
            });
            self.add(middle, of_middle);
        });
        self.add(lowest, of_lowest);
        marks.drain(|highest, weight| self.add(highest, weight));
    }

    fn add(&self, vertex: VertexId, weight: u64) {
        if weight > 0 {
            self.opposite[vertex as usize].fetch_add(weight, Relaxed);
        }
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

#[inline]
fn for_each(neighbourhood: [Held<'_>; 2], weights: EdgeWeights, mut take: impl FnMut(VertexId, u32)) {
    for part in neighbourhood {
        part.single.iter().for_each(|id| take(id.load(Relaxed), weights.single));
        part.double.iter().for_each(|id| take(id.load(Relaxed), weights.double));
    }
}

/// Which end of an edge keeps the other.
struct Order<'o> {
    entries: &'o [u32],
    longest: u32,
}

impl HoldNeighbours for Order<'_> {
    #[inline]
    fn keeps(&self, vertex: VertexId, neighbour: VertexId) -> bool {
        (self.entries[vertex as usize], vertex) < (self.entries[neighbour as usize], neighbour)
    }

    fn at_most(&self, vertex: VertexId) -> u32 {
        self.entries[vertex as usize].min(self.longest)
    }
}
