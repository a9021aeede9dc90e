//! Minimum spanning forest.
//!
//! Definition: a spanning forest with the smallest sum of weights of the undirected graph. Edges are ordered by weight,
//! then by the smaller and by the larger original ID of their ends; by this order, the forest is unique.
//!
//! Paper: Borůvka, Práce Moravské přírodovědecké společnosti 3, 1926: in each round, each tree takes the lightest edge
//! that leaves it. Trees are those of concurrent union-find (Jayanti and Tarjan, PODC 2016).
//!
//! Returns: `parent` as an original ID and `weight` f64, of the edge from each vertex toward the smallest original ID
//! of its tree; null for that ID itself. `edges` and `total_weight`.
//!
//! Memory: 16 bytes per vertex, and 16 more with weights; five sets of vertices; both indexes; in stores of another
//! order the ranks (4 bytes).
//!
//! Passes over the edges: in each round, the lists of the vertices that had an edge to another tree in the last round;
//! at most log2 n rounds.
//!
//! Deviations: parallel edges and both directions between two vertices are one edge, the lightest of them. The result
//! does not depend on threads, order or layout; the last bits of `total_weight` depend on the order.

use super::lightest::{Edge, EdgeWeights, Find, Lightest};
use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::wcc::forest::Forest;
use crate::weights::require_range;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Engine;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 13;

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32, weighted: bool) -> MemoryPlan {
    let bytes = if weighted { 28 } else { 12 };
    Forest::memory(vertices, false)
        .with(Purpose::VertexValues, bytes * u64::from(vertices))
        .with(Purpose::Frontier, set_bytes(vertices))
}

/// Returns the memory of the searched vertices before and after a round, and of those that are searched next.
pub(crate) const fn set_bytes(vertices: u32) -> u64 {
    2 * VertexSet::bytes(vertices) + 2 * BitSet::bytes(vertices)
}

/// Finds the forest, of the largest weight if `maximum`; for an undirected graph, `directions` contains one direction.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn spanning_forest(
    engine: &Engine<'_>,
    directions: &[Direction],
    ranks: IdOrder<'_>,
    weighted: bool,
    maximum: bool,
) -> Result<Outcome> {
    let (trees, iterations) = grow(engine, directions, ranks, weighted, maximum)?;
    trees.into_outcome(engine, ranks, iterations)
}

/// Returns the parents in a spanning forest that ignores weights, and the number of iterations.
///
/// # Errors
///
/// Returns an error under the same conditions as [`spanning_forest`].
pub(crate) fn parents(
    engine: &Engine<'_>,
    directions: &[Direction],
    ranks: IdOrder<'_>,
) -> Result<(VertexValues<u32>, u32)> {
    let (trees, iterations) = grow(engine, directions, ranks, false, false)?;
    Ok((trees.parent.map(AtomicU32::into_inner), iterations))
}

fn grow(
    engine: &Engine<'_>,
    directions: &[Direction],
    ranks: IdOrder<'_>,
    weighted: bool,
    maximum: bool,
) -> Result<(Trees, u32)> {
    let vertices = engine.vertices();
    let _sets = engine.budget().reserve(set_bytes(vertices), Purpose::Frontier)?;
    let lightest = Lightest::new(engine, ranks, weighted, maximum)?;
    let trees = Trees {
        forest: Forest::new(engine)?,
        parent: engine.vertex_values(|_| AtomicU32::new(UNREACHED))?,
        weight: EdgeWeights::new(engine, weighted)?,
    };
    let (mut active, mut iterations) = (VertexSet::all(vertices), 0);
    while !active.is_empty() {
        engine.checkpoint("trees", |state| {
            state.number(&mut iterations)?;
            state.frontier(&mut active)?;
            trees.forest.visit_parents(state)?;
            state.shared(&trees.parent)?;
            trees.weight.0.iter().try_for_each(|weights| state.shared(weights))?;
            let exists =
                |parent: &AtomicU32| matches!(parent.load(Relaxed), parent if parent < vertices || parent == UNREACHED);
            state.require(trees.parent.iter().all(exists))
        })?;
        trees.forest.flatten(engine.workers());
        let leaving = BitSet::empty(vertices);
        let find = Find { forest: &trees.forest, lightest: &lightest, leaving: &leaving };
        for direction in directions {
            engine.gather_over(&active, *direction, &find)?;
        }
        active = VertexSet::from_bits(leaving);
        each(engine, |root| trees.hang(root, &lightest));
        each(engine, |root| trees.unite(root, &lightest));
        iterations = engine.end_iteration(None);
    }
    drop(lightest);
    trees.root_at_smallest(engine, ranks)?;
    Ok((trees, iterations))
}

