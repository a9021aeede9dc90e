//! Estimate of the mean local clustering coefficient.
//!
//! Definition: a wedge is a vertex, its center, with two distinct neighbors; it is closed if these are adjacent. The
//! graph is taken as undirected and simple. For random centers, each with one random wedge, the share of centers with a
//! closed wedge is an unbiased estimate of the mean local clustering coefficient; a center with fewer than 2 neighbors
//! has none, as its coefficient is 0.
//!
//! Paper: Schank and Wagner, "Approximating Clustering Coefficient and Transitivity", JGAA 2005.
//!
//! Memory: 4 bytes per vertex (8 in directed graphs) for degrees; 64 bytes per center.
//!
//! Passes over the edges: the lists of the centers, and then, of the two neighbors in each wedge, those of the one with
//! fewer entries.
//!
//! Deviations: the two neighbors are those with the smallest hashes of their ranks, so that repeated edges and edges in
//! both directions make no difference, nor do vertex order and layout.

use super::measured::Measured;
use crate::IdOrder;
use crate::algorithm::{Algorithm, Starts};
use crate::params::Args;
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{Model, Requirements, Spec};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{
    Direction, MemoryPlan, Purpose, Result, SplitMix64, VertexId, VertexSet, VertexValues, length_from,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Memory per center, in bytes: two hashed neighbors with a lock, the wedge, and its place in two sets.
const CENTER_BYTES: u64 = 80;
/// Purpose of the random numbers.
const DRAWS: u64 = 0x7765_6467;

/// Number of sampled centers and of their wedges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WedgeCounts {
    /// Number of centers.
    pub centers: u64,
    /// Number of centers with a closed wedge.
    pub closed: u64,
}

/// Samples one wedge of each of several random vertices.
pub struct Wedges {
    /// Maximum number of vertices.
    pub centers: u32,
    /// Random seed.
    pub seed: u64,
    /// Result.
    pub found: Measured<WedgeCounts>,
}

static SPEC: Spec = Spec { name: "clustering", ..Spec::DEFAULT };

impl Algorithm for Wedges {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_frontiers().with_ranks();
        let (found, seed) = (self.found.clone(), self.seed);
        let memory = MemoryPlan::new()
            .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(shape.vertices)))
            .with(Purpose::VertexValues, CENTER_BYTES * u64::from(self.centers));
        let plan = Plan::edge_map(needs, shape.with_added_degrees(memory, needs), move |engine, run| {
            let counts = sample(engine, &run, seed)?;
            Ok(found.set(counts, engine.end_iteration(None)))
        });
        Ok((model == Model::EdgeMap).then(|| plan.reading_few_lists()))
    }

    fn starts(&self, _: &Args) -> Result<Starts> {
        Ok(Starts::sample(self.centers, self.seed))
    }
}

fn sample(engine: &Engine<'_>, run: &Session<'_>, seed: u64) -> Result<WedgeCounts> {
    let centers = length_from(run.sources.len());
    let _held = engine.budget().reserve(CENTER_BYTES * centers, Purpose::VertexValues)?;
    let directions = if run.shape.directed { &[Direction::Out, Direction::In][..] } else { &[Direction::Out] };
    let drawing = Drawing::new(run, seed);
    visit_lists(engine, directions, drawing.centers.clone(), &drawing)?;
    let entries = run.entries()?;
    let wedges = drawing.pairs.into_iter().filter_map(|pair| {
        let pair = pair.into_inner().unwrap_or_else(PoisonError::into_inner);
        let [one, other] = pair.map(|(_, neighbor)| neighbor);
        let rarer = |one: VertexId, other: VertexId| entries[one as usize] <= entries[other as usize];
        (pair[1] != NONE).then(|| if rarer(one, other) { (one, other) } else { (other, one) })
    });
    let mut wedges: Vec<_> = wedges.collect();
    wedges.sort_unstable();
    let closed = wedges.iter().map(|_| AtomicBool::new(false)).collect();
    let closing = Closing { wedges, closed };
    visit_lists(engine, directions, closing.wedges.iter().map(|(one, _)| *one).collect(), &closing)?;
    let closed = closing.closed.iter().filter(|closed| closed.load(Relaxed)).count();
    Ok(WedgeCounts { centers, closed: length_from(closed) })
}

