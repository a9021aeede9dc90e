//! Bridges and articulation points.
//!
//! Definition: edges and vertices of the undirected graph whose removal increases the number of connected components.
//!
//! Paper: Tarjan and Vishkin, SIAM Journal on Computing 14, 1985, without a depth-first search: the vertices of any
//! spanning forest are numbered in preorder. The edge from a vertex to its parent is a bridge if no other edge leaves
//! the tree below the vertex. Two edges of the forest are in one block (biconnected component) if a chain of edges
//! joins them, and a vertex on edges of two blocks is an articulation point.
//!
//! Returns: `bridge`, an original ID, at the end that is a child in the forest, and `articulation_point` u32;
//! `bridges` and `articulation_points`.
//!
//! Memory: 32 bytes per vertex; five sets of vertices; both indexes; in stores of another order the ranks (4 bytes).
//!
//! Passes over the edges: those of an unweighted spanning forest, and two.
//!
//! Deviations: blocks are found by union-find. The forest is that of `spanning-forest`, so the result does not depend
//! on threads, order or layout.

use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::spanning_forest::edge_map::{parents, set_bytes};
use crate::spanning_forest::preorder::Preorder;
use crate::wcc::forest::Forest;
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, VertexId, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    let more = 2 * VertexValues::<u32>::bytes(u64::from(vertices));
    Forest::memory(vertices, false)
        .with(Purpose::VertexValues, Preorder::bytes(vertices) + more)
        .with(Purpose::Frontier, set_bytes(vertices))
}

/// Finds bridges and articulation points; for an undirected graph, `directions` contains one direction.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn bridges(engine: &Engine<'_>, directions: &[Direction], ranks: IdOrder<'_>) -> Result<Outcome> {
    let (parent, _) = parents(engine, directions, ranks)?;
    let tree = Preorder::new(engine, parent)?;
    let own = |vertex: VertexId| AtomicU32::new(tree.number[vertex as usize]);
    let reach = Reach { tree: &tree, least: engine.vertex_values(own)?, most: engine.vertex_values(own)? };
    for direction in directions {
        engine.gather_along(*direction, &reach)?;
    }
    engine.end_iteration(None);
    tree.upward(|vertex, parent| reach.pass(vertex, parent));
    let blocks = Forest::new(engine)?;
    for direction in directions {
        engine.gather_along(*direction, &Join { tree: &tree, blocks: &blocks })?;
    }
    let iterations = engine.end_iteration(None);
    tree.upward(|vertex, parent| {
        if reach.leaves(vertex, parent) {
            blocks.unite(vertex, parent, (vertex, parent));
        }
    });
    blocks.flatten(engine.workers());
    let is_bridge = |vertex: VertexId| tree.parent[vertex as usize] != UNREACHED && !reach.leaves(vertex, vertex);
    let mut bridge = engine.vertex_values(|vertex| match is_bridge(vertex) {
        true => tree.parent[vertex as usize],
        false => UNREACHED,
    })?;
    let Reach { least, most, .. } = reach;
    drop(most);
    let points = articulation_points(&tree, &blocks, least);
    let count = |values: &VertexValues<u32>, is: fn(u32) -> bool| values.iter().filter(|value| is(**value)).count();
    let (bridges, cuts) = (count(&bridge, |end| end != UNREACHED), count(&points, |cuts| cuts == 1));
    let values =
        [("bridges", bridges), ("articulation_points", cuts)].map(|(name, count)| Scalar::count(name, count as u32));
    ranks.rank(&mut bridge, engine.workers());
    let columns =
        vec![Column::new("bridge", Values::Node(bridge)), Column::new("articulation_point", Values::Count(points))];
    Ok(Outcome { values: values.into(), ..Outcome::new(columns, iterations) })
}

/// Returns 1 for each vertex on edges of two blocks, and 0 for others, in place of `values`. The block of a vertex is
/// that of the edge to its parent.
fn articulation_points(tree: &Preorder, blocks: &Forest, values: VertexValues<AtomicU32>) -> VertexValues<u32> {
    /// Marks a vertex that is an articulation point.
    const CUTS: u32 = UNREACHED - 1;
    let mut first = values.map(|_| UNREACHED);
    tree.upward(|vertex, parent| {
        // The root of a tree has no parent: its first child has its block.
        let block = blocks.parent(vertex);
        let known = match tree.parent[parent as usize] {
            UNREACHED => first[parent as usize],
            _ => blocks.parent(parent),
        };
        match known {
            UNREACHED => first[parent as usize] = block,
            known if known != block => first[parent as usize] = CUTS,
            _ => {}
        }
    });
    first.map(|mark| u32::from(mark == CUTS))
}

/// Smallest and largest number of the neighbors of each vertex, and of those below it.
struct Reach<'t> {
    tree: &'t Preorder,
    least: VertexValues<AtomicU32>,
    most: VertexValues<AtomicU32>,
}

impl Reach<'_> {
    fn of(&self, vertex: VertexId) -> (u32, u32) {
        (self.least[vertex as usize].load(Relaxed), self.most[vertex as usize].load(Relaxed))
    }

    fn widen(&self, vertex: VertexId, least: u32, most: u32) {
        self.least[vertex as usize].fetch_min(least, Relaxed);
        self.most[vertex as usize].fetch_max(most, Relaxed);
    }

    /// Adds the numbers of `vertex` to those of its `parent`.
    fn pass(&self, vertex: VertexId, parent: VertexId) {
        let (least, most) = self.of(vertex);
        self.widen(parent, least, most);
    }

    /// Returns true if an edge from below `vertex`, except that to its parent, leaves the tree below `above`.
    fn leaves(&self, vertex: VertexId, above: VertexId) -> bool {
        let (least, most) = self.of(vertex);
        !(self.tree.is_below(least, above) && self.tree.is_below(most, above))
    }
}

impl Gather for Reach<'_> {
    /// The vertex, and the smallest and largest number of its neighbors.
    type Sum = (VertexId, u32, u32);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        let number = self.tree.number[vertex as usize];
        (vertex, number, number)
    }

    #[inline]
    fn gather(&self, (vertex, least, most): &mut Self::Sum, piece: Neighbors<'_>) {
        let parent = self.tree.parent[*vertex as usize];
        for other in piece.ids().iter().filter(|other| **other != parent) {
            let number = self.tree.number[*other as usize];
            (*least, *most) = ((*least).min(number), (*most).max(number));
        }
    }

    fn apply(&self, vertex: VertexId, (_, least, most): Self::Sum) {
        self.widen(vertex, least, most);
    }
}

/// Joins the blocks of the ends of edges between different branches of a tree.
struct Join<'t> {
    tree: &'t Preorder,
    blocks: &'t Forest,
}

impl Gather for Join<'_> {
    type Sum = VertexId;

    fn begin(&self, vertex: VertexId) -> VertexId {
        vertex
    }

    #[inline]
    fn gather(&self, vertex: &mut VertexId, piece: Neighbors<'_>) {
        let number = |vertex: VertexId| self.tree.number[vertex as usize];
        for other in piece.ids() {
            let related = self.tree.is_below(number(*other), *vertex) || self.tree.is_below(number(*vertex), *other);
            if !related {
                self.blocks.unite(*vertex, *other, (*vertex, *other));
            }
        }
    }

    fn apply(&self, _: VertexId, _: VertexId) {}
}
