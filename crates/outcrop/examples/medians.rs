//! Median of the numbers of edges that the neighbors of a vertex have. Most people have fewer friends than most of
//! their friends do. A program whose messages cannot be merged before they arrive: a median needs all of them. They go
//! through logs on disk where memory does not hold them.
//!
//! `cargo run --release --example medians -- web.outcrop` prints the ten vertices whose neighbors have most.

use outcrop::engine::messages::requirements;
use outcrop::engine::{
    Column, Directions, Edges, MessageProgram, MessageWork, Next, Outcome, Plan, Requirements, Shape, UNREACHED,
    Values, Vertex, VertexSet,
};
use outcrop::{Algorithm, Args, ColumnInfo, Graph, Model, OpenOptions, Result, RunRequest, Spec, TableFormat};

/// Each vertex tells its neighbors how many edges it has, then each looks for the median of what it was told.
struct Medians;

impl MessageProgram for Medians {
    type Value = u32;
    type Message = u32;
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        if vertex.superstep().number == 0 {
            return Next::Compute;
        }
        let messages = vertex.messages();
        messages.sort_unstable();
        // Of an even number of messages the smaller one of the two in the middle.
        let middle = messages.len().checked_sub(1).and_then(|last| messages.get(last / 2)).copied();
        *vertex.value_mut() = middle.unwrap_or(UNREACHED);
        vertex.deactivate();
        Next::Done
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let count = u32::try_from(edges.len()).unwrap_or(UNREACHED);
        vertex.send_to_all(edges.out.ids(), count);
        vertex.send_to_all(edges.into.ids(), count);
        vertex.deactivate();
    }
}

/// For every vertex the median of its neighbors' numbers of edges, in and out.
pub struct NeighborMedians;

static SPEC: Spec = Spec {
    name: "medians",
    summary: "The median of the numbers of edges that the neighbours of a vertex have",
    models: &[Model::Messages],
    columns: &[ColumnInfo { name: "median", meaning: "of edges of neighbours, in and out; null without neighbours" }],
    ..Spec::DEFAULT
};

impl Algorithm for NeighborMedians {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let work = MessageWork::new(requirements::<Medians>(shape.place(), Directions::Both), 4);
        let plan = || {
            Plan::messages(Requirements::BOTH_LISTS, work, |engine, _| {
                let mut medians = engine.values(|_| UNREACHED)?;
                let ran = engine.run(&Medians, &mut medians, &VertexSet::all(engine.vertices()), 2)?;
                Ok(Outcome::new(vec![Column::new("median", Values::from(medians))], ran.supersteps))
            })
        };
        Ok((model == Model::Messages).then(plan))
    }
}

fn main() -> Result<()> {
    let store = std::env::args().nth(1).unwrap_or_else(|| "web.outcrop".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = graph.run(&RunRequest::of(&NeighborMedians))?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
