//! Concurrent union-find forest.

use super::links::{Edge, Links};
use crate::IdOrder;
use outcrop_engine::{Engine, State};
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, Workers};
use outcrop_types::{BitSet, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexRange, VertexValues};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Marker for no root.
const NOBODY: VertexId = VertexId::MAX;
/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;
/// Number of vertices sampled to find the largest tree.
const SAMPLE: u32 = 1024;

/// Trees whose roots are the first of their vertices in the store: in degree order these are hubs, which most vertices
/// are then joined to directly.
pub(crate) struct Forest {
    parent: VertexValues<AtomicU32>,
    /// Edges that span the trees, if the next run is to start from this one.
    links: Option<Links>,
    /// Reservation for the set of roots.
    _held: Reservation,
}

impl Forest {
    /// Returns the memory for `vertices` vertices: 4 bytes and a bit each, and 8 bytes with links.
    pub(crate) fn memory(vertices: u32, linked: bool) -> MemoryPlan {
        let links = if linked { Links::bytes(vertices) } else { 0 };
        let parents = VertexValues::<AtomicU32>::bytes(u64::from(vertices));
        MemoryPlan::new().with(Purpose::VertexValues, parents + links).with(Purpose::Frontier, BitSet::bytes(vertices))
    }

    /// Creates one tree per vertex.
    pub(crate) fn new(engine: &Engine<'_>) -> Result<Self> {
        let held = engine.budget().reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let links = engine.saves_result().then(|| Links::new(engine)).transpose()?;
        Ok(Self { parent: engine.vertex_values(AtomicU32::new)?, links, _held: held })
    }

    /// Serializes the result that the next run starts from.
    pub(super) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.links.as_ref().map_or(Ok(()), |links| links.visit(state))
    }

    /// Joins the trees by those links of the previous result for which `stands` holds; returns the others.
    pub(super) fn link_again(&self, workers: &Workers, stands: impl Fn(Edge) -> bool + Sync) -> Vec<Edge> {
        let Some(links) = &self.links else { return Vec::new() };
        workers.map_blocks(self.vertices(), BLOCK, |block| block.iter().for_each(|vertex| links.wait(vertex)));
        let broken_of = |block: VertexRange| {
            let mut broken = Vec::new();
            for vertex in block.iter() {
                let mut waiting = links.take(vertex);
                while let Some(edge) = waiting.take() {
                    match stands(edge) {
                        true => waiting = self.join(edge.0, edge.1).1.and_then(|lower| links.put(lower, edge)),
                        false => broken.push(edge),
                    }
                }
            }
            broken
        };
        workers.map_blocks(self.vertices(), BLOCK, broken_of).concat()
    }

    /// Returns the root of the most common tree among some evenly spaced vertices; makes every vertex a child of its
    /// root.
    pub(super) fn largest(&self, engine: &Engine<'_>) -> Option<VertexId> {
        let vertices = engine.vertices();
        self.flatten(engine.workers());
        let step = (vertices / SAMPLE).max(1) as usize;
        let mut roots: Vec<VertexId> = (0..vertices).step_by(step).map(|vertex| self.parent(vertex)).collect();
        roots.sort_unstable();
        roots.chunk_by(|one, other| one == other).max_by_key(|equal| equal.len()).map(|equal| equal[0])
    }

    /// Returns the parent of `vertex`, which is its root after [`Forest::flatten`].
    #[inline]
    pub(crate) fn parent(&self, vertex: VertexId) -> VertexId {
        self.parent[vertex as usize].load(Relaxed)
    }

    /// Returns the root of the tree of `vertex`; halves the path on the way.
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
            // A concurrent writer also writes an ancestor: either one is valid.
            self.parent[vertex as usize].store(grandparent, Relaxed);
            vertex = grandparent;
        }
    }

    /// Joins the trees of two vertices connected by `edge`, and returns the root at that time.
    #[inline]
    pub(crate) fn unite(&self, one: VertexId, other: VertexId, edge: Edge) -> VertexId {
        let (root, joined) = self.join(one, other);
        if let (Some(links), Some(lower)) = (&self.links, joined) {
            links.put(lower, edge);
        }
        root
    }

    /// Joins the trees of two vertices; returns the root at that time, and the vertex that is no longer a root.
    fn join(&self, one: VertexId, other: VertexId) -> (VertexId, Option<VertexId>) {
        let (mut one, mut other) = (self.find(one), self.find(other));
        while one != other {
            let (upper, lower) = (one.min(other), one.max(other));
            if self.parent[lower as usize].compare_exchange(lower, upper, Relaxed, Relaxed).is_ok() {
                return (upper, Some(lower));
            }
            (one, other) = (self.find(upper), self.find(lower));
        }
        (one, None)
    }

    /// Joins every vertex of `lists` with its list, except for the children of `except`, with a `place` of checkpoints.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or under the same conditions as
    /// [`outcrop_engine::EngineContext::checkpoint`].
    pub(super) fn unite_lists(
        &self,
        engine: &Engine<'_>,
        place: &str,
        lists: &dyn Adjacency,
        except: &mut Option<VertexId>,
    ) -> Result<()> {
        let left_out = Cell::new(*except);
        let unite = |piece: VertexRange| {
            lists.sweep(piece, &Unite { forest: self, except: left_out.get() })?;
            Ok(piece.end)
        };
        engine.in_pieces(Some(place), unite, |state| {
            // The vertices skipped so far determine which may still be skipped.
            let mut root = left_out.get().unwrap_or(NOBODY);
            state.number(&mut root)?;
            left_out.set(Some(root).filter(|root| *root != NOBODY));
            self.visit_parents(state)
        })?;
        *except = left_out.get();
        Ok(())
    }

    /// Serializes the trees.
    pub(crate) fn visit_parents(&self, state: &mut State<'_>) -> Result<()> {
        state.shared(&self.parent)?;
        // A parent never comes after its child.
        state.require((0..).zip(&*self.parent).all(|(vertex, parent)| parent.load(Relaxed) <= vertex))
    }

    /// Makes every vertex a child of its root.
    pub(crate) fn flatten(&self, workers: &Workers) {
        workers.map_blocks(self.vertices(), BLOCK, |block: VertexRange| {
            block.iter().for_each(|vertex| self.parent[vertex as usize].store(self.find(vertex), Relaxed));
        });
    }

    /// Returns the smallest rank in the tree of each vertex.
    pub(super) fn components(self, ranks: IdOrder<'_>, engine: &Engine<'_>) -> Result<VertexValues<u32>> {
        engine.save_result(|state| self.visit(state))?;
        self.flatten(engine.workers());
        if ranks.0.is_some() {
            self.rank_roots(ranks, engine.workers());
        }
        Ok(self.parent.map(AtomicU32::into_inner))
    }

    /// Replaces the parent of each vertex, which is its root, by the smallest rank in its tree.
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

/// Joins every vertex with all of its list, except for the children of `except`.
struct Unite<'f> {
    forest: &'f Forest,
    except: Option<VertexId>,
}

impl FoldLists for Unite<'_> {
    /// Vertex of the tree, usually its root.
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
    fn neighbors(&self, vertex: VertexId, root: &mut VertexId, piece: Neighbors<'_>) -> ControlFlow<()> {
        for other in piece.ids() {
            if self.forest.parent(*other) != *root {
                *root = self.forest.unite(*root, *other, (vertex, *other));
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: VertexId) {}
}
