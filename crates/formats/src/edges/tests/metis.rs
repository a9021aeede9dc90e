//! METIS graphs, compared with a simple reader, and malformed ones.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

fn read(text: &str, options: &EdgeListOptions) -> Result<(Whole, outcrop_types::FileSummary)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.graph");
    std::fs::write(&path, text).unwrap();
    let mut source = open_paths(&[&path], options)?;
    let whole = drain(source.as_mut())?;
    assert_eq!(source.edges_estimate(), Some(whole.edges.len() as u64));
    Ok((whole, source.summary().files.remove(0)))
}

fn weighted() -> EdgeListOptions {
    EdgeListOptions { weighted: true, ..EdgeListOptions::default() }
}

#[test]
fn the_graphs_of_the_manual_are_read() {
    let expected = [(1, 5), (1, 3), (1, 2), (2, 3), (2, 4), (3, 5), (3, 4), (4, 6), (4, 7), (5, 6), (6, 7)];
    let expected: Vec<_> = expected.map(|(u, v): (u64, u64)| (u.to_string(), v.to_string())).into();
    let plain = "% figure 2 (a)\n7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";
    let (whole, summary) = read(plain, &EdgeListOptions::default()).unwrap();
    assert_eq!(whole.edges, expected);
    assert_eq!((summary.comments, summary.stated_vertices, summary.lines), (1, Some(7), Some(9)));
    // Sizes, two weights per vertex, and weights of edges.
    let full = "7 11 111 2\n9 1 2 5 1 3 2 2 1\n9 0 1 1 1 3 2 4 1\n9 5 1 5 3 4 2 2 2 1 2\n9 3 2 2 1 3 2 6 2 7 5\n9 1 1 1 1 3 3 6 2\n9 2 2 5 2 4 2 7 6\n9 0 0 6 6 4 5\n";
    let (whole, summary) = read(full, &weighted()).unwrap();
    assert_eq!(whole.edges, expected);
    assert_eq!(whole.weights, [1., 2., 1., 2., 1., 3., 2., 2., 5., 2., 6.].map(f64::to_bits));
    assert_eq!(summary.weights.as_deref(), Some("integer"));
    let (whole, summary) = read(full, &EdgeListOptions::default()).unwrap();
    assert_eq!((whole.edges, summary.notes.len()), (expected, 1));
}

#[test]
fn lines_without_neighbors_are_vertices() {
    let (whole, summary) = read("5 1\n\n4\n% between\n\n2\n\n\n", &EdgeListOptions::default()).unwrap();
    assert_eq!(whole.edges, [("2".to_owned(), "4".to_owned())]);
    assert_eq!((summary.stated_vertices, summary.blank_lines, summary.comments), (Some(5), 1, 1));
    let (whole, _) = read("0 0\n", &EdgeListOptions::default()).unwrap();
    assert_eq!(whole, Whole::default());
}

#[test]
fn wrong_graphs_are_refused_with_their_place() {
    for (text, place, found) in [
        ("", "a.graph:1:1", "found 0 numbers"),
        ("2\n", "a.graph:1:1", "found 1 numbers"),
        ("2 1 2\n2\n1\n", "a.graph:1:5", "found the format 2"),
        ("2 x\n", "a.graph:1:3", "found `x`"),
        ("2 1\n3\n1\n", "a.graph:2:1", "found 3, expected a vertex from 1 to 2"),
        ("2 1\n0\n1\n", "a.graph:2:1", "found 0"),
        ("2 1\n1\n1\n", "a.graph:2:1", "other than the vertex of this line"),
        ("2 1\n2\n1 -2\n", "a.graph:3:3", "found `-2`"),
        ("2 1 1\n2\n1 3\n", "a.graph:2:2", "the weight of an edge"),
        ("2 1\n2\n1\n1\n", "a.graph:4:1", "more than 2 lists"),
        ("2 1\n2\n", "a.graph", "edges in the first line; is the file truncated?"),
        ("2 2\n2\n1\n", "a.graph", "found 2 neighbors"),
        ("3 1\n2\n\n1\n", "a.graph", "only one of its ends"),
        ("2 1 1\n2 5\n1 6\n", "a.graph", "only one of its ends"),
    ] {
        let error = read(text, &EdgeListOptions::default()).unwrap_err();
        let message = error.to_string();
        assert!(error.exit_code() == 3 && message.contains(found), "{text:?}: {message}");
        assert!(message.contains(&format!("{place}: ")), "{text:?}: {message}");
    }
    assert_eq!(read("2 1\n2\n1\n", &weighted()).unwrap_err().exit_code(), 3);
}

#[test]
fn a_line_of_many_neighbors_comes_in_pieces() {
    let others = 2..=100_000_u64;
    let mut text = format!("100000 99999\n{}\n", others.clone().map(|id| id.to_string()).collect::<Vec<_>>().join(" "));
    others.for_each(|_| text.push_str("1\n"));
    let options = EdgeListOptions::default();
    let mut source =
        EdgeInputs::open(vec![origin(&text)], &options, &MemoryBudget::new(16 << 20), 1, BlockSizes::usual());
    let (mut batch, mut edges, mut largest) = (EdgeBatch::empty(IdKind::Integer), 0, 0);
    let source = source.as_mut().unwrap();
    while source.next_batch(&mut batch).unwrap() {
        (edges, largest) = (edges + batch.len(), largest.max(batch.len()));
    }
    assert_eq!((edges, largest), (99_999, 1 << 14));
}

fn origin(text: &str) -> Origin {
    Origin::of_reader("a.graph", Box::new(Cursor::new(text.to_owned().into_bytes()))).unwrap()
}

proptest! {
    #[test]
    fn any_graph_is_read_as_it_is_written(
        vertices in 1_u64..30,
        pairs in proptest::collection::btree_map((0_u64..30, 0_u64..30), 0_u64..1000, 0..60),
        both in any::<bool>(), compressed in any::<bool>(),
    ) {
        let mut edges = BTreeMap::new();
        for ((u, v), weight) in pairs {
            let (u, v) = (u % vertices + 1, v % vertices + 1);
            if u != v {
                edges.insert((u.min(v), u.max(v)), weight);
            }
        }
        let mut text = format!("{vertices} {} 1\n", edges.len());
        let mut expected = Vec::new();
        for vertex in 1..=vertices {
            for neighbor in 1..=vertices {
                if let Some(weight) = edges.get(&(vertex.min(neighbor), vertex.max(neighbor))) {
                    write!(text, " {neighbor}  {weight}").unwrap();
                    if both || vertex < neighbor {
                        expected.push((vertex.to_string(), neighbor.to_string(), (*weight as f64).to_bits()));
                    }
                }
            }
            text.push('\n');
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(if compressed { "a.metis.zst" } else { "a.metis" });
        let bytes = if compressed { zstd::encode_all(text.as_bytes(), 1).unwrap() } else { text.into_bytes() };
        std::fs::write(&path, bytes).unwrap();
        let options = EdgeListOptions { directed: both.then_some(true), ..weighted() };
        let whole = drain(open_paths(&[&path], &options).unwrap().as_mut()).unwrap();
        let found: Vec<_> = whole.edges.into_iter().zip(whole.weights).map(|((u, v), w)| (u, v, w)).collect();
        prop_assert_eq!(found, expected);
    }
}
