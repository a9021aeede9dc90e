//! Popularity of the most popular of a vertex's out-neighbors. An algorithm of one's own, over the lists on disk.
//!
//! `cargo run --release --example popularity -- web.outcrop` prints the ten greatest.

use outcrop::engine::{
    Column, EdgeMap, EdgeMapOutput, Engine, Gather, Neighbors, Outcome, Plan, Requirements, Shape, Values,
};
use outcrop::engine::{Direction, VertexId, VertexSet, VertexValues};
use outcrop::{
    Algorithm, Args, ColumnInfo, Graph, MemoryPlan, Model, OpenOptions, Purpose, Result, RunRequest, Spec, TableFormat,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The popularity of every vertex's most popular out-neighbor.
pub struct Popularity;

static SPEC: Spec = Spec {
    name: "popularity",
    summary: "The popularity of every vertex's most popular out-neighbour",
    columns: &[ColumnInfo { name: "popularity", meaning: "the most edges that lead to an out-neighbour" }],
    ..Spec::DEFAULT
};

/// Counts the edges that lead to each vertex.
struct CountLinks<'v>(&'v [AtomicU32]);

impl EdgeMap for CountLinks<'_> {
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f64) -> bool {
        self.0[target as usize].fetch_add(1, Relaxed) == 0
    }
}

/// Finds the greatest count in each out-list.
struct Greatest<'v>(&'v [AtomicU32], &'v [AtomicU32]);

impl Gather for Greatest<'_> {
    type Sum = u32;
    fn begin(&self, _: VertexId) -> u32 {
        0
    }
    fn gather(&self, most: &mut u32, piece: Neighbors<'_>) {
        piece.ids().iter().for_each(|target| *most = self.0[*target as usize].load(Relaxed).max(*most));
    }
    fn apply(&self, vertex: VertexId, most: u32) {
        self.1[vertex as usize].store(most, Relaxed);
    }
}

impl Algorithm for Popularity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let values = 2 * VertexValues::<u32>::bytes(u64::from(shape.vertices));
        let memory = MemoryPlan::new().with(Purpose::VertexValues, values);
        let needs = Requirements::OUT_LISTS.with_frontiers();
        Ok((model == Model::EdgeMap).then(|| Plan::edge_map(needs, memory, |engine, _| popularity(engine))))
    }
}

fn popularity(engine: &Engine<'_>) -> Result<Outcome> {
    let (everyone, count) = (VertexSet::all(engine.vertices()), engine.vertices() as usize);
    let zeros = || VertexValues::new(engine.budget(), Purpose::VertexValues, count, |_| AtomicU32::new(0));
    let (links, most) = (zeros()?, zeros()?);
    engine.edge_map(&everyone, &CountLinks(&links), EdgeMapOutput::Nothing)?;
    engine.gather_over(&everyone, Direction::Out, &Greatest(&links, &most))?;
    engine.end_iteration(None);
    let column = Column::new("popularity", Values::Count(most.map(AtomicU32::into_inner)));
    Ok(Outcome::new(vec![column], 1))
}

fn main() -> Result<()> {
    let store = std::env::args().nth(1).unwrap_or_else(|| "web.outcrop".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = graph.run(&RunRequest::of(&Popularity))?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
