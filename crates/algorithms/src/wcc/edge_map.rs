//! Weakly connected components.
//!
//! Definition: two vertices are in one component if a path joins them, ignoring directions; a component is named by its
//! smallest original ID. Methods:
//! - `sweep`: joins the ends of every edge. Reads the out-lists once, and never the in-lists. If a neighbor is a child
//!   of the current root, which is the common case, an edge costs one access to its parent.
//! - `afforest`: Sutton, Ben-Nun and Barak, IPDPS 2018. Joins each vertex with its first neighbors, finds the largest
//!   tree by a sample, and then only processes the vertices outside it, along out- and, in a directed graph, in-lists:
//!   an edge from the largest tree is seen from its other end. Lists in chunks provide their first neighbors without
//!   being read; otherwise the out-lists are read once for those, and most in-lists of directed Kronecker graphs for
//!   the many vertices without out-edges.
//! - `auto`, the default: `afforest` if lists are long and provide first neighbors, otherwise `sweep`.
//! - `label-propagation`: every vertex takes the smallest label among its neighbors, until nothing changes. Reads the
//!   out- and in-lists of a vertex once for each round in which its label has fallen.
//!
//! Trees are those of concurrent union-find with linking by index (Jayanti and Tarjan, PODC 2016), in sweeps as in
//! semi-external algorithms (Abello, Buchsbaum and Westbrook, Algorithmica 2002).
//!
//! Returns: `component`, an original ID, never null.
//!
//! Memory: 4 bytes and a bit per vertex, for label propagation also frontiers; the index of the out-lists and, except
//! for `sweep`, of the in-lists.
//!
//! Passes over the edges: see the methods.
//!
//! Deviations: Afforest samples neighbors in one sweep instead of one sweep per neighbor; the largest tree is found
//! among 1024 evenly spaced vertices. The result does not depend on the method, threads, order or layout; the rounds of
//! label propagation may.

use super::forest::Forest;
use crate::IdOrder;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::Engine;
use outcrop_store::access::Adjacency;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexValues};

/// Location of checkpoints of a sweep.
const SWEEP: &str = "edges";

/// Algorithm that finds components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Afforest if lists are long and provide their first neighbors without being read, otherwise a sweep.
    #[default]
    Auto,
    /// Joins the edges of a sample, and then those of the vertices outside its largest tree.
    Afforest,
    /// Joins the ends of every edge, once.
    Sweep,
    /// Propagates labels.
    LabelPropagation,
}

/// Returns the memory of labels of `vertices` vertices, without frontiers and the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Finds components by `method`. `into` is the same as `out` in an undirected graph, and a sweep does not read it.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn wcc(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    ranks: IdOrder<'_>,
    method: Method,
) -> Result<Outcome> {
    if method == Method::LabelPropagation {
        let (component, iterations) = super::label_propagation::components(engine, out, into, ranks)?;
        return Ok(outcome(component, iterations));
    }
    let forest = Forest::new(engine)?;
    if let Some(changes) = engine.restore_result(|state| forest.visit(state))? {
        let iterations = super::repair::repair_result(engine, out, into, &forest, changes)?;
        return Ok(outcome(forest.components(ranks, engine)?, iterations));
    }
    let long = are_long(out.num_arcs(), engine.vertices());
    let sampled = || long && out.can_peek_first_neighbors() && into.can_peek_first_neighbors();
    // A resumed run keeps its method, regardless of the available memory.
    let samples = || !engine.resumes_at(SWEEP) && (super::afforest::resume_place(engine).is_some() || sampled());
    let (component, iterations) = match method == Method::Afforest || method == Method::Auto && samples() {
        true => super::afforest::components(engine, out, into, ranks, forest)?,
        false => sweep(engine, out, ranks, forest)?,
    };
    Ok(outcome(component, iterations))
}

fn outcome(component: VertexValues<u32>, iterations: u32) -> Outcome {
    Outcome::new(vec![Column::new("component", Values::Node(component))], iterations)
}

/// Returns true if lists are long enough that their first neighbors are a small part of them.
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
    forest.unite_lists(engine, SWEEP, out, &mut None)?;
    let iterations = engine.end_iteration(None);
    Ok((forest.components(ranks, engine)?, iterations))
}
