//! Assortativity by degree, and mean degrees of neighbors.
//!
//! Definition: the Pearson correlation, over all edges, of the out-degree of the source and the in-degree of the
//! target; in an undirected graph of the degrees of both ends, each edge in both directions and a loop once. Duplicate
//! edges count with their multiplicity, and a loop of an undirected graph counts twice in degrees.
//!
//! Paper: Newman, "Mixing Patterns in Networks", Physical Review E 67, 2003, equation 21 for directed graphs.
//!
//! Returns: `neighbor_degree` f64, the mean of the (out-)degrees of the out-neighbors, null without them;
//! `assortativity`, null if all edges have the same degree at one of their ends.
//!
//! Memory: 12 bytes per vertex and the index of the out-lists; in a directed graph 24 bytes and both indexes; in an
//! undirected one with loops or duplicate edges 16 bytes.
//!
//! Passes over the edges: one, and another one in an undirected graph with loops or duplicate edges.
//!
//! Deviations: sums are exact integers, so the result does not depend on threads, order or layout.

use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::session::Session;
use crate::shape::Shape;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexRange, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

/// Locations of checkpoints.
const PLACES: [&str; 2] = ["loops", "neighbors"];

/// Returns the memory without the indexes.
pub(super) fn memory(shape: &Shape) -> MemoryPlan {
    let vertices = u64::from(shape.vertices);
    let [sums, degrees] = [1 + u64::from(shape.directed), 1 + u64::from(shape.directed || has_loops(shape))];
    MemoryPlan::new()
        .with(Purpose::VertexValues, sums * VertexValues::<u64>::bytes(vertices))
        .with(Purpose::Degrees, degrees * VertexValues::<u32>::bytes(vertices))
}

/// Returns true if lists may have one entry for a loop that counts twice.
const fn has_loops(shape: &Shape) -> bool {
    !shape.directed && !shape.simple
}

/// Computes the assortativity.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn assortativity(engine: &Engine<'_>, run: &Session<'_>) -> Result<Outcome> {
    engine.set_end(RunEnd::Iterations { most: 1, tolerance: None });
    let entries = run.graph.degrees(Direction::Out)?;
    let into = if run.shape.directed { Some(run.graph.degrees(Direction::In)?) } else { None };
    let zero_counts = || VertexValues::new(engine.budget(), Purpose::Degrees, entries.len(), |_| AtomicU32::new(0));
    let loops = if has_loops(&run.shape) { Some(zero_counts()?) } else { None };
    if let Some(loops) = loops.as_ref().filter(|_| !engine.resumes_at(PLACES[1])) {
        engine.gather_in_pieces(Direction::Out, &CountLoops(loops), Some(PLACES[0]), |state| state.shared(loops))?;
    }
    let zeros = || engine.vertex_values(|_| AtomicU64::new(0));
    let degrees = Degrees { entries, into, loops };
    let sums = Sums { degrees: &degrees, out: zeros()?, into: degrees.into.as_ref().map(|_| zeros()).transpose()? };
    engine.gather_in_pieces(Direction::Out, &sums, Some(PLACES[1]), |state| {
        degrees.loops.as_ref().map_or(Ok(()), |loops| state.shared(loops))?;
        state.shared(&sums.out)?;
        sums.into.as_ref().map_or(Ok(()), |into| state.shared(into))
    })?;
    let iterations = engine.end_iteration(None);
    let blocks = engine.workers().map_blocks(engine.vertices(), BLOCK, |block| moments(&degrees, &sums, block));
    let correlation = blocks.into_iter().fold(Moments::default(), Moments::plus).correlation();
    let mut vertex = 0..;
    let mean = sums.out.map(|sum| match (vertex.next().map_or(0, |vertex: usize| degrees.entries[vertex]), sum) {
        (0, _) => f64::INFINITY,
        (entries, sum) => sum.into_inner() as f64 / f64::from(entries),
    });
    let values = vec![Scalar::number("assortativity", correlation)];
    Ok(Outcome { values, ..Outcome::new(vec![Column::new("neighbor_degree", Values::Float64(mean))], iterations) })
}

/// Degrees of the vertices.
struct Degrees {
    /// Number of entries of the out-list.
    entries: VertexValues<u32>,
    /// Number of entries of the in-list of a directed graph.
    into: Option<VertexValues<u32>>,
    loops: Option<VertexValues<AtomicU32>>,
}

