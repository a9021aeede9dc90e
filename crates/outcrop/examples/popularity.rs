//! How popular is the most popular of a vertex's out-neighbours? An algorithm of one's own, over the lists on disk.
//!
//! `cargo run --release --example popularity -- web.outcrop` prints the ten greatest.

use outcrop::engine::{Column, EdgeMap, EdgeMapOutput, Engine, Gather, Needs, Neighbours, Values};
use outcrop::engine::{Direction, VertexId, VertexSet, VertexValues};
use outcrop::{Graph, MemoryPlan, OpenOptions, OwnAlgorithm, OwnResult, Purpose, Result, TableFormat};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

struct Popularity;

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
    fn gather(&self, most: &mut u32, piece: Neighbours<'_>) {
        piece.ids().iter().for_each(|target| *most = self.0[*target as usize].load(Relaxed).max(*most));
    }
    fn apply(&self, vertex: VertexId, most: u32) {
        self.1[vertex as usize].store(most, Relaxed);
    }
}

impl OwnAlgorithm for Popularity {
    fn needs(&self) -> Needs {
        Needs { out_lists: true, in_lists: false, frontiers: true, ranks: false }
    }
    fn memory(&self, vertices: u32) -> MemoryPlan {
        MemoryPlan::new().with(Purpose::VertexValues, 2 * VertexValues::<u32>::bytes(u64::from(vertices)))
    }
    fn run(&self, engine: &Engine<'_>, _: &[VertexId]) -> Result<Vec<Column>> {
        let (everyone, count) = (VertexSet::all(engine.vertices()), engine.vertices() as usize);
        let zeros = || VertexValues::new(engine.budget(), Purpose::VertexValues, count, |_| AtomicU32::new(0));
        let (links, most) = (zeros()?, zeros()?);
        engine.edge_map(&everyone, &CountLinks(&links), EdgeMapOutput::Nothing)?;
        engine.gather_over(&everyone, Direction::Out, &Greatest(&links, &most))?;
        engine.end_iteration(None);
        Ok(vec![Column::new("popularity", Values::Count(most.map(AtomicU32::into_inner)))])
    }
}

/// The popularity of every vertex's most popular neighbour.
pub fn popularity(graph: &Graph) -> Result<OwnResult> {
    graph.run_own(&Popularity)
}

fn main() -> Result<()> {
    let store = std::env::args().nth(1).unwrap_or_else(|| "web.outcrop".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    popularity(&graph)?.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
