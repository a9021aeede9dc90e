//! Lightest edge that leaves each tree.

use crate::IdOrder;
use crate::wcc::forest::Forest;
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Result, VertexId, VertexValues};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Marker for no edge.
const NO_EDGE: u64 = u64::MAX;
/// Number of locks, each for a part of the trees.
const LOCKS: usize = 1 << 10;

/// Edge, seen from one of its ends.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) source: VertexId,
    pub(super) target: VertexId,
    pub(super) weight: f64,
}

impl Edge {
    /// Returns true if both are the same edge, regardless of the end that they are seen from.
    pub(super) const fn is_same(self, other: Self) -> bool {
        self.source == other.target && self.target == other.source
            || self.source == other.source && self.target == other.target
    }
}

/// Weights of edges; without weights, all are 1.
pub(super) struct EdgeWeights(pub(super) Option<VertexValues<AtomicU64>>);

impl EdgeWeights {
    /// Creates weights of one edge per vertex, if the run is `weighted`.
    pub(super) fn new(engine: &Engine<'_>, weighted: bool) -> Result<Self> {
        Ok(Self(weighted.then(|| engine.vertex_values(|_| AtomicU64::new(0))).transpose()?))
    }

    pub(super) fn of(&self, vertex: VertexId) -> f64 {
        self.0.as_ref().map_or(1.0, |weights| f64::from_bits(weights[vertex as usize].load(Relaxed)))
    }

    pub(super) fn set(&self, vertex: VertexId, weight: f64) {
        if let Some(weights) = &self.0 {
            weights[vertex as usize].store(weight.to_bits(), Relaxed);
        }
    }
}

/// Lightest known edge that leaves the tree of each root.
pub(super) struct Lightest<'r> {
    /// Ends of the edge: source and target.
    ends: VertexValues<AtomicU64>,
    weights: EdgeWeights,
    locks: Vec<Mutex<()>>,
    ranks: IdOrder<'r>,
    maximum: bool,
}

impl<'r> Lightest<'r> {
    pub(super) fn new(engine: &Engine<'_>, ranks: IdOrder<'r>, weighted: bool, maximum: bool) -> Result<Self> {
        Ok(Self {
            ends: engine.vertex_values(|_| AtomicU64::new(NO_EDGE))?,
            weights: EdgeWeights::new(engine, weighted)?,
            locks: (0..LOCKS).map(|_| Mutex::new(())).collect(),
            ranks,
            maximum,
        })
    }

    /// Returns the edge of `root`.
    pub(super) fn of(&self, root: VertexId) -> Option<Edge> {
        let ends = self.ends[root as usize].load(Relaxed);
        let edge = || Edge { source: (ends >> 32) as u32, target: ends as u32, weight: self.weights.of(root) };
        (ends != NO_EDGE).then(edge)
    }

    /// Forgets the edge of `root`.
    pub(super) fn clear(&self, root: VertexId) {
        self.ends[root as usize].store(NO_EDGE, Relaxed);
    }

    /// Returns true if `one` comes before `other`, which leaves the same tree: by weight, then by the ranks of its
    /// ends.
    fn precedes(&self, one: Edge, other: Edge) -> bool {
        let by_weight = one.weight.total_cmp(&other.weight);
        let by_weight = if self.maximum { by_weight.reverse() } else { by_weight };
        let ranks = |edge: Edge| {
            let [source, target] = [edge.source, edge.target].map(|end| self.ranks.of(end));
            (source.min(target), source.max(target))
        };
        by_weight.then_with(|| ranks(one).cmp(&ranks(other))).is_lt()
    }

    /// Keeps `edge`, which leaves the tree of `root`, if it is lighter than the known one.
    fn offer(&self, root: VertexId, edge: Edge) {
        let _locked = self.locks[root as usize % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        if self.of(root).is_none_or(|known| self.precedes(edge, known)) {
            self.ends[root as usize].store(u64::from(edge.source) << 32 | u64::from(edge.target), Relaxed);
            self.weights.set(root, edge.weight);
        }
    }
}

/// Finds the lightest edge from each vertex to another tree, and of those, the lightest of each tree.
pub(super) struct Find<'f> {
    pub(super) forest: &'f Forest,
    pub(super) lightest: &'f Lightest<'f>,
    /// Vertices with an edge to another tree.
    pub(super) leaving: &'f BitSet,
}

/// Search in the list of a vertex.
pub(super) struct FoundAt {
    root: VertexId,
    edge: Option<Edge>,
    source: VertexId,
}

impl Gather for Find<'_> {
    type Sum = FoundAt;

    fn begin(&self, source: VertexId) -> FoundAt {
        FoundAt { root: self.forest.parent(source), edge: None, source }
    }

    #[inline]
    fn gather(&self, found: &mut FoundAt, piece: Neighbors<'_>) {
        for (place, target) in piece.ids().iter().enumerate() {
            if self.forest.parent(*target) == found.root {
                continue;
            }
            let weight = piece.weights().map_or(1.0, |weights| weights[place]);
            let edge = Edge { source: found.source, target: *target, weight };
            if found.edge.is_none_or(|known| self.lightest.precedes(edge, known)) {
                found.edge = Some(edge);
            }
        }
    }

    fn apply(&self, vertex: VertexId, found: FoundAt) {
        if let Some(edge) = found.edge {
            self.leaving.insert(vertex);
            self.lightest.offer(found.root, edge);
        }
    }
}
