//! Edges that connect trees, kept for the next run.

use outcrop_engine::{Engine, State};
use outcrop_types::{Result, VertexId, VertexValues};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Edge between two different vertices.
pub(super) type Edge = (VertexId, VertexId);

/// Marker for no edge.
const NONE: u64 = u64::MAX;

/// Edges, one per non-root vertex: the edge that joined the tree of this former root to another. A pending
/// edge of the previous result, by which trees are not joined yet, has its greater end first.
pub(super) struct Links(VertexValues<AtomicU64>);

impl Links {
    /// Returns the memory for `vertices` vertices, in bytes.
    pub(super) fn bytes(vertices: u32) -> u64 {
        VertexValues::<AtomicU64>::bytes(u64::from(vertices))
    }

    /// Creates an array without links.
    pub(super) fn new(engine: &Engine<'_>) -> Result<Self> {
        engine.vertex_values(|_| AtomicU64::new(NONE)).map(Self)
    }

    /// Serializes the links.
    pub(super) fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.by_vertex(&self.0)?;
        let vertices = self.0.len() as VertexId;
        let exists = |link: u64| link == NONE || standing(ends(link)) == link && ends(link).1 < vertices;
        state.require(self.0.iter().all(|link| exists(link.load(Relaxed))))
    }

    /// Stores an edge at `vertex`, which has just stopped being a root; returns the pending edge there.
    #[inline]
    pub(super) fn put(&self, vertex: VertexId, edge: Edge) -> Option<Edge> {
        let before = self.0[vertex as usize].swap(standing(edge), Relaxed);
        waits(before).then(|| ends(before))
    }

    /// Marks the edge of `vertex` as pending.
    pub(super) fn wait(&self, vertex: VertexId) {
        let link = &self.0[vertex as usize];
        let edge = link.load(Relaxed);
        if edge != NONE {
            link.store(edge.rotate_left(u32::BITS), Relaxed);
        }
    }

    /// Takes the pending edge at `vertex`.
    pub(super) fn take(&self, vertex: VertexId) -> Option<Edge> {
        let link = &self.0[vertex as usize];
        let edge = link.load(Relaxed);
        let taken = waits(edge) && link.compare_exchange(edge, NONE, Relaxed, Relaxed).is_ok();
        taken.then(|| ends(edge))
    }
}

const fn standing((one, other): Edge) -> u64 {
    let (lower, upper) = if one < other { (one, other) } else { (other, one) };
    (lower as u64) << u32::BITS | upper as u64
}

/// Returns the ends, the smaller one first.
const fn ends(link: u64) -> Edge {
    let (one, other) = ((link >> u32::BITS) as VertexId, link as VertexId);
    if one < other { (one, other) } else { (other, one) }
}

/// Returns true if the greater end is first.
const fn waits(link: u64) -> bool {
    (link >> u32::BITS) as VertexId > link as VertexId
}
