//! A truncated file is an error, for any length.

use super::*;
use std::fs;

fn sample() -> String {
    (0..200u64).map(|i| format!("{} {}\n", i * i * 7919 % 1_000_003, i * 31 % 97)).collect()
}

fn every_cut_fails(name: &str, whole: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let outcome = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        open_paths(&[&path], &EdgeListOptions::default()).and_then(|mut source| drain(source.as_mut()))
    };
    let edges = outcome(whole).unwrap().edges.len();
    assert_eq!(edges, 200);
    for length in 0..whole.len() {
        let error = outcome(&whole[..length]).expect_err("a shorter graph");
        assert!([3, 7].contains(&error.exit_code()), "cut at {length}: {error}");
    }
}

#[test]
fn of_gzip() {
    every_cut_fails("x.gz", &gz(sample().as_bytes()));
}

#[test]
fn of_zstd() {
    every_cut_fails("x.zst", &zst(sample().as_bytes()));
}

#[test]
fn of_the_binary_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bin");
    let mut sink = create(&path, None, None, false).unwrap();
    sink.push(&(0..200).map(|i| [i, i * i]).collect::<Vec<_>>(), &[]).unwrap();
    assert_eq!(sink.finish().unwrap(), 200);
    every_cut_fails("y.bin", &fs::read(&path).unwrap());
}

#[test]
fn damaged_gzip_data_is_noticed() {
    let mut bytes = gz(sample().as_bytes());
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    let error = read_named("x.gz", &bytes, &EdgeListOptions::default()).unwrap_err();
    assert_eq!(error.exit_code(), 3, "{error}");
}
