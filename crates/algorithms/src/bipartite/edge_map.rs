//! Two sides of a bipartite graph.
//!
//! Definition: a connected component of the undirected graph is bipartite if its vertices can be divided into two sides
//! so that every edge joins both: if it has no cycle of odd length. A loop is such a cycle.
//!
//! Method: in a spanning forest, children are on the other side than their parents. A component is bipartite if no edge
//! joins vertices of the same side.
//!
//! Returns: `side` u32, 0 for the smallest original ID of each component; null in components that are not bipartite;
//! `bipartite` and `odd_vertices`.
//!
//! Memory: 20 bytes per vertex; five sets of vertices; both indexes; in stores of another order the ranks (4 bytes).
//!
//! Passes over the edges: those of an unweighted spanning forest, and one along the out-lists.
//!
//! Deviations: none; the result does not depend on threads, order or layout.

use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::spanning_forest::edge_map::{parents, set_bytes};
use crate::spanning_forest::preorder::Preorder;
use crate::wcc::forest::Forest;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, VertexId, VertexValues, number_from};

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let before = VertexValues::<u32>::bytes(u64::from(vertices));
    Forest::memory(vertices, false)
        .with(Purpose::VertexValues, Preorder::bytes(vertices) - before)
        .with(Purpose::Frontier, set_bytes(vertices))
}

/// Divides the vertices; for an undirected graph, `directions` contains one direction.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn sides(engine: &Engine<'_>, directions: &[Direction], ranks: IdOrder<'_>) -> Result<Outcome> {
    let (parent, _) = parents(engine, directions, ranks)?;
    let tree = Preorder::new(engine, parent)?;
    let vertices = engine.vertices();
    let _sets = engine.budget().reserve(2 * BitSet::bytes(vertices), Purpose::Frontier)?;
    let (second, odd) = (BitSet::empty(vertices), BitSet::empty(vertices));
    tree.downward(|vertex, parent| {
        if !second.contains(parent) {
            second.insert(vertex);
        }
    });
    engine.gather_along(Direction::Out, &SameSide { second: &second, odd: &odd })?;
    let iterations = engine.end_iteration(None);
    tree.upward(|vertex, parent| copy(&odd, vertex, parent));
    tree.downward(|vertex, parent| copy(&odd, parent, vertex));
    let side = engine.vertex_values(|vertex| match odd.contains(vertex) {
        true => UNREACHED,
        false => u32::from(second.contains(vertex)),
    })?;
    let odd_vertices: u32 = number_from(side.iter().filter(|side| **side == UNREACHED).count());
    let values = vec![Scalar::flag("bipartite", odd_vertices == 0), Scalar::count("odd_vertices", odd_vertices)];
    Ok(Outcome { values, ..Outcome::new(vec![Column::new("side", Values::Count(side))], iterations) })
}

/// Adds `to` to the set if it contains `from`.
fn copy(set: &BitSet, from: VertexId, to: VertexId) {
    if set.contains(from) {
        set.insert(to);
    }
}

/// Finds vertices with a neighbor on their side.
struct SameSide<'s> {
    second: &'s BitSet,
    odd: &'s BitSet,
}

impl Gather for SameSide<'_> {
    /// The vertex, and whether a neighbor is on its side.
    type Sum = (VertexId, bool);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, false)
    }

    #[inline]
    fn gather(&self, (vertex, found): &mut Self::Sum, piece: Neighbors<'_>) {
        let side = self.second.contains(*vertex);
        *found |= piece.ids().iter().any(|other| self.second.contains(*other) == side);
    }

    fn apply(&self, vertex: VertexId, (_, found): Self::Sum) {
        if found {
            self.odd.insert(vertex);
        }
    }
}
