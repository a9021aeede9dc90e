//! Round trips of the binary format.

use super::*;
use std::fs;

fn pairs(count: u64) -> Vec<[u64; 2]> {
    (0..count).map(|i| [i.wrapping_mul(2_654_435_761) % 1000, i % 1000]).collect()
}

fn expected(pairs: &[[u64; 2]]) -> Vec<(String, String)> {
    pairs.iter().map(|[u, v]| (u.to_string(), v.to_string())).collect()
}

fn weighted() -> EdgeListOptions {
    EdgeListOptions { weighted: true, ..EdgeListOptions::default() }
}

fn write(path: &Path, pairs: &[[u64; 2]], weights: &[f64], num_vertices: Option<u64>) {
    let weighted = weights.len() == pairs.len();
    let file = NewEdges::new(EdgeFormat::written(path, None).unwrap(), pairs.len() as u64);
    let file = NewEdges { weights: weighted.then_some(WeightType::F64), num_vertices, ..file };
    let mut sink = create_edges(path, &file).unwrap();
    for (part, place) in pairs.chunks(1000).zip(0..) {
        let from = (place * 1000).min(weights.len());
        sink.push(part, &weights[from..(from + part.len()).min(weights.len())]).unwrap();
    }
    assert_eq!(sink.finish().unwrap(), pairs.len() as u64);
}

#[test]
fn every_format_comes_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.bin", "a.wel", "a.txt.gz", "a.csv", "a.tsv.zst", "a.parquet"] {
        for count in [0, 1, 65_536, 65_537, 140_000] {
            for num_vertices in [None, Some(1000)] {
                let path = folder.path().join(format!("{count}-{num_vertices:?}-{name}"));
                let pairs = pairs(count);
                let weights: Vec<f64> = (0..count).map(|i| i as f64 / 7.0).collect();
                write(&path, &pairs, &weights, num_vertices);
                let mut source = open_paths(&[&path], &weighted()).unwrap();
                let whole = drain(source.as_mut()).unwrap();
                assert_eq!(whole.edges, expected(&pairs), "{name} {count}");
                assert_eq!(whole.weights, weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>());
                if name.ends_with("bin") || name.ends_with("parquet") {
                    assert_eq!(source.edges_estimate(), Some(count));
                }
            }
        }
    }
}

#[test]
fn weights_of_either_width_become_those_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = pairs(3);
    for kind in [WeightType::F32, WeightType::F64] {
        let path = folder.path().join(format!("{}.bin", kind.name()));
        let mut sink = create(&path, Some(kind), None, false).unwrap();
        sink.push(&pairs, &[1.0, 0.1, 1e30]).unwrap();
        sink.finish().unwrap();
        let read = |weight_type| {
            let mut source = open_paths(&[&path], &EdgeListOptions { weight_type, ..weighted() }).unwrap();
            drain(source.as_mut()).map(|whole| (whole.weights, source.summary().files.remove(0)))
        };
        let stored = [1.0, 0.1, 1e30].map(|weight| kind.nearest(weight).to_bits());
        let (weights, account) = read(None).unwrap();
        assert_eq!((weights.as_slice(), account.weights.as_deref()), (&stored[..], Some(kind.name())));
        let (weights, account) = read(Some(WeightType::F32)).unwrap();
        assert_eq!(weights, [1.0, 0.1, 1e30].map(|weight| WeightType::F32.nearest(weight).to_bits()));
        assert_eq!(account.rounding.count, if kind == WeightType::F64 { 2 } else { 0 });
        let refused = read(Some(WeightType::U16)).unwrap_err().to_string();
        assert!(refused.contains("block 0: found the weight 0.1"), "{refused}");
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bin");
    write(&path, &pairs(50), &[], Some(1000));
    let good = fs::read(&path).unwrap();
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] ^= 0x40;
        fs::write(&path, &bad).unwrap();
        let outcome = open_paths(&[&path], &EdgeListOptions::default()).and_then(|mut s| drain(s.as_mut()));
        assert!(outcome.is_err(), "byte {position}");
    }
    fs::write(&path, [good.as_slice(), b"x"].concat()).unwrap();
    assert!(matches!(open_paths(&[&path], &EdgeListOptions::default()), Err(Error::BadInput { .. })));
}

#[test]
fn limits_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bin");
    let mut sink = create(&path, None, Some(5), false).unwrap();
    assert!(matches!(sink.push(&[[0, 5]], &[]), Err(Error::Internal { .. })));
    assert!(matches!(sink.push(&[[0, 4]], &[1.0]), Err(Error::Internal { .. })));
    sink.push(&[[0, 4]], &[]).unwrap();
    sink.finish().unwrap();
    let dense = EdgeListOptions { ids: IdRule::Integer { largest: Some(3) }, ..EdgeListOptions::default() };
    let error = open_paths(&[&path], &dense).and_then(|mut source| drain(source.as_mut())).unwrap_err();
    assert!(error.to_string().ends_with("found the ID 4 in block 0, expected IDs from 0 to 3"), "{error}");
    assert_eq!(open_paths(&[&path], &weighted()).err().unwrap().exit_code(), 3);
    let names = EdgeListOptions { ids: IdRule::Text, ..EdgeListOptions::default() };
    assert_eq!(open_paths(&[&path], &names).err().unwrap().exit_code(), 3);
}

#[test]
fn binary_and_text_mix_where_both_have_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let [binary, text, names] = ["a.bin", "b.txt", "c.txt"].map(|name| folder.path().join(name));
    write(&binary, &[[1, 2]], &[], None);
    fs::write(&text, "3 4\n").unwrap();
    fs::write(&names, "a b\n").unwrap();
    let mut source = open_paths(&[&text, &binary, &text], &EdgeListOptions::default()).unwrap();
    assert_eq!(drain(source.as_mut()).unwrap().edges, edges(&[("3", "4"), ("1", "2"), ("3", "4")]));
    let error = open_paths(&[&names, &binary], &EdgeListOptions::default()).and_then(|mut s| drain(s.as_mut()));
    assert_eq!(error.unwrap_err().exit_code(), 3);
}

#[test]
fn a_file_is_replaced_only_on_request_and_appears_only_when_finished() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.bin", "a.el.gz"] {
        let path = folder.path().join(name);
        write(&path, &[[1, 2]], &[], None);
        let before = fs::read(&path).unwrap();
        assert!(matches!(create(&path, None, None, false), Err(Error::AlreadyExists { .. })));
        let mut sink = create(&path, None, None, true).unwrap();
        sink.push(&[[3, 4]], &[]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);
        drop(sink);
        assert_eq!(fs::read(&path).unwrap(), before);
        let mut sink = create(&path, None, None, true).unwrap();
        sink.push(&[[3, 4]], &[]).unwrap();
        sink.finish().unwrap();
        assert_ne!(fs::read(&path).unwrap(), before);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    assert!(matches!(create(&folder.path().join("a.xyz"), None, None, false), Err(Error::Usage(_))));
}
