//! The example of an algorithm of one's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/popularity.rs"]
mod popularity;

use outcrop::{
    BuildOrder, BuildRequest, Cancellation, EdgeInput, Error, Graph, MemorySize, OpenOptions, Silent, build,
};
use std::path::Path;

const EDGES: &str = "a b\na c\nb c\nc d\nd c\ne a\nc c\n";

/// Four edges lead to c, one to each of a, b and d.
const EXPECTED: &str = "node,popularity\na,4\nb,4\nc,4\nd,4\ne,1\n";

fn open(folder: &Path, order: BuildOrder, memory: u64) -> Graph {
    let edges = folder.join("edges.el");
    std::fs::write(&edges, EDGES).unwrap();
    let mut request = BuildRequest::new(vec![EdgeInput::Path(edges)], folder.join(format!("{order:?}.outcrop")));
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
