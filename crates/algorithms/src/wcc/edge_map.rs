//! Weakly connected components.
//!
//! Definition: two vertices are in one component if a path joins them, directions ignored; a component is called by the
//! smallest original id in it. Methods:
//! - `sweep`: joins the ends of every edge. Reads the out-lists once, and never the in-lists. Where a neighbour is a
//!   child of the root at hand, which is most often, an edge costs one look at its parent.
//! - `afforest`: Sutton, Ben-Nun and Barak, IPDPS 2018. Joins each vertex with the first neighbours of its lists, finds
//!   the largest tree by a sample, and then only looks at the vertices outside it, along out- and, in a directed graph,
//!   in-lists: an edge from the largest tree is seen from its other end. Lists in chunks show their first neighbours
//!   without being read; else the out-lists are read once for those, and most in-lists of directed Kronecker graphs for
//!   the many vertices without out-edges.
//! - `auto`, the default: `afforest` where lists are long and show first neighbours, else `sweep`.
//! - `label-propagation`: every vertex takes the smallest label among its neighbours, until nothing changes. Reads the
//!   out- and in-lists of a vertex once for each round in which its label has fallen.
//!
//! Trees are those of concurrent union-find with linking by index (Jayanti and Tarjan, PODC 2016), in sweeps as in
//! semi-external algorithms (Abello, Buchsbaum and Westbrook, Algorithmica 2002). Returns: `component`, an original id,
//! never null. Memory: 4 bytes and a bit a vertex, for label propagation also frontiers; the index of the out-lists,
//! and but for `sweep` of the in-lists. Passes over the edges: see the methods. Deviations: Afforest samples neighbours
//! in one sweep in place of one for each; what it skips is found among 1024 vertices at equal distances. The answer
//! does not depend on the method, threads, order or layout; the rounds of label propagation may.

use super::forest::Forest;
use crate::IdOrder;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::Engine;
use outcrop_store::access::Adjacency;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexValues};

/// Place of checkpoints of a sweep.
const SWEEP: &str = "edges";

/// Algorithm that finds components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Afforest if lists are long and show their first neighbors without being read, else a sweep.
    #[default]
    Auto,
    /// Joins the edges of a sample, and then those of the vertices outside its largest tree.
    Afforest,
    /// Joins the ends of every edge, once.
    Sweep,
    /// Propagates labels.
    LabelPropagation,
}

/// Memory of labels over `vertices` vertices, but for frontiers and the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Finds components by `method`. `into` is the same as `out` in an undirected graph, and not read by a sweep.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn wcc(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    ranks: IdOrder<'_>,
    method: Method,
) -> Result<Outcome> {
    if method == Method::LabelPropagation {
        let found = super::label_propagation::components(engine, out, into, ranks)?;
        return Ok(outcome(found));
    }
    let forest = Forest::new(engine)?;
    if let Some(changes) = engine.restore_result(|state| forest.visit(state))? {
        let iterations = super::repair::go_on(engine, (out, into), &forest, changes)?;
        return Ok(outcome((forest.components(ranks, engine)?, iterations)));
    }
    let long = are_long(out.num_arcs(), engine.vertices());
    let sampled = || long && out.shows_first_neighbours() && into.shows_first_neighbours();
    // A run goes on in the way in which it began, whatever memory holds now.
    let samples = || !engine.resumes_at(SWEEP) && (super::afforest::goes_on(engine).is_some() || sampled());
    Ok(outcome(match method == Method::Afforest || method == Method::Auto && samples() {
        true => super::afforest::components(engine, out, into, ranks, forest)?,
        false => sweep(engine, out, ranks, forest)?,
    }))
}

fn outcome((component, iterations): (VertexValues<u32>, u32)) -> Outcome {
    Outcome::new(vec![Column::new("component", Values::Node(component))], iterations)
}

/// True if lists are so long that their first neighbours are a small part of them.
pub(super) fn are_long(entries: u64, vertices: u32) -> bool {
    entries >= 8 * u64::from(vertices)
}

fn sweep(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    ranks: IdOrder<'_>,
    forest: Forest,
) -> Result<(VertexValues<u32>, u32)> {
    engine.note_visit(None);
    forest.unite_lists(engine, (SWEEP, out), &mut None)?;
    let iterations = engine.end_iteration(None);
    Ok((forest.components(ranks, engine)?, iterations))
}
