//! Order of original IDs, and the marker for unreached vertices.

use outcrop_engine::Engine;
use outcrop_store::access::Workers;
use outcrop_types::{Result, VertexId, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Marker for an unreached vertex, in values that are ranks or counts.
pub const UNREACHED: u32 = u32::MAX;

/// Rank of each vertex among the original IDs; `None` in original order, where it is the vertex's number.
#[derive(Clone, Copy, Debug)]
pub struct IdOrder<'r>(pub Option<&'r VertexValues<u32>>);

impl IdOrder<'_> {
    /// Returns the rank of `vertex`.
    #[inline]
    pub fn of(self, vertex: VertexId) -> u32 {
        match self.0 {
            None => vertex,
            Some(ranks) => ranks[vertex as usize],
        }
    }

    /// Returns the rank of `vertex`; maps [`UNREACHED`] to itself.
    #[inline]
    pub fn of_reached(self, vertex: VertexId) -> u32 {
        if vertex == UNREACHED { UNREACHED } else { self.of(vertex) }
    }

    /// Returns the inverse, of 4 bytes per vertex except in original order.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(crate) fn inverse(self, engine: &Engine<'_>) -> Result<VertexOrder> {
        let Some(ranks) = self.0 else { return Ok(VertexOrder(None)) };
        let vertices = engine.vertex_values(|_| AtomicU32::new(0))?;
        engine.workers().map_blocks(engine.vertices(), BLOCK, |block| {
            block.iter().for_each(|vertex| vertices[ranks[vertex as usize] as usize].store(vertex, Relaxed));
        });
        Ok(VertexOrder(Some(vertices.map(AtomicU32::into_inner))))
    }

    /// Replaces vertices by their ranks, in parallel; keeps [`UNREACHED`].
    pub(crate) fn rank(self, vertices: &mut [u32], workers: &Workers) {
        if self.0.is_some() {
            workers.for_each_value(vertices, |_, vertex| *vertex = self.of_reached(*vertex));
        }
    }
}

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

/// Vertex of each rank; `None` in original order, where it is the rank.
pub(crate) struct VertexOrder(Option<VertexValues<u32>>);

impl VertexOrder {
    /// Returns the vertex of `rank`.
    #[inline]
    pub(crate) fn of(&self, rank: u32) -> VertexId {
        self.0.as_ref().map_or(rank, |vertices| vertices[rank as usize])
    }
}
