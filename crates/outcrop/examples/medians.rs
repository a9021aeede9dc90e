//! What is the median of the numbers of edges that the neighbours of a vertex have? Most people have fewer friends than most of their
//! friends do. A program whose messages cannot be merged before they arrive: a median needs all of them. They go through logs on disk where
//! memory does not hold them.
//!
//! `cargo run --release --example medians -- web.outcrop` prints the ten vertices whose neighbours have most.

use outcrop::engine::{Edges, MessageProgram, Next, Sides, UNREACHED, Vertex};
use outcrop::{
    FirstActive, Graph, MessageChoices, MessageRun, OpenOptions, OwnResult, Result, TableFormat, ValuePlace,
};

/// Each vertex tells its neighbours how many edges it has, then each looks for the median of what it was told.
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

/// For every vertex the median of its neighbours' numbers of edges, in and out; null without neighbours.
pub fn medians(graph: &Graph, values: ValuePlace, messages: MessageChoices) -> Result<OwnResult> {
    let run = MessageRun {
        column: "median",
        start: &|_| UNREACHED,
        result: &|median| median,
        active: FirstActive::All,
        sides: Sides::Both,
        along: Sides::Both,
        changes: false,
        at_most: 2,
        values,
        messages,
    };
    graph.run_message_program(&Medians, &run)
}

fn main() -> Result<()> {
    let store = std::env::args().nth(1).unwrap_or_else(|| "web.outcrop".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = medians(&graph, ValuePlace::Auto, MessageChoices::default())?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
