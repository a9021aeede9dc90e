//! How many steps, along edges in either direction, is it from each vertex to the nearest hub? A vertex program of one's own: it sees a
//! vertex with all of its in- and out-edges, whether the values of vertices fit in memory or not.
//!
//! `cargo run --release --example hubs -- web.outcrop 1000` prints the ten vertices farthest from all with 1000 edges or more.

use outcrop::engine::{Sources, UNREACHED, VertexId, VertexProgram};
use outcrop::{Graph, OpenOptions, OwnResult, Result, TableFormat, ValuePlace, VertexRun};

/// A hub has at least so many edges; an undirected one counts at both of its ends as two.
struct Hubs(usize);

impl VertexProgram for Hubs {
    type Value = u32;

    fn update(&self, _: VertexId, steps: u32, in_edges: &Sources<'_, u32>, out_edges: &Sources<'_, u32>) -> u32 {
        if in_edges.len() + out_edges.len() >= self.0 {
            return 0;
        }
        let mut least = steps;
        let mut look = |_, steps: u32, _| least = least.min(steps.saturating_add(1));
        in_edges.for_each(&mut look);
        out_edges.for_each(&mut look);
        least
    }
}

/// The steps from every vertex to the nearest with at least `edges` edges.
pub fn steps_to_hubs(graph: &Graph, edges: usize, values: ValuePlace) -> Result<OwnResult> {
    let run = VertexRun { column: "steps", start: &|_| UNREACHED, at_most: u32::MAX, values };
    graph.run_vertex_program(&Hubs(edges), &run)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let store = arguments.next().unwrap_or_else(|| "web.outcrop".to_owned());
    let edges = arguments.next().and_then(|edges| edges.parse().ok()).unwrap_or(1000);
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = steps_to_hubs(&graph, edges, ValuePlace::Auto)?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
