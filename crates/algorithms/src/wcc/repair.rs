//! Incremental components, based on the previous result.
//!
//! The previous result is a forest of edges that span the components. Trees are joined by those that still exist. If
//! one was deleted, other connections of its ends are searched from both sides, except for the largest tree, which is
//! seen from the other side, until both are connected or one side is completely explored. The same applies to inserted
//! edges, from the side that is not in the largest tree. The cost depends on the size of the disconnected part, and on
//! the detours around it.
//!
//! Deleting other edges costs nothing, as in Henzinger and King, Journal of the ACM 1999; only this idea is from there.

use super::forest::Forest;
use super::links::Edge;
use outcrop_engine::{Changes, Engine, FrontierBuilder};
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, are_same};
use outcrop_types::{BitSet, EdgeDirection, Purpose, Result, VertexId};
use std::ops::ControlFlow;

/// Returns the memory for `vertices` vertices in addition to that of a forest with links and of frontiers, in bytes.
pub(super) const fn sets_bytes(vertices: u32) -> u64 {
    2 * BitSet::bytes(vertices)
}

/// Updates `forest`, which contains the links of the previous result, to the current graph; returns the number of
/// rounds.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn repair_result(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    forest: &Forest,
    changes: &Changes,
) -> Result<u32> {
    let vertices = engine.vertices();
    let _held = engine.budget().reserve(sets_bytes(vertices), Purpose::Frontier)?;
    let is_removed = |arc: Edge| changes.removed.binary_search(&arc).is_ok();
    let mut broken =
        forest.link_again(engine.workers(), |(one, other)| !is_removed((one, other)) && !is_removed((other, one)));
    let core = forest.largest(engine);
    let (found, waiting) = (BitSet::empty(vertices), BitSet::empty(vertices));
    let search = Search { forest, core, found: &found, waiting: &waiting };
    let together = |(one, other): &Edge| forest.find(*one) == forest.find(*other);
    let apart = changes.added.iter().filter(|arc| !together(arc));
    let begun = apart.chain(&broken).flat_map(|(one, other)| [*one, *other]).filter(|end| search.is_outside(*end));
    let mut near = engine.collect(|next| {
        begun.filter(|end| found.insert(*end)).for_each(|end| next.add(end));
        Ok(())
    })?;
    let mut rounds = 0;
    while !near.is_empty() {
        engine.touch(near.len() as u64);
        engine.visit(out, &near, EdgeDirection::Push, &search)?;
        if !are_same(out, into) {
            engine.visit(into, &near, EdgeDirection::Push, &search)?;
        }
        rounds = engine.end_iteration(None);
        broken.retain(|edge| !together(edge));
        near = engine.collect(|next| {
            search.take(&broken, engine, next);
            Ok(())
        })?;
    }
    Ok(rounds)
}

/// Search for connections of trees.
struct Search<'s> {
    forest: &'s Forest,
    /// Vertex of the largest tree.
    core: Option<VertexId>,
    /// Vertices that were found, and those of them whose lists were not processed.
    found: &'s BitSet,
    waiting: &'s BitSet,
}

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

impl Search<'_> {
    fn is_outside(&self, vertex: VertexId) -> bool {
        self.core.is_none_or(|core| self.forest.find(vertex) != self.forest.find(core))
    }

    /// Takes the pending vertices in trees at the ends of `broken` edges.
    fn take(&self, broken: &[Edge], engine: &Engine<'_>, next: &FrontierBuilder) {
        let ends = broken.iter().flat_map(|(one, other)| [*one, *other]);
        let mut roots: Vec<_> = ends.filter(|end| self.is_outside(*end)).map(|end| self.forest.find(end)).collect();
        roots.sort_unstable();
        roots.dedup();
        let take = |vertex: VertexId| {
            if roots.binary_search(&self.forest.find(vertex)).is_ok() {
                self.waiting.remove(vertex);
                next.add(vertex);
            }
        };
        if !roots.is_empty() {
            let vertices = self.waiting.universe();
            engine.workers().map_blocks(vertices, BLOCK, |block| self.waiting.iter_range(block).for_each(take));
        }
    }
}

/// Joins every vertex with all of its list.
impl FoldLists for Search<'_> {
    /// Vertex of the tree, usually its root.
    type Fold = VertexId;

    fn begin(&self, vertex: VertexId) -> VertexId {
        self.forest.find(vertex)
    }

    fn neighbors(&self, vertex: VertexId, root: &mut VertexId, piece: Neighbors<'_>) -> ControlFlow<()> {
        for other in piece.ids() {
            if self.forest.parent(*other) != *root {
                *root = self.forest.unite(*root, *other, (vertex, *other));
            }
            if self.found.insert(*other) {
                self.waiting.insert(*other);
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: VertexId) {}
}
