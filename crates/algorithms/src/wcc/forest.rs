//! Trees that are joined by all workers at once.

use crate::IdOrder;
use outcrop_engine::Engine;
use outcrop_store::access::{FoldLists, Neighbours, Workers};
use outcrop_types::{Result, VertexId, VertexRange, VertexValues};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 14;

/// Trees whose roots are the smallest of their vertices by rank.
pub(super) struct Forest<'r> {
    parent: VertexValues<AtomicU32>,
    ranks: IdOrder<'r>,
}

impl<'r> Forest<'r> {
    /// A tree a vertex.
    pub(super) fn new(engine: &Engine<'_>, ranks: IdOrder<'r>) -> Result<Self> {
        Ok(Self { parent: engine.vertex_values(AtomicU32::new)?, ranks })
    }

    /// The parent of `vertex`; its root after [`Forest::flatten`].
    #[inline]
    pub(super) fn parent(&self, vertex: VertexId) -> VertexId {
        self.parent[vertex as usize].load(Relaxed)
    }

    /// The root of the tree of `vertex`; halves the path on the way.
    #[inline]
    pub(super) fn find(&self, mut vertex: VertexId) -> VertexId {
        loop {
            let parent = self.parent(vertex);
            if parent == vertex {
                return vertex;
            }
            let grandparent = self.parent(parent);
            if grandparent == parent {
                return parent;
            }
            // Whoever writes at the same time writes an ancestor too: of two, either will do.
            self.parent[vertex as usize].store(grandparent, Relaxed);
            vertex = grandparent;
        }
    }

    /// Joins the trees of two vertices and returns the root that they then had.
    pub(super) fn unite(&self, one: VertexId, other: VertexId) -> VertexId {
        let (mut one, mut other) = (self.find(one), self.find(other));
        while one != other {
            let (upper, lower) = if self.ranks.of(one) < self.ranks.of(other) { (one, other) } else { (other, one) };
            if self.parent[lower as usize].compare_exchange(lower, upper, Relaxed, Relaxed).is_ok() {
                return upper;
            }
            (one, other) = (self.find(upper), self.find(lower));
        }
        one
    }

    /// Makes every vertex a child of its root.
    pub(super) fn flatten(&self, workers: &Workers) {
        workers.map_blocks(self.vertices(), BLOCK, |block: VertexRange| {
            block.iter().for_each(|vertex| self.parent[vertex as usize].store(self.find(vertex), Relaxed));
        });
    }

    /// The rank of the root of each vertex.
    pub(super) fn components(self, workers: &Workers) -> VertexValues<u32> {
        self.flatten(workers);
        let mut roots = self.parent.map(AtomicU32::into_inner);
        self.ranks.rank(&mut roots, workers);
        roots
    }

    fn vertices(&self) -> u32 {
        self.parent.len() as VertexId
    }
}

/// Joins every vertex with all of its list, but for the children of `except`.
pub(super) struct Unite<'f, 'r> {
    pub(super) forest: &'f Forest<'r>,
    pub(super) except: Option<VertexId>,
}

impl FoldLists for Unite<'_, '_> {
    /// A vertex of the tree, most often its root.
    type Fold = VertexId;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.except.is_none_or(|root| self.forest.parent(vertex) != root)
    }

    #[inline]
    fn begin(&self, vertex: VertexId) -> VertexId {
        self.forest.parent(vertex)
    }

    #[inline]
    fn neighbours(&self, _: VertexId, root: &mut VertexId, piece: Neighbours<'_>) -> ControlFlow<()> {
        for other in piece.ids() {
            if self.forest.parent(*other) != *root {
                *root = self.forest.unite(*root, *other);
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: VertexId) {}
}
