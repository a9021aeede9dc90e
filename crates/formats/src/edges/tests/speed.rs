//! Speed of reading: `cargo test --release -p outcrop-formats speed -- --ignored --nocapture`.

use super::columnar::{arrow_file, parquet, table};
use super::*;
use arrow_array::{ArrayRef, StringArray};
use outcrop_types::Stopwatch;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs;
use std::sync::Arc;

const EDGES: u64 = 10_000_000;

/// Writes ten million edges with IDs below 2^24, from a fixed seed.
fn write_random(path: &Path, weighted: bool) -> u64 {
    let mut sink = create(path, weighted.then_some(WeightType::F64), Some(1 << 24), true).unwrap();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    for _ in 0..EDGES / 10_000 {
        let edges: Vec<[u64; 2]> = (0..10_000).map(|_| [next(), next()]).collect();
        let weights: Vec<f64> = edges.iter().map(|edge| (edge[0] % 1000) as f64 / 1000.0).collect();
        sink.push(&edges, if weighted { &weights } else { &[] }).unwrap();
    }
    sink.finish().unwrap();
    fs::metadata(path).unwrap().len()
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let folder = tempfile::tempdir().unwrap();
    let mut text_bytes = [0; 2];
    for name in ["a.el", "a.el.gz", "a.el.zst", "a.bin"] {
        for weighted in [false, true] {
            let path = folder.path().join(name);
            let bytes = write_random(&path, weighted);
            if name == "a.el" {
                text_bytes[usize::from(weighted)] = bytes;
            }
            let text = if name == "a.bin" { bytes } else { text_bytes[usize::from(weighted)] };
            for threads in [1, 2] {
                let options = EdgeListOptions { weighted, ..EdgeListOptions::default() };
                let budget = MemoryBudget::new(8 << 20);
                let clock = Stopwatch::start();
                let mut source =
                    open_edges(&[EdgeInput::from(path.clone())], &options, &budget, threads).unwrap().source;
                let mut batch = EdgeBatch::empty(IdKind::Integer);
                let mut count = 0;
                while source.next_batch(&mut batch).unwrap() {
                    count += batch.len() as u64;
                }
                let seconds = clock.seconds();
                assert_eq!(count, EDGES);
                let (edges, rate) = (EDGES as f64 / seconds / 1e6, text as f64 / seconds / 1e6);
                let buffers = budget.peak() >> 10;
                println!(
                    "{name} weighted={weighted} threads={threads}: {edges:.1} M edges/s, {rate:.0} MB/s uncompressed, {buffers} KiB"
                );
            }
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn speed_of_tables() {
    const ROWS: u64 = 3_000_000;
    let mut state = 1u64;
    let mut names = || {
        let name = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("user-{:08}", (state >> 33) % 5_000_000)
        };
        (0..ROWS).map(name).collect::<Vec<_>>()
    };
    let [sources, targets] = [names(), names()];
    let lines = sources.iter().zip(&targets).map(|(source, target)| format!("{source},{target}\n"));
    let csv = format!("source,target\n{}", lines.collect::<String>());
    let column = |names: &[String]| -> ArrayRef { Arc::new(StringArray::from_iter_values(names)) };
    let whole = table(&[("source", column(&sources)), ("target", column(&targets))]);
    let pieces: Vec<_> = (0..ROWS / 100_000).map(|piece| whole.slice(piece as usize * 100_000, 100_000)).collect();
    let snappy = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("a.csv", csv.into_bytes()),
        ("a.parquet", parquet(&pieces, snappy)),
        ("a.arrow", arrow_file(&pieces, None)),
        ("b.arrow", arrow_file(&pieces, Some(arrow_ipc::CompressionType::LZ4_FRAME))),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let budget = MemoryBudget::new(64 << 20);
        let clock = Stopwatch::start();
        let mut source = open_edges(&[EdgeInput::from(path)], &EdgeListOptions::default(), &budget, 2).unwrap().source;
        let mut batch = EdgeBatch::empty(IdKind::Text);
        let mut count = 0;
        while source.next_batch(&mut batch).unwrap() {
            count += batch.len() as u64;
        }
        assert_eq!(count, ROWS);
        let (rate, buffers) = (ROWS as f64 / clock.seconds() / 1e6, budget.peak() >> 10);
        println!("{name}: {rate:.1} M edges/s, {} KiB, {buffers} KiB of memory", bytes.len() >> 10);
    }
}
