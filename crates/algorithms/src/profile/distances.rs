//! Numbers of pairs of vertices by distance, from breadth-first searches from random vertices, 64 at once (MS-BFS: Then
//! et al., PVLDB 2014). Distances are numbers of edges, along their direction.

use super::measured::Measured;
use super::tally::Tally;
use crate::algorithm::{Algorithm, Starts};
use crate::params::Args;
use crate::plan::Plan;
use crate::search::multi_source::{self, Bits, LANES, Paths, Record};
use crate::shape::Shape;
use crate::spec::{Model, Requirements, Spec};
use outcrop_engine::Engine;
use outcrop_types::{ProgressUnit, Purpose, Reservation, Result, RunEnd, VertexId, index_from, length_from};

/// Counts the vertices at each distance from random sources, or from all vertices of a small graph.
pub struct Distances {
    /// Maximum number of sources.
    pub sources: u32,
    /// Random seed.
    pub seed: u64,
    /// Number of pairs of a source and another vertex at the distance of each position; position 0 has the sources.
    pub found: Measured<Vec<u64>>,
}

static SPEC: Spec = Spec { name: "distances", ..Spec::DEFAULT };

/// Number of distances per reservation.
const RESERVED: u64 = 1 << 13;

impl Algorithm for Distances {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let found = self.found.clone();
        let memory = multi_source::memory(shape.vertices).with(Purpose::Results, 8 * RESERVED);
        let plan = Plan::edge_map(Requirements::BOTH_LISTS.with_frontiers(), memory, move |engine, run| {
            let (pairs, iterations) = search(engine, run.sources)?;
            Ok(found.set(pairs, iterations))
        });
        Ok((model == Model::EdgeMap).then(|| plan.following_frontiers()))
    }

    fn starts(&self, _: &Args) -> Result<Starts> {
        Ok(Starts::sample(self.sources, self.seed))
    }
}

fn search(engine: &Engine<'_>, sources: &[VertexId]) -> Result<(Vec<u64>, u32)> {
    let (mut bits, mut iterations) = (Bits::new(engine)?, 0);
    let held = engine.budget().reserve(8 * RESERVED, Purpose::Results)?;
    let mut levels = Levels { found: Tally::new(), distance: 0, pairs: Vec::new(), held };
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Sources, total: length_from(sources.len()), at_most: false });
    for (batch, sources) in sources.chunks(LANES).enumerate() {
        engine.set_done(length_from(batch * LANES));
        iterations = bits.search(engine, sources, Paths::OUT, &mut levels)?;
        levels.begin_level(0)?;
    }
    engine.set_done(length_from(sources.len()));
    Ok((levels.pairs, iterations))
}

/// Numbers of pairs by distance.
struct Levels {
    /// Pairs found in this step.
    found: Tally<1>,
    distance: u32,
    pairs: Vec<u64>,
    held: Reservation,
}

impl Record for Levels {
    /// Adds the pairs of the previous level.
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        let (found, level) = (self.found.take_sum(0), self.distance as usize);
        if found > 0 {
            if level >= self.pairs.len() {
                let needed = length_from(level + 1).next_multiple_of(RESERVED);
                self.held.grow_to((8 * needed).max(self.held.bytes()))?;
                self.pairs.reserve_exact(index_from(needed) - self.pairs.len());
                self.pairs.resize(level + 1, 0);
            }
            self.pairs[level] += found;
        }
        self.distance = distance;
        Ok(())
    }

    #[inline]
    fn note(&self, vertex: VertexId, sources: u64) {
        self.found.add(vertex, 0, sources.count_ones().into());
    }
}
