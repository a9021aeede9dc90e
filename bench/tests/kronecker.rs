//! Writes the graph that the measurements use.

use outcrop_formats::edges::create_edges;
use outcrop_formats::generate::{EdgeGenerator, Kronecker};
use std::path::PathBuf;

const BATCH: usize = 1 << 16;

#[test]
#[ignore = "writes 540 MB: set OUTCROP_BENCH_FOLDER to where the file edges.bin should go"]
fn write_kronecker_22() {
    let folder = PathBuf::from(std::env::var_os("OUTCROP_BENCH_FOLDER").expect("OUTCROP_BENCH_FOLDER is set"));
    std::fs::create_dir_all(&folder).unwrap();
    let graph = Kronecker::new(22, 16, 1, None).unwrap();
    let mut sink = create_edges(&folder.join("edges.bin"), false, Some(graph.num_vertices()), false).unwrap();
    let (mut edges, mut weights) = (Vec::new(), Vec::new());
    for first in (0..graph.num_edges()).step_by(BATCH) {
        edges.clear();
        graph.fill(first, BATCH, &mut edges, &mut weights);
        sink.push(&edges, &weights).unwrap();
    }
    assert_eq!(sink.finish().unwrap(), graph.num_edges());
}