/// Calls `work` with every vertex, in parallel.
fn each(engine: &Engine<'_>, work: impl Fn(VertexId) + Sync) {
    engine.workers().map_blocks(engine.vertices(), BLOCK, |block: VertexRange| block.iter().for_each(&work));
}

/// Rooted trees of the edges found so far.
struct Trees {
    /// Trees of the same vertices, for finding the tree of a vertex.
    forest: Forest,
    parent: VertexValues<AtomicU32>,
    /// Weight of the edge to the parent.
    weight: EdgeWeights,
}

impl Trees {
    /// Hangs the tree of `root` onto the other end of its lightest edge. Of two trees with the same edge, the one with
    /// the smaller root stays.
    fn hang(&self, root: VertexId, lightest: &Lightest<'_>) {
        let Some(edge) = lightest.of(root) else { return };
        let other = self.forest.parent(edge.target);
        let stays = root < other && lightest.of(other).is_some_and(|their| their.is_same(edge));
        if !stays {
            self.turn(edge);
        }
    }

    /// Makes the source of `edge` the root of its tree, and a child of the target.
    fn turn(&self, edge: Edge) {
        let Edge { source: mut vertex, target: mut parent, mut weight } = edge;
        while vertex != UNREACHED {
            let old_weight = self.weight.of(vertex);
            let old = self.parent[vertex as usize].swap(parent, Relaxed);
            self.weight.set(vertex, weight);
            (vertex, parent, weight) = (old, vertex, old_weight);
        }
    }

    /// Joins the tree of `root` with the one that its lightest edge leads to.
    fn unite(&self, root: VertexId, lightest: &Lightest<'_>) {
        if let Some(edge) = lightest.of(root) {
            self.forest.unite(edge.source, edge.target, (edge.source, edge.target));
            lightest.clear(root);
        }
    }

    /// Makes the smallest original ID of each tree its root.
    fn root_at_smallest(&self, engine: &Engine<'_>, ranks: IdOrder<'_>) -> Result<()> {
        self.forest.flatten(engine.workers());
        let smallest = engine.vertex_values(|_| AtomicU64::new(u64::MAX))?;
        each(engine, |vertex| {
            let root = &smallest[self.forest.parent(vertex) as usize];
            root.fetch_min(u64::from(ranks.of(vertex)) << 32 | u64::from(vertex), Relaxed);
        });
        each(engine, |root| {
            if self.forest.parent(root) == root {
                let source = smallest[root as usize].load(Relaxed) as VertexId;
                self.turn(Edge { source, target: UNREACHED, weight: 0.0 });
            }
        });
        Ok(())
    }

    fn into_outcome(self, engine: &Engine<'_>, ranks: IdOrder<'_>, iterations: u32) -> Result<Outcome> {
        let Self { forest, parent, weight } = self;
        drop(forest);
        let mut parent = parent.map(AtomicU32::into_inner);
        let weight_of = |vertex: VertexId| match parent[vertex as usize] {
            UNREACHED => f64::INFINITY,
            _ => weight.of(vertex),
        };
        let weights = engine.vertex_values(weight_of)?;
        let finite = |vertex: VertexId| Some(weights[vertex as usize]).filter(|weight| weight.is_finite());
        let total = engine.sum(|vertex| finite(vertex).map_or(0.0, |weight| weight));
        require_range(total, "the sum of the weights of the forest")?;
        let values = vec![
            Scalar::count("edges", engine.sum(|vertex| f64::from(u8::from(finite(vertex).is_some()))) as u32),
            Scalar::number("total_weight", total),
        ];
        ranks.rank(&mut parent, engine.workers());
        let columns =
            vec![Column::new("parent", Values::Node(parent)), Column::new("weight", Values::Float64(weights))];
        Ok(Outcome { values, ..Outcome::new(columns, iterations) })
    }
}
