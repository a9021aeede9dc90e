//! Tests of folders and records.

use super::{Sample, request};
use crate::arguments::{Algorithm, RunRequest};
use crate::mmap_csr::{build, run};
use outcrop_types::Error;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn sample() -> Sample {
    Sample { vertices: 4, edges: vec![[2, 1], [2, 0], [0, 3], [2, 1]], weights: Vec::new(), undirected: false }
}

fn u32s(folder: &TempDir, name: &str) -> Vec<u32> {
    let bytes = fs::read(folder.path().join("graph").join(name)).unwrap();
    bytes.chunks_exact(4).map(|number| u32::from_le_bytes(number.try_into().unwrap())).collect()
}

fn u64s(folder: &TempDir, name: &str) -> Vec<u64> {
    let halves = u32s(folder, name);
    halves.chunks_exact(2).map(|halves| u64::from(halves[0]) | u64::from(halves[1]) << 32).collect()
}

#[test]
fn lists_are_plain_sorted_arrays() {
    let folder = sample().build();
    assert_eq!(u64s(&folder, "out.offsets"), [0, 1, 1, 4, 4]);
    assert_eq!(u32s(&folder, "out.targets"), [3, 0, 1, 1]);
    assert_eq!(u64s(&folder, "in.offsets"), [0, 1, 3, 3, 4]);
    assert_eq!(u32s(&folder, "in.targets"), [2, 2, 2, 0]);
    assert!(!folder.path().join("graph/out.weights").exists());
}

#[test]
fn undirected_edges_stand_at_both_ends_and_loops_once() {
    let weights = vec![1.5, 2.5, 3.5];
    let sample = Sample { vertices: 3, edges: vec![[0, 2], [1, 1], [1, 0]], weights, undirected: true };
    let folder = sample.build();
    assert_eq!(u32s(&folder, "out.targets"), [1, 2, 0, 1, 0]);
    let weights: Vec<f32> = u32s(&folder, "out.weights").into_iter().map(f32::from_bits).collect();
    assert_eq!(weights, [3.5, 1.5, 3.5, 2.5, 1.5]);
    assert!(!folder.path().join("graph/in.offsets").exists());
}

#[test]
fn a_record_tells_what_the_run_took() {
    let folder = sample().build();
    let record: Value = serde_json::to_value(run(&request(folder.path(), Algorithm::Bfs)).unwrap()).unwrap();
    assert_eq!((&record["algorithm"], &record["source"], &record["iterations"]), (&"bfs".into(), &2.into(), &3.into()));
    assert_eq!(record["digest"]["reached"], 4);
    assert!(record["peak_rss"].as_u64().unwrap() > 100_000);
    assert!(record["seconds"].as_f64().unwrap() <= record["seconds_total"].as_f64().unwrap());
}

#[test]
fn what_cannot_be_built_is_refused() {
    let refused = |sample: &Sample, num_vertices| {
        let folder = TempDir::new().unwrap();
        let mut request = sample.build_request(folder.path());
        request.num_vertices = num_vertices;
        build(&request).unwrap_err()
    };
    assert!(matches!(refused(&sample(), 0), Error::Usage(_)));
    assert!(matches!(refused(&sample(), 1 << 32), Error::Usage(_)));
    assert!(matches!(refused(&sample(), 3), Error::BadInput { .. }));
    let negative = Sample { weights: vec![1.0, -1.0, 0.0, 0.0], ..sample() };
    assert!(matches!(refused(&negative, 4), Error::BadInput { .. }));
}

#[test]
fn a_folder_that_is_there_is_kept() {
    let folder = TempDir::new().unwrap();
    let request = sample().build_request(folder.path());
    build(&request).unwrap();
    assert!(build(&request).is_err());
}

#[test]
fn arrays_of_wrong_lengths_and_other_sources_are_refused() {
    let folder = sample().build();
    let request = |source| RunRequest { source, ..request(folder.path(), Algorithm::Sssp) };
    assert!(matches!(run(&request(Some(4))), Err(Error::Usage(_))));
    fs::write(folder.path().join("graph/in.targets"), [0; 7]).unwrap();
    assert!(matches!(run(&request(None)), Err(Error::Corrupt { .. })));
    fs::remove_file(folder.path().join("graph/graph.json")).unwrap();
    assert!(matches!(run(&request(None)), Err(Error::Io { .. })));
}