/// Folds the lists of `members` in each of the `directions`.
fn visit_lists<G: Gather>(
    engine: &Engine<'_>,
    directions: &[Direction],
    members: Vec<VertexId>,
    program: &G,
) -> Result<()> {
    let set = VertexSet::from_members(members, engine.vertices());
    directions.iter().try_for_each(|direction| engine.gather_over(&set, *direction, program))
}

/// Hash of a neighbor, and the neighbor.
type Hashed = (u64, VertexId);

/// Marker for a missing neighbor.
const NONE: Hashed = (u64::MAX, VertexId::MAX);

/// Inserts a neighbor into the two with the smallest hashes, if it is one of them and not contained.
#[inline]
fn insert(pair: &mut [Hashed; 2], neighbor: Hashed) {
    if neighbor.0 < pair[0].0 {
        *pair = [neighbor, pair[0]];
    } else if neighbor.0 > pair[0].0 && neighbor.0 < pair[1].0 {
        pair[1] = neighbor;
    }
}

/// Choice of two neighbors of each center.
struct Drawing<'r> {
    /// Vertices, ascending.
    centers: Vec<VertexId>,
    pairs: Vec<Mutex<[Hashed; 2]>>,
    ranks: IdOrder<'r>,
    hashes: SplitMix64,
}

impl<'r> Drawing<'r> {
    fn new(run: &Session<'r>, seed: u64) -> Self {
        let mut centers = run.sources.to_vec();
        centers.sort_unstable();
        let pairs = centers.iter().map(|_| Mutex::new([NONE; 2])).collect();
        Self { centers, pairs, ranks: run.ranks, hashes: SplitMix64::new(seed, DRAWS) }
    }
}

impl Gather for Drawing<'_> {
    type Sum = (VertexId, [Hashed; 2]);

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        (vertex, [NONE; 2])
    }

    #[inline]
    fn gather(&self, (center, pair): &mut Self::Sum, piece: Neighbors<'_>) {
        let first = u64::from(self.ranks.of(*center)) << u32::BITS;
        for neighbor in piece.ids().iter().filter(|neighbor| **neighbor != *center) {
            insert(pair, (self.hashes.at(first | u64::from(self.ranks.of(*neighbor))), *neighbor));
        }
    }

    fn apply(&self, vertex: VertexId, (_, found): Self::Sum) {
        if let Ok(place) = self.centers.binary_search(&vertex) {
            let mut pair = self.pairs[place].lock().unwrap_or_else(PoisonError::into_inner);
            found.into_iter().for_each(|neighbor| insert(&mut pair, neighbor));
        }
    }
}

/// Search for the edges that close wedges.
struct Closing {
    /// Neighbors of each center, ascending: the vertex whose lists are read, and the one to find in them.
    wedges: Vec<(VertexId, VertexId)>,
    closed: Vec<AtomicBool>,
}

impl Gather for Closing {
    type Sum = std::ops::Range<usize>;

    fn begin(&self, vertex: VertexId) -> Self::Sum {
        let start = self.wedges.partition_point(|(one, _)| *one < vertex);
        start..self.wedges.partition_point(|(one, _)| *one <= vertex)
    }

    #[inline]
    fn gather(&self, places: &mut Self::Sum, piece: Neighbors<'_>) {
        for place in places.clone() {
            if piece.ids().binary_search(&self.wedges[place].1).is_ok() {
                self.closed[place].store(true, Relaxed);
            }
        }
    }

    fn apply(&self, _: VertexId, _: Self::Sum) {}
}
