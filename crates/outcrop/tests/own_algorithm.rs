//! The examples of algorithms of one's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/popularity.rs"]
mod popularity;

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/hubs.rs"]
mod hubs;

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/medians.rs"]
mod medians;

use outcrop::engine::{Edges, MessageProgram, Sides, Vertex};
use outcrop::{
    BuildOrder, BuildRequest, Cancellation, EdgeInput, Error, FirstActive, Graph, IdMode, LogKind, MemorySize,
    MessageChoices, MessageRun, OpenOptions, Silent, ValuePlace, build,
};
use std::path::Path;

const EDGES: &str = "a b\na c\nb c\nc d\nd c\ne a\nc c\n";

/// Four edges lead to c, one to each of a, b and d.
const EXPECTED: &str = "node,popularity\na,4\nb,4\nc,4\nd,4\ne,1\n";

fn open(folder: &Path, order: BuildOrder, memory: u64) -> Graph {
    open_edges(folder, EDGES, order, memory)
}

/// A graph of these lines, whose ids are dense where they are numbers.
fn open_edges(folder: &Path, lines: &str, order: BuildOrder, memory: u64) -> Graph {
    let edges = folder.join("edges.el");
    std::fs::write(&edges, lines).unwrap();
    let mut request = BuildRequest::new(vec![EdgeInput::Path(edges)], folder.join(format!("{order:?}.outcrop")));
    if lines.starts_with(|first: char| first.is_ascii_digit()) {
        request.ids = IdMode::Dense;
    }
    (request.order, request.memory) = (order, MemorySize::Bytes(64 << 20));
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MemorySize::Bytes(memory), threads: Some(2), ..OpenOptions::default() };
    Graph::open(&request.store, options).unwrap()
}

#[test]
fn it_gives_a_table_in_the_users_ids_whatever_the_order() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Degree] {
        let graph = open(folder.path(), order, 64 << 20);
        let path = folder.path().join("popularity.csv");
        popularity::popularity(&graph).unwrap().table().write(&path, true).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), EXPECTED);
    }
}

#[test]
fn it_is_refused_a_budget_that_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), BuildOrder::Original, 1 << 20);
    let Some(Error::BudgetTooSmall { plan, .. }) = popularity::popularity(&graph).err() else { panic!() };
    assert!(plan.total() > 1 << 20);
}

/// A tail that leads to c, which has 5 ends of edges, and two vertices by themselves.
const TAILED: &str = "a c\nb c\nc d\nc d\ne a\nf e\ng f\nx y\n";

const STEPS: &str = "node,steps\na,1\nb,1\nc,0\nd,1\ne,2\nf,3\ng,4\nx,\ny,\n";

#[test]
fn a_vertex_program_gives_a_table_wherever_its_values_are() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Random { seed: 5 }] {
        let graph = open_edges(folder.path(), TAILED, order, 64 << 20);
        for values in ValuePlace::ALL {
            let path = folder.path().join("steps.csv");
            hubs::steps_to_hubs(&graph, 4, values).unwrap().table().write(&path, true).unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), STEPS, "{order:?} {values:?}");
        }
    }
}

#[test]
fn a_vertex_program_goes_to_disk_where_memory_does_not_hold_its_values() {
    let (folder, count) = (tempfile::tempdir().unwrap(), 1_000_000_u32);
    // A path from a hub, and vertices by themselves: 4 MB of values.
    let lines: Vec<String> =
        (0..6).map(|to| format!("{} {to}", count - 1)).chain((6..9).map(|to| format!("{} {to}", to - 1))).collect();
    let graph = open_edges(folder.path(), &lines.join("\n"), BuildOrder::Original, 19 << 20);
    let refused = hubs::steps_to_hubs(&graph, 6, ValuePlace::Memory).err();
    assert!(matches!(refused, Some(Error::BudgetTooSmall { .. })));
    let result = hubs::steps_to_hubs(&graph, 6, ValuePlace::Auto).unwrap();
    let top = result.table().top(1).unwrap();
    assert_eq!((top.num_rows(), top.column(0).to_data().buffers()[0].typed_data::<u64>()), (1, &[8][..]));
}

