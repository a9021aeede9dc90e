//! Trees that are joined by all workers at once.

use crate::IdOrder;
use outcrop_engine::Engine;
use outcrop_store::access::{Adjacency, FoldLists, Neighbours, Workers};
use outcrop_types::{BitSet, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexRange, VertexValues};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Root of no tree.
const NOBODY: VertexId = VertexId::MAX;
/// Vertices that a thread takes at once.
const BLOCK: u32 = 1 << 14;

/// Trees whose roots are the first of their vertices in the store: in degree order hubs, which most vertices are then joined to at once.
pub(super) struct Forest {
    parent: VertexValues<AtomicU32>,
    /// Of the set of roots.
    _held: Reservation,
}

impl Forest {
    /// Memory over `vertices` vertices: 4 bytes and a bit each.
    pub(super) fn memory(vertices: u32) -> MemoryPlan {
        let parents = VertexValues::<AtomicU32>::bytes(u64::from(vertices));
        MemoryPlan::new().with(Purpose::VertexValues, parents).with(Purpose::Frontier, BitSet::bytes(vertices))
    }

    /// A tree a vertex.
    pub(super) fn new(engine: &Engine<'_>) -> Result<Self> {
        let held = engine.budget().reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        Ok(Self { parent: engine.vertex_values(AtomicU32::new)?, _held: held })
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
            let (upper, lower) = (one.min(other), one.max(other));
            if self.parent[lower as usize].compare_exchange(lower, upper, Relaxed, Relaxed).is_ok() {
                return upper;
            }
            (one, other) = (self.find(upper), self.find(lower));
        }
        one
    }

    /// Joins every vertex of `lists` with its list, but for the children of `except`, with a `place` of checkpoints.
    ///
    /// # Errors
    /// A failed or damaged read; as for [`outcrop_engine::Shell::checkpoint`].
    pub(super) fn unite_lists(
        &self,
        engine: &Engine<'_>,
        (place, lists): (&str, &dyn Adjacency),
        except: &mut Option<VertexId>,
    ) -> Result<()> {
        let left_out = Cell::new(*except);
        let unite = |piece: VertexRange| {
            lists.sweep(piece, &Unite { forest: self, except: left_out.get() })?;
            Ok(piece.end)
        };
        engine.in_pieces(Some(place), unite, |state| {
            // What was left out so far decides what may be left out still.
            let mut root = left_out.get().unwrap_or(NOBODY);
            state.number(&mut root)?;
            left_out.set(Some(root).filter(|root| *root != NOBODY));
            state.shared(&self.parent)
        })?;
        *except = left_out.get();
        Ok(())
    }

    /// Makes every vertex a child of its root.
    pub(super) fn flatten(&self, workers: &Workers) {
        workers.map_blocks(self.vertices(), BLOCK, |block: VertexRange| {
            block.iter().for_each(|vertex| self.parent[vertex as usize].store(self.find(vertex), Relaxed));
        });
    }

    /// The smallest rank in the tree of each vertex.
    pub(super) fn components(self, ranks: IdOrder<'_>, workers: &Workers) -> VertexValues<u32> {
        self.flatten(workers);
        if ranks.0.is_some() {
            self.rank_roots(ranks, workers);
        }
        self.parent.map(AtomicU32::into_inner)
    }

    /// Puts the smallest rank in the tree of each vertex in place of its parent, which is its root.
    fn rank_roots(&self, ranks: IdOrder<'_>, workers: &Workers) {
        let roots = BitSet::empty(self.vertices());
        let each = |work: &(dyn Fn(VertexId) + Sync)| {
            workers.map_blocks(self.vertices(), BLOCK, |block: VertexRange| block.iter().for_each(work));
        };
        each(&|vertex| {
            if self.parent(vertex) == vertex {
                roots.insert(vertex);
                self.parent[vertex as usize].store(ranks.of(vertex), Relaxed);
            }
        });
        each(&|vertex| {
            let (rank, root) = (ranks.of(vertex), self.parent(vertex));
            if !roots.contains(vertex) && rank < self.parent(root) {
                self.parent[root as usize].fetch_min(rank, Relaxed);
            }
        });
        each(&|vertex| {
            if !roots.contains(vertex) {
                self.parent[vertex as usize].store(self.parent(self.parent(vertex)), Relaxed);
            }
        });
    }

    fn vertices(&self) -> u32 {
        self.parent.len() as VertexId
    }
}

/// Joins every vertex with all of its list, but for the children of `except`.
struct Unite<'f> {
    forest: &'f Forest,
    except: Option<VertexId>,
}

impl FoldLists for Unite<'_> {
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
