//! Number of adjacent pairs of vertices of a directed graph, in one pass over the lists of both directions: with the
//! number of distinct edges, it determines how many edges have an edge in the opposite direction.

use super::measured::Measured;
use super::tally::Tally;
use crate::algorithm::Algorithm;
use crate::outcome::InMemoryListBytes;
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{Model, Requirements, Spec};
use outcrop_engine::Engine;
use outcrop_engine::neighborhood::VisitNeighbors;
use outcrop_types::{MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};

/// Counts pairs of distinct vertices with an edge in at least one direction.
#[derive(Default)]
pub struct AdjacentPairs(pub Measured<u64>);

static SPEC: Spec = Spec { name: "reciprocity", ..Spec::DEFAULT };

impl Algorithm for AdjacentPairs {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let (needs, found) = (Requirements::BOTH_LISTS, self.0.clone());
        let degrees = VertexValues::<u32>::bytes(u64::from(shape.vertices));
        let memory =
            MemoryPlan::new().with(Purpose::Degrees, degrees).with(Purpose::Frontier, VertexSet::bytes(shape.vertices));
        let held = InMemoryListBytes::of_batches(shape.entries_of(needs), shape.slots);
        let plan = Plan::edge_map(needs, EdgeMapWork::holding(memory, held), move |engine, run| {
            let pairs = count(engine, &run)?;
            Ok(found.set(pairs, engine.end_iteration(None)))
        });
        Ok((model == Model::EdgeMap).then(|| plan.reading_few_lists()))
    }
}

fn count(engine: &Engine<'_>, run: &Session<'_>) -> Result<u64> {
    let (lists, pairs) = (run.batched_lists(engine)?, Pairs(Tally::new()));
    let _set = engine.budget().reserve(VertexSet::bytes(engine.vertices()), Purpose::Frontier)?;
    let everything = VertexSet::all(engine.vertices());
    engine.note_visit(None);
    lists.neighborhoods.visit(&everything, &lists.space, |vertex| lists.stored_entries(vertex), &pairs)?;
    Ok(pairs.0.take_sum(0))
}

struct Pairs(Tally<1>);

impl VisitNeighbors for Pairs {
    #[inline]
    fn keeps(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        neighbor > vertex
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, part: &[VertexId]) {
        self.0.add(vertex, 0, part.len() as u64);
    }
}
