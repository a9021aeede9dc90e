//! Weakly connected components.
//!
//! Definition: two vertices are in one component if a path joins them, directions ignored; a component is called by the smallest
//! original id in it.
//! Paper: concurrent union-find with linking by index (Jayanti and Tarjan, PODC 2016), edges in one sweep as in semi-external
//! algorithms (Abello, Buchsbaum and Westbrook, Algorithmica 2002).
//! Returns: `component`, an original id, never null.
//! Memory: 4 bytes a vertex, frontiers, and the index of the out-lists. Passes over the edges: one.
//! Deviations: none; the answer does not depend on threads, order or layout.

use crate::Ranks;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_store::access::Adjacency;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory over `vertices` vertices, but for the index.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new().with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Joins the ends of every edge.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn wcc<A: Adjacency>(engine: &Engine<'_, A>, ranks: Ranks<'_>) -> Result<Outcome> {
    let count = engine.vertices() as usize;
    let parent = VertexValues::new(engine.budget(), Purpose::VertexValues, count, |v| AtomicU32::new(v as u32))?;
    let forest = Forest { parent, ranks };
    engine.edge_map(&VertexSet::all(engine.vertices()), &forest, EdgeMapOutput::Nothing)?;
    let iterations = engine.end_iteration(None);
    engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| {
        let root = forest.find(vertex);
        forest.parent[vertex as usize].store(root, Relaxed);
    });
    let component = forest.parent.map(|root| ranks.of(root.into_inner()));
    Ok(Outcome {
        columns: vec![Column { name: "component", values: Values::Node(component) }],
        iterations,
        convergence: None,
    })
}

/// Trees whose roots are the smallest of their vertices by rank.
struct Forest<'r> {
    parent: VertexValues<AtomicU32>,
    ranks: Ranks<'r>,
}

impl Forest<'_> {
    /// The root of the tree of `vertex`; halves the path on the way.
    #[inline]
    fn find(&self, mut vertex: VertexId) -> VertexId {
        loop {
            let parent = self.parent[vertex as usize].load(Relaxed);
            if parent == vertex {
                return vertex;
            }
            let grandparent = self.parent[parent as usize].load(Relaxed);
            if grandparent != parent {
                // A lost race only means that somebody else has shortened the path.
                _ = self.parent[vertex as usize].compare_exchange(parent, grandparent, Relaxed, Relaxed);
            }
            vertex = grandparent;
        }
    }

    fn unite(&self, one: VertexId, other: VertexId) {
        let (mut one, mut other) = (self.find(one), self.find(other));
        while one != other {
            let (upper, lower) = if self.ranks.of(one) < self.ranks.of(other) { (one, other) } else { (other, one) };
            if self.parent[lower as usize].compare_exchange(lower, upper, Relaxed, Relaxed).is_ok() {
                return;
            }
            (one, other) = (self.find(upper), self.find(lower));
        }
    }
}

impl EdgeMap for Forest<'_> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f32) -> bool {
        self.unite(source, target);
        false
    }
}
