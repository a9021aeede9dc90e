//! Visitor that finds the first neighbor of each vertex in a frontier, and reads a list only that far.

use super::batch::{Entries, Members};
use outcrop_engine::AtomicLists;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{BitSet, VertexId};
use std::ops::ControlFlow;

/// Neighbor of a vertex without one in the frontier.
const NONE: VertexId = VertexId::MAX;

/// Visitor that finds the first neighbors of the members in a frontier.
pub(super) struct FindingFirst<'f> {
    vertices: &'f [VertexId],
    frontier: &'f BitSet,
    weighted: bool,
    found: AtomicLists,
}

impl<'f> FindingFirst<'f> {
    /// Creates a visitor of the ascending `vertices`.
    pub(super) fn new(vertices: &'f [VertexId], frontier: &'f BitSet, weighted: bool) -> Self {
        let found = AtomicLists::new(vertices.len(), weighted);
        for place in 0..vertices.len() {
            found.put(place..place + 1, Neighbors::new(&[NONE], weighted.then_some(&[0.0])));
        }
        Self { vertices, frontier, weighted, found }
    }

    /// Returns the vertices with a neighbor in the frontier, as lists of one entry, and the entries.
    pub(super) fn into_lists(self) -> (Members, Entries) {
        let (mut ids, weights) = self.found.into_plain();
        let found = |place: &usize| ids[*place] != NONE;
        let places: Vec<usize> = (0..ids.len()).filter(found).collect();
        let vertices: Vec<VertexId> = places.iter().map(|place| self.vertices[*place]).collect();
        let weights = weights.map(|weights| places.iter().map(|place| weights[*place]).collect());
        ids.retain(|id| *id != NONE);
        let offsets = (0..).take(vertices.len() + 1).collect();
        (Members { vertices, offsets }, (ids, weights))
    }

    fn take(&self, vertex: VertexId, neighbor: VertexId, weight: f64) {
        if let Ok(place) = self.vertices.binary_search(&vertex) {
            let weights = self.weighted.then_some([weight]);
            self.found.put(place..place + 1, Neighbors::new(&[neighbor], weights.as_ref().map(<[f64; 1]>::as_slice)));
        }
    }
}

impl FoldLists for FindingFirst<'_> {
    type Fold = ();

    fn wants(&self, vertex: VertexId) -> bool {
        self.vertices.binary_search(&vertex).is_ok()
    }

    fn stops_early(&self) -> bool {
        true
    }

    fn peeks(&self) -> bool {
        !self.weighted
    }

    fn peek(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        let found = self.frontier.contains(neighbor);
        if found {
            self.take(vertex, neighbor, 1.0);
        }
        found
    }

    fn begin(&self, _: VertexId) {}

    fn neighbors(&self, vertex: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        piece.try_for_each(|neighbor, weight| {
            if !self.frontier.contains(neighbor) {
                return ControlFlow::Continue(());
            }
            self.take(vertex, neighbor, weight);
            ControlFlow::Break(())
        })
    }

    fn end(&self, _: VertexId, (): ()) {}
}