#[test]
fn a_vertex_program_is_refused_a_budget_that_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open_edges(folder.path(), TAILED, BuildOrder::Original, 1 << 20);
    let refused = hubs::steps_to_hubs(&graph, 4, ValuePlace::Auto).err();
    assert!(matches!(refused, Some(Error::BudgetTooSmall { .. })));
}

/// c has edges to a, b and twice d, which have 2, 1 and 2; of two in the middle the smaller one counts.
const MEDIANS: &str = "node,median\na,2\nb,4\nc,2\nd,4\ne,2\nf,1\ng,2\nx,1\ny,1\n";

#[test]
fn a_message_program_gives_a_table_wherever_its_values_are_and_however_messages_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Random { seed: 5 }] {
        let graph = open_edges(folder.path(), TAILED, order, 64 << 20);
        for values in ValuePlace::ALL {
            for log in [LogKind::Multi, LogKind::Single] {
                let messages = MessageChoices { log: Some(log), ..MessageChoices::default() };
                let path = folder.path().join("medians.csv");
                medians::medians(&graph, values, messages).unwrap().table().write(&path, true).unwrap();
                assert_eq!(std::fs::read_to_string(path).unwrap(), MEDIANS, "{order:?} {values:?} {log:?}");
            }
        }
    }
}

#[test]
fn a_message_program_is_refused_a_budget_that_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open_edges(folder.path(), TAILED, BuildOrder::Original, 1 << 20);
    let refused = medians::medians(&graph, ValuePlace::Auto, MessageChoices::default()).err();
    assert!(matches!(refused, Some(Error::BudgetTooSmall { .. })));
}

/// Takes vertices with one edge at the most out of an undirected graph, again and again: what is left is its 2-core.
struct Peeling;

impl MessageProgram for Peeling {
    /// 1 for vertices that are still there.
    type Value = u32;
    type Message = u32;
    type Record = ();

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        if edges.len() < 2 && *vertex.value() == 1 {
            *vertex.value_mut() = 0;
            let own = vertex.id();
            edges.out.ids().iter().for_each(|neighbour| vertex.remove_edge(own, *neighbour));
            // They look at what is left of their edges.
            vertex.send_to_all(edges.out.ids(), 0);
        }
        vertex.deactivate();
    }
}

#[test]
fn a_message_program_changes_the_graph_that_it_sees_and_not_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let edges = folder.path().join("edges.el");
    // A triangle with a tail, and a path.
    std::fs::write(&edges, "0 1\n1 2\n2 0\n2 3\n3 4\n5 6\n6 7\n").unwrap();
    let mut request = BuildRequest::new(vec![EdgeInput::Path(edges)], folder.path().join("graph.outcrop"));
    (request.undirected, request.ids, request.memory) = (true, IdMode::Dense, MemorySize::Bytes(64 << 20));
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MemorySize::Bytes(64 << 20), threads: Some(2), ..OpenOptions::default() };
    let graph = Graph::open(&request.store, options).unwrap();
    for (values, active) in [(ValuePlace::Memory, None), (ValuePlace::Disk, Some(vec!["4".to_owned(), "5".to_owned()]))]
    {
        let run = MessageRun {
            column: "left",
            start: &|_| 1,
            result: &|left| left,
            active: active.as_ref().map_or(FirstActive::All, |ids| FirstActive::Ids(ids)),
            sides: Sides::Both,
            along: Sides::Both,
            changes: true,
            at_most: u32::MAX,
            values,
            messages: MessageChoices::default(),
        };
        let path = folder.path().join("left.csv");
        graph.run_message_program(&Peeling, &run).unwrap().table().write(&path, true).unwrap();
        let left: Vec<String> =
            std::fs::read_to_string(&path).unwrap().lines().skip(1).map(|row| row[2..].to_owned()).collect();
        assert_eq!(left.concat(), "11100000", "{values:?}");
    }
    graph.check().unwrap();
    assert_eq!(graph.num_edges(), 7);
}
