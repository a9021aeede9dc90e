//! Stores of every format version stay readable.

use crate::built::assert_store;
use crate::graph::{Case, Ids};
use crate::model::Model;
use outcrop_store::{Dedup, Store};
use std::path::{Path, PathBuf};

/// The graphs of the frozen stores; never to be changed.
fn cases() -> [(&'static str, Case); 2] {
    let edges = vec![(0, 1, 1.5), (1, 2, -2.0), (2, 0, 0.25), (2, 2, 8.0), (3, 2, 1.0), (3, 2, 2.0), (70, 2, 3.0)];
    let integers = Case {
        weighted: true,
        by_degree: true,
        dedup: Dedup::Sum,
        vertices: (100..200).collect(),
        interval_arcs: 3,
        ..Case::new(Ids::Sparse, edges.clone())
    };
    [("integers", integers), ("texts", Case { undirected: true, ..Case::new(Ids::Text, edges) })]
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1")
}

#[test]
fn stores_of_version_1_are_read() {
    for (name, case) in cases() {
        let store = Store::open(&fixtures().join(name)).unwrap();
        assert_eq!(store.manifest().format_version, 1);
        assert_store(&store, &case, &Model::of(&case));
    }
}

#[test]
#[ignore = "writes the frozen stores of a new format version, once"]
fn freeze() {
    std::fs::create_dir_all(fixtures()).unwrap();
    for (name, case) in cases() {
        case.build(&fixtures().join(name)).unwrap();
    }
}
