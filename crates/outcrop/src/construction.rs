//! Subgraph construction by itself, for measurements (LOSC, section 4.3).

use crate::graph::Graph;
use crate::lists::{self, Lists, cache_bytes_for_all};
use outcrop_engine::interval::SlidingShards;
use outcrop_engine::{IntervalLists, Subgraph};
use outcrop_store::layout::DegreeReader;
use outcrop_store::layout::StoredLists;
use outcrop_types::{Direction, Error, MemoryBudget, MemoryPlan, Purpose, Result, Stopwatch, VertexRange};
use serde::Serialize;

/// Way to construct the subgraph of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construction {
    /// From in-lists and out-lists, vertex after vertex: LOSC's dual shards, Algorithm 1.
    DualShards,
    /// From edges in the order of their sources: GraphChi's parallel sliding windows, the baseline.
    SlidingWindows,
}

/// Request: what is constructed, and how often.
#[derive(Clone, Copy, Debug)]
pub struct ConstructionRequest {
    /// In which way.
    pub construction: Construction,
    /// Into how many intervals the vertices are split.
    pub intervals: u32,
    /// Number of times that all intervals are constructed; with 0, everything is made ready and nothing constructed.
    pub rounds: u32,
}

/// Cost of the construction.
#[derive(Clone, Debug, Serialize)]
pub struct ConstructionRecord {
    /// Entries of the arrays of one round.
    pub entries: u64,
    /// Seconds of each round, without loading anything from disk.
    pub seconds: Vec<f64>,
    /// The threads.
    pub threads: usize,
}

impl Graph {
    /// Constructs the in-edge and out-edge arrays of all vertices, interval after interval, from lists (or shards) in memory.
    ///
    /// # Errors
    /// A budget that does not hold all lists; a damaged store; interruption.
    pub fn construct(&self, request: ConstructionRequest) -> Result<ConstructionRecord> {
        let budget = self.budget();
        let directions: Vec<Direction> = self.store.stored_directions().collect();
        let caches = directions.iter().map(|direction| cache_bytes_for_all(self, *direction)).sum();
        let arrays = self.array_bytes(&directions, request.construction);
        let readers = 2 * DegreeReader::MEMORY_BYTES;
        let plan =
            directions.iter().fold(MemoryPlan::new(), |plan, direction| plan.and(&lists::memory(self, *direction)));
        let plan = plan.with(Purpose::PageCache, caches).with(Purpose::HeldLists, arrays);
        budget.require(&plan.with(Purpose::IoBuffers, readers))?;
        let _held = (budget.reserve(arrays, Purpose::HeldLists)?, budget.reserve(readers, Purpose::IoBuffers)?);
        self.construct_from(&Lists::open_paged(self, &directions, caches, &budget)?, request, &budget)
    }

    /// Memory of what is constructed, and of shards, in bytes.
    fn array_bytes(&self, directions: &[Direction], construction: Construction) -> u64 {
        let entries: u64 = directions.iter().map(|direction| lists::arcs(self, *direction)).sum();
        let arrays = 2 * IntervalLists::bytes(u64::from(self.num_vertices()), entries, false);
        match construction {
            Construction::DualShards => arrays,
            Construction::SlidingWindows => arrays + SlidingShards::bytes(entries, false) * 3 / 2,
        }
    }

    fn construct_from(
        &self,
        lists: &[StoredLists],
        request: ConstructionRequest,
        budget: &MemoryBudget,
    ) -> Result<ConstructionRecord> {
        let (Some(out), Some(into)) = (lists.first(), lists.last()) else {
            return Err(Error::corrupt(self.store.folder(), "it has no lists"));
        };
        let degrees = |direction| DegreeReader::open(&self.store, direction, self.io, budget);
        let mut degrees = (degrees(Direction::In)?, degrees(Direction::Out)?);
        let intervals = self.equal_intervals(request.intervals);
        let dual_shards = |interval: VertexRange, (in_degrees, out_degrees): &mut (DegreeReader, DegreeReader)| {
            let into = IntervalLists::construct(into, in_degrees, interval, false, &|_| true)?;
            Ok::<_, Error>(Subgraph::new(into, IntervalLists::construct(out, out_degrees, interval, false, &|_| true)?))
        };
        // Once to load everything.
        let entries = intervals.iter().map(|interval| Ok(entries(&dual_shards(*interval, &mut degrees)?)));
        let entries = entries.sum::<Result<u64>>()?;
        let shards = match request.construction {
            Construction::DualShards => None,
            Construction::SlidingWindows => Some(SlidingShards::new(into, &mut degrees.0, &intervals, false)?),
        };
        let mut round = || {
            let watch = Stopwatch::start();
            for (number, interval) in intervals.iter().enumerate() {
                std::hint::black_box(match &shards {
                    None => dual_shards(*interval, &mut degrees)?,
                    Some(shards) => shards.construct(number, [&mut degrees.0, &mut degrees.1], &self.workers)?,
                });
            }
            Ok(watch.seconds())
        };
        let seconds = (0..request.rounds).map(|_| round()).collect::<Result<_>>()?;
        Ok(ConstructionRecord { entries, seconds, threads: self.workers.threads() })
    }

    /// The vertices in so many intervals of about the same length.
    fn equal_intervals(&self, count: u32) -> Vec<VertexRange> {
        let vertices = self.num_vertices();
        let length = vertices.div_ceil(count.max(1)).max(1);
        let starts = (0..vertices).step_by(length as usize);
        starts.map(|start| VertexRange::new(start, start.saturating_add(length).min(vertices))).collect()
    }
}

fn entries(subgraph: &Subgraph) -> u64 {
    [Direction::In, Direction::Out].map(|direction| subgraph.lists(direction).entries() as u64).iter().sum()
}
