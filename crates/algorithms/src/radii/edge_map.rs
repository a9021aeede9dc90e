//! Eccentricities, estimated from up to 64 sources at once.
//!
//! Definition: the greatest distance, in edges along their direction, from any of the sampled sources that reach the
//! vertex. In an undirected graph that is a lower bound of its eccentricity, and the largest value one of the diameter
//! of what was reached. Paper: Radii of Ligra (Shun and Blelloch, PPoPP 2013, section 4.4), after Magnien, Latapy and
//! Habib (JEA 2009): a breadth-first search from each source, all at once, one bit each. Returns: `eccentricity` u32 in
//! edges; null where no source reaches. Memory: 20 bytes a vertex, frontiers, both indexes. Passes over the edges: the
//! lists of a vertex once for each distance at which a source newly reaches it. Deviations: vertices that all sources
//! have reached are passed over. The sample is drawn by rank among the original ids; the answer does not depend on
//! threads, order or layout. Repeated edges and loops make no difference.

use crate::UNREACHED;
use crate::outcome::{Column, Outcome, Values};
use crate::search::together::{self, Bits, LANES, Paths, Record};
use outcrop_engine::{Engine, State};
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexValues};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The most sources: one bit each.
pub const MOST_SOURCES: u32 = LANES as u32;

/// Memory over `vertices` vertices, but for the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    together::memory(vertices).with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
}

/// Searches from the first [`MOST_SOURCES`] of `sources` until nothing new is found.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn radii(engine: &Engine<'_>, sources: &[VertexId]) -> Result<Outcome> {
    let values = engine.vertex_values(|_| AtomicU32::new(UNREACHED))?;
    let mut greatest = Greatest { values, distance: 0 };
    let sources = &sources[..sources.len().min(LANES)];
    let iterations = Bits::new(engine)?.search(engine, sources, Paths::OUT, &mut greatest)?;
    let values = Values::Count(greatest.values.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("eccentricity", values)], iterations))
}

/// The last distance at which each vertex was reached.
struct Greatest {
    values: VertexValues<AtomicU32>,
    /// The distance of what is found now.
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
