//! Densest subgraph.
//!
//! Definition: the subgraph with the most edges per vertex, approximately. The graph is taken as undirected and simple.
//!
//! Paper: Bahmani, Kumar and Vassilvitskii, PVLDB 5, 2012, with epsilon 0: each round removes all vertices with at most
//! twice as many neighbors as there are edges per vertex (the mean degree). The densest subgraph of all rounds has at
//! least half of the greatest density, as that of Charikar, APPROX 2000, who removes one vertex at a time.
//!
//! Returns: `densest` u32, 1 for the vertices of the subgraph and 0 for others; `density` (edges per vertex, null
//! without vertices), `vertices` and `edges`.
//!
//! Memory: 8 bytes per vertex (the degrees are only needed while neighbors are counted), two sets of vertices, both
//! indexes, and in-memory lists to merge out- and in-lists.
//!
//! Passes over the edges: every list once to count neighbors, and the lists of a vertex once when it is removed.
//!
//! Deviations: none; the result does not depend on threads, order or layout.

use crate::UNREACHED;
use crate::outcome::{Column, Outcome, Scalar, ScalarValue, Values};
use outcrop_engine::Engine;
use outcrop_engine::neighborhood::{CountNeighbors, NeighborhoodBuffer, Neighborhoods, VisitNeighbors};
use outcrop_store::access::Workers;
use outcrop_types::{BitSet, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

/// Location of checkpoints.
const PLACE: &str = "rounds";

/// Returns the memory for `vertices` vertices, including the degrees but without the indexes and in-memory lists.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::VertexValues, 2 * numbers)
        .with(Purpose::Degrees, numbers)
        .with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Returns the memory of the remaining vertices and of those being removed.
const fn frontier_bytes(vertices: u32) -> u64 {
    BitSet::bytes(vertices) + VertexSet::bytes(vertices)
}

/// Subgraph, by its number of vertices and edges.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    vertices: u64,
    edges: u64,
}

impl Size {
    /// Returns true if this subgraph has more edges per vertex than `other`.
    fn is_denser(self, other: Self) -> bool {
        let product = |edges: u64, vertices: u64| u128::from(edges) * u128::from(vertices);
        product(self.edges, other.vertices) > product(other.edges, self.vertices)
    }

    /// Returns the greatest degree of vertices to remove: the mean degree.
    fn limit(self) -> u32 {
        (2 * self.edges).checked_div(self.vertices).map_or(0, |mean| mean as u32)
    }

    fn density(self) -> Option<f64> {
        (self.vertices > 0).then(|| self.edges as f64 / self.vertices as f64)
    }
}

/// Removes vertices of few neighbors in rounds; `space` is for lists.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn densest(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    out_degrees: VertexValues<u32>,
    space: &NeighborhoodBuffer,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(frontier_bytes(vertices), Purpose::Frontier)?;
    let mut rest = Rest {
        degrees: engine.vertex_values(|_| AtomicU32::new(0))?,
        rounds: engine.vertex_values(|_| AtomicU32::new(UNREACHED))?,
        left: BitSet::full(vertices),
    };
    let mut iterations = 0;
    if !engine.resumes_at(PLACE) {
        engine.note_visit(None);
        let degree = |vertex: VertexId| out_degrees[vertex as usize];
        neighborhoods.visit(&VertexSet::all(vertices), space, degree, &CountNeighbors(&rest.degrees))?;
        iterations = engine.end_iteration(None);
    }
    drop(out_degrees);
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: false });
    // The number of the round, and of that before which the rest was densest.
    let (mut round, mut best_round, mut best) = (0, 0, Size::default());
    loop {
        engine.checkpoint(PLACE, |state| {
            state.number(&mut iterations)?;
            state.number(&mut round)?;
            state.number(&mut best_round)?;
            state.number(&mut best.vertices)?;
            state.number(&mut best.edges)?;
            state.members(&mut rest.left)?;
            state.shared(&rest.degrees)?;
            state.shared(&rest.rounds)
        })?;
        let size = rest.size(engine.workers());
        engine.set_done(u64::from(vertices) - size.vertices);
        if size.vertices == 0 {
            break;
        }
        if best.vertices == 0 || size.is_denser(best) {
            (best, best_round) = (size, round);
        }
        let low = rest.remove(engine, size.limit(), round);
        engine.note_visit(Some(&low));
        // A removed vertex has at most this many neighbors in the rest.
        neighborhoods.visit(&low, space, |_| size.limit(), &rest)?;
        round += 1;
        iterations = engine.end_iteration(None);
    }
    let densest = rest.rounds.map(|round| u32::from(round.into_inner() >= best_round));
    let size = |name: &'static str, count: u64| Scalar { name, value: Some(ScalarValue::Count(count)) };
    let values =
        vec![Scalar::number("density", best.density()), size("vertices", best.vertices), size("edges", best.edges)];
    Ok(Outcome { values, ..Outcome::new(vec![Column::new("densest", Values::Count(densest))], iterations) })
}

/// Remaining graph.
struct Rest {
    /// Number of remaining neighbors.
    degrees: VertexValues<AtomicU32>,
    /// Round in which a vertex is removed.
    rounds: VertexValues<AtomicU32>,
    left: BitSet,
}

impl Rest {
    fn degree(&self, vertex: VertexId) -> u32 {
        self.degrees[vertex as usize].load(Relaxed)
    }

    fn size(&self, workers: &Workers) -> Size {
        let of_block = |block| {
            let degrees = self.left.iter_range(block).map(|vertex| u64::from(self.degree(vertex)));
            degrees.fold((0, 0), |(vertices, entries), degree| (vertices + 1, entries + degree))
        };
        let blocks = workers.map_blocks(self.left.universe(), BLOCK, of_block);
        let sum = |of: fn(&(u64, u64)) -> u64| blocks.iter().map(of).sum::<u64>();
        Size { vertices: sum(|block| block.0), edges: sum(|block| block.1) / 2 }
    }

    /// Removes the vertices with at most `limit` neighbors in `round`, and returns them.
    fn remove(&self, engine: &Engine<'_>, limit: u32, round: u32) -> VertexSet {
        let is_low = |vertex: VertexId| self.left.contains(vertex) && self.degree(vertex) <= limit;
        let low = engine.vertex_filter(&VertexSet::all(engine.vertices()), is_low);
        engine.vertex_map(&low, |vertex| {
            self.left.remove(vertex);
            self.rounds[vertex as usize].store(round, Relaxed);
        });
        low
    }
}

impl VisitNeighbors for Rest {
    #[inline]
    fn keeps(&self, _: VertexId, neighbor: VertexId) -> bool {
        self.left.contains(neighbor)
    }

    #[inline]
    fn neighbors(&self, _: VertexId, part: &[VertexId]) {
        for neighbor in part {
            self.degrees[*neighbor as usize].fetch_sub(1, Relaxed);
        }
    }
}
