//! Serialized graphs of the GAP Benchmark Suite, written as by its converter.

use super::*;

/// Returns the bytes of a graph: outgoing lists of (neighbor, weight) and, for a directed graph, incoming ones.
fn graph(directed: bool, weighted: bool, lists: &[&[(i32, i32)]]) -> Vec<u8> {
    let arcs: usize = lists.iter().map(|list| list.len()).sum();
    let mut bytes = vec![u8::from(directed)];
    bytes.extend((arcs as i64).to_le_bytes());
    bytes.extend((lists.len() as i64).to_le_bytes());
    let mut inverse = vec![Vec::new(); lists.len()];
    for (source, list) in lists.iter().enumerate() {
        list.iter().for_each(|(target, weight)| inverse[*target as usize].push((source as i32, *weight)));
    }
    let inverse: Vec<&[(i32, i32)]> = inverse.iter().map(Vec::as_slice).collect();
    for part in if directed { vec![lists, &inverse] } else { vec![lists] } {
        let ends = part.iter().scan(0, |sum, list| {
            *sum += list.len() as i64;
            Some(*sum)
        });
        std::iter::once(0).chain(ends).for_each(|end| bytes.extend(end.to_le_bytes()));
        for (target, weight) in part.iter().copied().flatten() {
            bytes.extend(target.to_le_bytes());
            bytes.extend(weighted.then(|| weight.to_le_bytes()).into_iter().flatten());
        }
    }
    bytes
}

fn open(name: &str, bytes: &[u8], options: &EdgeListOptions) -> Result<(Whole, Vec<outcrop_types::FileSummary>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut source = open_paths(&[&path], options)?;
    let whole = drain(source.as_mut())?;
    assert_eq!(source.bytes_done(), bytes.len() as u64);
    assert_eq!(source.edges_estimate(), Some(whole.edges.len() as u64));
    Ok((whole, source.summary().files))
}

fn weighted() -> EdgeListOptions {
    EdgeListOptions { weighted: true, ..EdgeListOptions::default() }
}

#[test]
fn directed_graphs_are_read_with_vertices_that_have_no_edges() {
    let lists: [&[(i32, i32)]; 5] = [&[], &[(2, 7), (4, -1)], &[], &[(1, 16_777_217)], &[]];
    let expected = edges(&[("1", "2"), ("1", "4"), ("3", "1")]);
    for is_weighted in [false, true] {
        let name = if is_weighted { "a.wsg" } else { "a.sg" };
        let (whole, files) = open(name, &graph(true, is_weighted, &lists), &EdgeListOptions::default()).unwrap();
        assert_eq!((whole.edges.as_slice(), files[0].stated_vertices), (expected.as_slice(), Some(5)));
        assert_eq!((files[0].stated_directed, files[0].notes.len()), (Some(true), usize::from(is_weighted)));
    }
    let (whole, files) = open("a.wsg", &graph(true, true, &lists), &weighted()).unwrap();
    assert_eq!((whole.weights, files[0].rounding.count), ([7.0f64, -1.0, 16_777_217.0].map(f64::to_bits).to_vec(), 0));
    let as_type = |kind| EdgeListOptions { weight_type: Some(kind), ..weighted() };
    let (whole, files) = open("a.wsg", &graph(true, true, &lists), &as_type(WeightType::F32)).unwrap();
    assert_eq!((whole.weights, files[0].rounding.count), ([7.0f64, -1.0, 16_777_216.0].map(f64::to_bits).to_vec(), 1));
    let refused = open("a.wsg", &graph(true, true, &lists), &as_type(WeightType::U32)).unwrap_err().to_string();
    assert!(refused.contains("the edge from 1 to 4: found the weight -1"), "{refused}");
    assert_eq!(open("a.sg", &graph(true, false, &lists), &weighted()).unwrap_err().exit_code(), 3);
    assert_eq!(open("a.sg", &graph(true, false, &[]), &EdgeListOptions::default()).unwrap().0, Whole::default());
    assert_eq!(
        open("a.sg", &graph(false, false, &[&[], &[]]), &EdgeListOptions::default()).unwrap().0,
        Whole::default()
    );
}

#[test]
fn edges_of_undirected_graphs_are_read_once() {
    let lists: [&[(i32, i32)]; 4] = [&[(1, 5), (3, 6)], &[(0, 5)], &[], &[(0, 6)]];
    let (whole, files) = open("a.wsg", &graph(false, true, &lists), &weighted()).unwrap();
    assert_eq!(whole.edges, edges(&[("0", "1"), ("0", "3")]));
    assert_eq!((whole.weights, files[0].stated_directed), ([5.0f64, 6.0].map(f64::to_bits).to_vec(), Some(false)));
    let directed = EdgeListOptions { directed: Some(true), ..weighted() };
    let (both, _) = open("a.wsg", &graph(false, true, &lists), &directed).unwrap();
    assert_eq!(both.edges, edges(&[("0", "1"), ("0", "3"), ("1", "0"), ("3", "0")]));
    for one_sided in [[&[(1, 5)][..], &[]], [&[(1, 5)], &[(0, 6)]]] {
        let error = open("a.wsg", &graph(false, true, &one_sided), &weighted()).unwrap_err().to_string();
        assert!(error.contains("an edge is in the list of only one of its ends"), "{error}");
    }
}

#[test]
fn graphs_of_many_pieces_are_read() {
    let lists: Vec<Vec<(i32, i32)>> = (0..40_000).map(|source| vec![(source / 3, 1); (source % 4) as usize]).collect();
    let lists: Vec<&[(i32, i32)]> = lists.iter().map(Vec::as_slice).collect();
    let (whole, _) = open("a.sg", &graph(true, false, &lists), &EdgeListOptions::default()).unwrap();
    let expected = lists
        .iter()
        .enumerate()
        .flat_map(|(source, list)| list.iter().map(move |(target, _)| (source.to_string(), target.to_string())));
    assert!(whole.edges == expected.collect::<Vec<_>>());
}

#[test]
fn damaged_graphs_are_refused() {
    let lists: [&[(i32, i32)]; 4] = [&[(1, 5), (3, 6)], &[(0, 5)], &[], &[(0, 6)]];
    let good = graph(false, true, &lists);
    for length in 0..good.len() {
        assert_eq!(open("a.wsg", &good[..length], &weighted()).unwrap_err().exit_code(), 3, "cut at {length}");
    }
    for bit in 0..8 * good.len() {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(open("a.wsg", &bad, &weighted()).unwrap_err().exit_code(), 3, "bit {bit}");
    }
}