impl Degrees {
    #[inline]
    fn out(&self, vertex: VertexId) -> u64 {
        let loops = self.loops.as_ref().map_or(0, |loops| loops[vertex as usize].load(Relaxed));
        u64::from(self.entries[vertex as usize]) + u64::from(loops)
    }

    #[inline]
    fn into(&self, vertex: VertexId) -> u64 {
        self.into.as_ref().map_or_else(|| self.out(vertex), |into| into[vertex as usize].into())
    }
}

/// Counts the loops of each vertex.
struct CountLoops<'l>(&'l [AtomicU32]);

impl Gather for CountLoops<'_> {
    type Sum = (VertexId, u32);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, 0)
    }

    #[inline]
    fn gather(&self, (vertex, loops): &mut Self::Sum, piece: Neighbors<'_>) {
        *loops += piece.ids().iter().map(|neighbor| u32::from(neighbor == vertex)).sum::<u32>();
    }

    fn apply(&self, vertex: VertexId, (_, loops): Self::Sum) {
        self.0[vertex as usize].store(loops, Relaxed);
    }
}

/// Sums of the degrees of the out-neighbors of each vertex.
struct Sums<'d> {
    degrees: &'d Degrees,
    /// Sums of out-degrees.
    out: VertexValues<AtomicU64>,
    /// Sums of in-degrees in a directed graph.
    into: Option<VertexValues<AtomicU64>>,
}

impl Gather for Sums<'_> {
    type Sum = (u64, u64);

    fn begin(&self, _: VertexId) -> Self::Sum {
        (0, 0)
    }

    #[inline]
    fn gather(&self, (out, into): &mut Self::Sum, piece: Neighbors<'_>) {
        *out += piece.ids().iter().map(|neighbor| self.degrees.out(*neighbor)).sum::<u64>();
        if self.into.is_some() {
            *into += piece.ids().iter().map(|neighbor| self.degrees.into(*neighbor)).sum::<u64>();
        }
    }

    fn apply(&self, vertex: VertexId, (out, into): Self::Sum) {
        self.out[vertex as usize].store(out, Relaxed);
        if let Some(sums) = &self.into {
            sums[vertex as usize].store(into, Relaxed);
        }
    }
}

/// Sums over edges, of the degrees of their sources and targets.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: u128,
    sources: u128,
    targets: u128,
    sources_squared: u128,
    targets_squared: u128,
    products: u128,
}

/// Returns the sums over the edges from vertices of `block`; those of targets are over edges to them.
fn moments(degrees: &Degrees, sums: &Sums<'_>, block: VertexRange) -> Moments {
    let of_vertex = |vertex: VertexId| {
        let place = vertex as usize;
        let [source, target] = [degrees.out(vertex), degrees.into(vertex)].map(u128::from);
        let from = u128::from(degrees.entries[place]);
        let to = u128::from(degrees.into.as_ref().unwrap_or(&degrees.entries)[place]);
        Moments {
            count: from,
            sources: from * source,
            targets: to * target,
            sources_squared: from * source * source,
            targets_squared: to * target * target,
            products: source * u128::from(sums.into.as_ref().unwrap_or(&sums.out)[place].load(Relaxed)),
        }
    };
    block.iter().map(of_vertex).fold(Moments::default(), Moments::plus)
}

impl Moments {
    fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sources: self.sources + other.sources,
            targets: self.targets + other.targets,
            sources_squared: self.sources_squared + other.sources_squared,
            targets_squared: self.targets_squared + other.targets_squared,
            products: self.products + other.products,
        }
    }

    /// Returns the Pearson correlation, if both degrees vary.
    fn correlation(self) -> Option<f64> {
        let difference = |sum: u128, [one, other]: [u128; 2]| match (
            self.count.checked_mul(sum).map(i128::try_from),
            one.checked_mul(other).map(i128::try_from),
        ) {
            (Some(Ok(all)), Some(Ok(expected))) => (all - expected) as f64,
            _ => (self.count as f64) * (sum as f64) - (one as f64) * (other as f64),
        };
        let sources = difference(self.sources_squared, [self.sources; 2]);
        let targets = difference(self.targets_squared, [self.targets; 2]);
        let both = difference(self.products, [self.sources, self.targets]);
        (sources > 0.0 && targets > 0.0).then(|| both / sources.sqrt() / targets.sqrt())
    }
}
