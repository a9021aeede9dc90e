//! Eccentricities, estimated from up to 64 sources at once.
//!
//! Definition: the greatest distance, in edges along their direction, from any of the sampled sources that reach the vertex. In an
//! undirected graph that is a lower bound of its eccentricity, and the largest value one of the diameter of what was reached.
//! Paper: Radii of Ligra (Shun and Blelloch, PPoPP 2013, section 4.4), after Magnien, Latapy and Habib (JEA 2009): a breadth-first
//! search from each source, all at once, one bit each.
//! Returns: `eccentricity` u32 in edges; null where no source reaches.
//! Memory: 20 bytes a vertex, frontiers, both indexes. Passes over the edges: the lists of a vertex once for each distance at which
//! a source newly reaches it. Deviations: vertices that all sources have reached are passed over. The sample is drawn by rank among
//! the original ids; the answer does not depend on threads, order or layout. Repeated edges and loops make no difference.

use crate::UNREACHED;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine};
use outcrop_store::access::Adjacency;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The most sources: one bit each.
pub const MOST_SOURCES: u32 = u64::BITS;

/// Memory over `vertices` vertices, but for the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    let (words, levels) =
        (VertexValues::<u64>::bytes(u64::from(vertices)), VertexValues::<u32>::bytes(u64::from(vertices)));
    MemoryPlan::new().with(Purpose::VertexValues, 2 * words + levels)
}

/// Searches from the first [`MOST_SOURCES`] of `sources` until nothing new is found.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn radii<A: Adjacency>(engine: &Engine<'_, A>, sources: &[VertexId]) -> Result<Outcome> {
    let sources = &sources[..sources.len().min(MOST_SOURCES as usize)];
    let mut searches = Searches::start(engine, sources)?;
    let mut frontier = VertexSet::from_members(sources.to_vec(), engine.vertices());
    let mut iterations = 0;
    while !frontier.is_empty() {
        searches.level += 1;
        frontier = engine.edge_map(&frontier, &searches, EdgeMapOutput::Frontier)?;
        engine.vertex_map(&frontier, |vertex| {
            let at = vertex as usize;
            searches.before[at].store(searches.now[at].load(Relaxed), Relaxed);
        });
        iterations = engine.end_iteration(None);
    }
    let values = Values::Count(searches.eccentricity.map(AtomicU32::into_inner));
    Ok(Outcome { columns: vec![Column { name: "eccentricity", values }], iterations, convergence: None })
}

struct Searches {
    /// Which sources had reached the vertex before this iteration, one bit each.
    before: VertexValues<AtomicU64>,
    /// Which have by now.
    now: VertexValues<AtomicU64>,
    eccentricity: VertexValues<AtomicU32>,
    /// The distance of what is found now.
    level: u32,
    /// The bits of all sources.
    all: u64,
}

impl Searches {
    fn start<A: Adjacency>(engine: &Engine<'_, A>, sources: &[VertexId]) -> Result<Self> {
        let (budget, count) = (engine.budget(), engine.vertices() as usize);
        let bits = || VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU64::new(0));
        let (before, now) = (bits()?, bits()?);
        let eccentricity = VertexValues::new(budget, Purpose::VertexValues, count, |_| AtomicU32::new(UNREACHED))?;
        let mut all = 0;
        for (number, source) in sources.iter().enumerate() {
            let (at, bit) = (*source as usize, 1 << number);
            all |= bit;
            before[at].fetch_or(bit, Relaxed);
            now[at].fetch_or(bit, Relaxed);
            eccentricity[at].store(0, Relaxed);
        }
        Ok(Self { before, now, eccentricity, level: 0, all })
    }
}

impl EdgeMap for Searches {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f32) -> bool {
        let (from, now) = (self.before[source as usize].load(Relaxed), &self.now[target as usize]);
        if from & !now.load(Relaxed) == 0 {
            return false;
        }
        let new = from & !now.fetch_or(from, Relaxed) != 0;
        new && self.eccentricity[target as usize].swap(self.level, Relaxed) != self.level
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.now[target as usize].load(Relaxed) != self.all
    }
}
