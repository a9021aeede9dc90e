//! Eccentricities, estimated from up to 64 sources at once.
//!
//! Definition: the greatest distance, in edges along their direction, from any of the sampled sources that reach the
//! vertex. In an undirected graph, it is a lower bound of its eccentricity, and the maximum is a lower bound of the
//! diameter of the reached part.
//!
//! Paper: Radii of Ligra (Shun and Blelloch, PPoPP 2013, section 4.4), after Magnien, Latapy and Habib (JEA 2009): a
//! breadth-first search from each source, all at once, with one bit per source.
//!
//! Returns: `eccentricity` u32 in edges; null if no source reaches the vertex.
//!
//! Memory: 20 bytes per vertex, frontiers, both indexes.
//!
//! Passes over the edges: the lists of a vertex once for each distance at which a source newly reaches it.
//!
//! Deviations: vertices reached by all sources are skipped. The sample is chosen by rank among the original IDs; the
//! result does not depend on threads, order or layout. Duplicate edges and loops make no difference.

use crate::UNREACHED;
use crate::outcome::{Column, Outcome, Values};
use crate::search::multi_source::{self, Bits, LANES, Paths, Record};
use outcrop_engine::{Engine, State};
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Maximum number of sources: one bit each.
pub const MOST_SOURCES: u32 = LANES as u32;

/// Returns the memory for `vertices` vertices, without the indexes.
pub(super) fn memory(vertices: u32) -> MemoryPlan {
    multi_source::memory(vertices).with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Searches from the first [`MOST_SOURCES`] of `sources` until nothing new is found.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(super) fn radii(engine: &Engine<'_>, sources: &[VertexId]) -> Result<Outcome> {
    let values = engine.vertex_values(|_| AtomicU32::new(UNREACHED))?;
    let mut greatest = Greatest { values, distance: 0 };
    let sources = &sources[..sources.len().min(LANES)];
    let iterations = Bits::new(engine)?.search(engine, sources, Paths::OUT, &mut greatest)?;
    let values = Values::Count(greatest.values.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("eccentricity", values)], iterations))
}

/// Last distance at which each vertex was reached.
struct Greatest {
    values: VertexValues<AtomicU32>,
    /// Distance of the vertices found in this step.
    distance: u32,
}

impl Record for Greatest {
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        self.distance = distance;
        Ok(())
    }

    fn checkpoint(&mut self, engine: &Engine<'_>, visit: &mut dyn FnMut(&mut State<'_>) -> Result<()>) -> Result<()> {
        engine.checkpoint("levels", |state| {
            visit(state)?;
            state.shared(&self.values)
        })
    }

    fn note(&self, vertex: VertexId, _: u64) {
        self.values[vertex as usize].store(self.distance, Relaxed);
    }
}
