//! Components that go on from the last result.
//!
//! The last result is a forest of edges that span the components. Trees are joined by those that are still there. Where
//! one is gone, what holds its ends together otherwise is searched for from both sides, but for the largest tree, which
//! is seen from the other side; until they are together, or one side is known whole. So are edges that come looked at
//! from the side that is not in the largest tree. What it costs goes by what is cut off, and by the detours around it.
//!
//! Removals of other edges cost nothing, as in Henzinger and King, Journal of the ACM 1999, of which nothing else is
//! taken.

use super::forest::Forest;
use super::links::Edge;
use outcrop_engine::{Changes, Engine, FrontierBuilder};
use outcrop_store::access::{Adjacency, FoldLists, Neighbours, are_same};
use outcrop_types::{BitSet, EdgeDirection, Purpose, Result, VertexId};
use std::ops::ControlFlow;

/// Memory over `vertices` vertices beyond that of a forest with links and of frontiers, in bytes.
pub(super) const fn sets_bytes(vertices: u32) -> u64 {
    2 * BitSet::bytes(vertices)
}

/// Makes `forest`, which holds the links of the last result, that of the graph as it is; the number of rounds.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub(super) fn go_on(
    engine: &Engine<'_>,
    (out, into): (&dyn Adjacency, &dyn Adjacency),
    forest: &Forest,
    changes: &Changes,
) -> Result<u32> {
    let vertices = engine.vertices();
    let _held = engine.budget().reserve(sets_bytes(vertices), Purpose::Frontier)?;
    let is_gone = |arc: Edge| changes.removed.binary_search(&arc).is_ok();
    let mut broken =
        forest.link_again(engine.workers(), |(one, other)| !is_gone((one, other)) && !is_gone((other, one)));
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

/// Search for what holds trees together.
struct Search<'s> {
    forest: &'s Forest,
    /// A vertex of the largest tree.
    core: Option<VertexId>,
    /// Vertices that were seen, and of these the ones whose lists were not looked at.
    found: &'s BitSet,
    waiting: &'s BitSet,
}

/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 14;

impl Search<'_> {
    fn is_outside(&self, vertex: VertexId) -> bool {
        self.core.is_none_or(|core| self.forest.find(vertex) != self.forest.find(core))
    }

    /// Takes the vertices that wait in trees at the ends of `broken` edges.
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
    /// A vertex of the tree, most often its root.
    type Fold = VertexId;

    fn begin(&self, vertex: VertexId) -> VertexId {
        self.forest.find(vertex)
    }

    fn neighbours(&self, vertex: VertexId, root: &mut VertexId, piece: Neighbours<'_>) -> ControlFlow<()> {
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
