//! Formats with statements about their graph: Matrix Market, DIMACS, LDBC.

use super::*;
use proptest::prelude::*;
use std::fs;

fn auto() -> EdgeListOptions {
    EdgeListOptions::default()
}

const SYMMETRIC: &str = "%%MatrixMarket matrix coordinate real symmetric\n% c\n\n4 4 3\n2 1 0.5\n3 3 1\n4 2 2\n";

fn edges_of(name: &str, text: &str, options: &EdgeListOptions) -> Vec<(String, String)> {
    read_named(name, text.as_bytes(), options).unwrap().edges
}

fn refusal(name: &str, text: &str, options: &EdgeListOptions) -> String {
    let error = read_named(name, text.as_bytes(), options).unwrap_err();
    assert!([2, 3].contains(&error.exit_code()), "{error}");
    error.to_string()
}

#[test]
fn matrix_market_states_vertices_direction_and_weights() {
    let once = edges(&[("2", "1"), ("3", "3"), ("4", "2")]);
    assert_eq!(edges_of("a.mtx", SYMMETRIC, &auto()), once);
    // Detected by its first bytes, by name if compressed, and from a stream in small pieces.
    assert_eq!(edges_of("a.dat", SYMMETRIC, &auto()), once);
    assert_eq!(read_named("a.mtx.gz", &gz(SYMMETRIC.as_bytes()), &auto()).unwrap().edges, once);
    let both = edges(&[("2", "1"), ("1", "2"), ("3", "3"), ("4", "2"), ("2", "4")]);
    let options = EdgeListOptions { directed: Some(true), weighted: true, ..auto() };
    let whole = read_named("a.mtx", SYMMETRIC.as_bytes(), &options).unwrap();
    assert_eq!((whole.edges, whole.weights), (both, [0.5f64, 0.5, 1.0, 2.0, 2.0].map(f64::to_bits).to_vec()));
    let mut source = open_text("a.mtx", SYMMETRIC.as_bytes(), &auto(), TINY).unwrap();
    assert_eq!(source.stated.directed, Some((false, "a.mtx".to_owned())));
    assert_eq!(source.stated.vertices, [1..=4]);
    drain(&mut source).unwrap();
    let file = source.summary().files.remove(0);
    assert_eq!((file.format.as_str(), file.lines, file.edges, file.comments), ("matrix-market", Some(7), 3, 1));
    assert_eq!(file.notes, ["its weights (real) were not read; use --weighted to read them"]);
}

#[test]
fn matrix_market_that_is_something_else_is_refused() {
    let size = "2 2 1\n1 2\n";
    for (banner, message) in [
        ("%%MatrixMarket vector coordinate real general", "a.mtx:1:1: found `vector`, expected matrix"),
        ("%%MatrixMarket matrix array real general", "a.mtx:1:1: found `array`, expected coordinate"),
        ("%%MatrixMarket matrix coordinate complex general", "found `complex`, expected real, integer or pattern"),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric",
            "found `skew-symmetric`, expected general or symmetric",
        ),
        ("%%MatrixMarket matrix coordinate real hermitian", "found `hermitian`, expected general or symmetric"),
        ("1 2", "a.mtx:1:1: found `1 2`, expected `%%MatrixMarket matrix coordinate"),
    ] {
        let found = refusal("a.mtx", &format!("{banner}\n{size}"), &auto());
        assert!(found.contains(message), "{found}");
    }
    let banner = "%%MatrixMarket matrix coordinate pattern general\n% c\n";
    for (rest, message) in [
        ("2 3 1\n1 2\n", "a.mtx:3:1: found 2 rows and 3 columns, expected a square matrix"),
        ("2 2\n1 2\n", "a.mtx:3:1: found `2 2`, expected rows, columns and entries"),
        ("2 x 1\n1 2\n", "a.mtx:3:1: found `2 x 1`, expected rows, columns and entries"),
        ("2 2 2\n1 2\n", "a.mtx: found 1 edge, expected 2 as stated in line 3; is the file truncated?"),
        ("2 2 0\n1 2\n", "a.mtx: found 1 edge, expected 0 as stated in line 3"),
        ("2 2 1\n1 3\n", "a.mtx:4:3: found `3`, expected an integer from 1 to 2"),
        ("2 2 1\n0 1\n", "a.mtx:4:1: found `0`, expected an integer from 1 to 2"),
        ("2 2 1\n1 1.0\n", "a.mtx:4:3: found `1.0`, expected an integer from 1 to 2"),
        ("", "a.mtx: found the end of the file, expected a line with rows, columns and entries"),
        ("4294967295 4294967295 0\n", "a.mtx:3:1: found 4294967295 vertices, expected at most 4294967294"),
    ] {
        let found = refusal("a.mtx", &format!("{banner}{rest}"), &auto());
        assert!(found.starts_with(message), "{found}");
    }
    let weighted = EdgeListOptions { weighted: true, ..auto() };
    assert!(refusal("a.mtx", &format!("{banner}{size}"), &weighted).contains("found edges without weights"));
    let texts = EdgeListOptions { ids: IdRule::Text, ..auto() };
    assert!(refusal("a.mtx", SYMMETRIC, &texts).contains("are integers, not strings"));
    let packed = read_named("a.txt.gz", &gz(SYMMETRIC.as_bytes()), &auto()).unwrap();
    assert_eq!(packed.edges, read_named("a.mtx", SYMMETRIC.as_bytes(), &auto()).unwrap().edges);
}

#[test]
fn dimacs_states_arcs_or_edges() {
    let arcs = "c roads\np sp 4 3\nc more\na 1 2 7\na 2 1 7\na 4 1 16777217\n";
    let weight_type = Some(WeightType::F32);
    let options = EdgeListOptions { weighted: true, weight_type, ..auto() };
    let whole = read_named("a.gr", arcs.as_bytes(), &options).unwrap();
    assert_eq!(whole.edges, edges(&[("1", "2"), ("2", "1"), ("4", "1")]));
    assert_eq!(whole.weights, [7.0f64, 7.0, 16_777_216.0].map(f64::to_bits));
    let mut source = open_text("a.gr", arcs.as_bytes(), &options, TINY).unwrap();
    assert_eq!(
        (source.stated.directed.clone(), source.stated.vertices.clone()),
        (Some((true, "a.gr".to_owned())), vec![1..=4])
    );
    drain(&mut source).unwrap();
    let file = source.summary().files.remove(0);
    assert_eq!((file.comments, file.rounding.count, file.rounding.first), (2, 1, Some("a.gr:6".to_owned())));
    let coloring = "p edge 3 2\ne 1 2\ne 2 3\n";
    assert_eq!(edges_of("a.col", coloring, &auto()), edges(&[("1", "2"), ("2", "3")]));
    let source = open_text("a.col", coloring.as_bytes(), &auto(), TINY).unwrap();
    assert_eq!(source.stated.directed, Some((false, "a.col".to_owned())));
    for (text, message) in [
        ("p tw 3 2\n1 2\n", "a.gr:1:1: found `p tw 3 2`, expected `p sp VERTICES ARCS`"),
        ("c\n1 2\n", "a.gr:2:1: found `1 2`, expected `p sp"),
        ("p sp 3\n", "a.gr:1:1: found `p sp 3`"),
        ("p sp 3 1\ne 1 2 3\n", "a.gr:2:1: found `e`, expected a line that starts with `a`"),
        ("p sp 3 1\na 1 4 3\n", "a.gr:2:5: found `4`, expected an integer from 1 to 3"),
        ("p sp 3 2\na 1 2 3\n", "a.gr: found 1 edge, expected 2 as stated in line 1"),
    ] {
        let found = refusal("a.gr", text, &auto());
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn files_that_contradict_each_other_need_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        EdgeInput::from(path)
    };
    let symmetric = write("s.mtx", SYMMETRIC);
    let general = write("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n");
    let plain = write("p.txt", "1 2\n");
    let open = |inputs: &[&EdgeInput], directed| {
        let inputs: Vec<_> = inputs.iter().map(|input| (*input).clone()).collect();
        open_edges(&inputs, &EdgeListOptions { directed, ..auto() }, &MemoryBudget::new(64 << 20), 1)
    };
    for inputs in [[&symmetric, &general], [&symmetric, &plain], [&plain, &symmetric]] {
        let error = open(&inputs, None).err().unwrap();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().ends_with("use --directed or --undirected"), "{error}");
        assert!(open(&inputs, Some(false)).is_ok() && open(&inputs, Some(true)).is_ok());
    }
    assert!(open(&[&general, &plain], None).is_ok());
}

#[test]
fn ldbc_takes_vertices_and_direction_from_the_files_beside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("example.e");
    fs::write(&path, "1 2 0.5\n2 3 1\n").unwrap();
    let open = || open_edges(&[EdgeInput::from(path.clone())], &auto(), &MemoryBudget::new(64 << 20), 1);
    assert!(open().unwrap().vertex_files.is_empty());
    fs::write(folder.path().join("example.v"), "1\n2\n3\n9\n").unwrap();
    fs::write(folder.path().join("example.properties"), "# x.directed = true\ngraph.example.directed = false\n")
        .unwrap();
    let opened = open().unwrap();
    assert_eq!(opened.vertex_files, [folder.path().join("example.v")]);
    assert_eq!(opened.directed.map(|said| said.0), Some(false));
    fs::write(folder.path().join("example.properties"), "directed=false\n").unwrap();
    let directed = EdgeListOptions { directed: Some(true), ..auto() };
    let inputs = [EdgeInput::from(path.clone())];
    let mut opened = open_edges(&inputs, &directed, &MemoryBudget::new(64 << 20), 1).unwrap();
    let both = edges(&[("1", "2"), ("2", "1"), ("2", "3"), ("3", "2")]);
    assert_eq!(drain(&mut *opened.source).unwrap().edges, both);
    fs::write(folder.path().join("example.properties"), "graph.example.directed = maybe\n").unwrap();
    let error = open().err().unwrap().to_string();
    assert!(error.ends_with("example.properties:1: found `maybe`, expected true or false"), "{error}");
}

proptest! {
    #[test]
    fn matrices_and_arcs_are_read_as_by_a_slow_reader(
        rows in proptest::collection::vec((1u64..50, 1u64..50, 0u32..1_000_000, 0u8..6), 0..60), symmetric: bool, both: bool, weighted: bool,
    ) {
        let symmetry = if symmetric { "symmetric" } else { "general" };
        let mut matrix = format!("%%MatrixMarket  Matrix coordinate integer {symmetry}\n50 50 {}\n", rows.len());
        let mut arcs = format!("c\np sp 50 {}\n", rows.len());
        let mut expected = Vec::new();
        for (u, v, weight, noise) in &rows {
            match noise {
                0 => { matrix += "% c\n\n"; arcs += "c x\n\n" }
                1 => { matrix += &format!("  {u}\t{v}  {weight} \n"); arcs += &format!("a  {u} {v}\t{weight}\n") }
                _ => {}
            }
            if *noise != 1 {
                matrix += &format!("{u} {v} {weight}\n");
                arcs += &format!("a {u} {v} {weight}\n");
            }
            expected.push((u.to_string(), v.to_string(), *weight));
            if symmetric && both && u != v {
                expected.push((v.to_string(), u.to_string(), *weight));
            }
        }
        let options = EdgeListOptions { weighted, directed: both.then_some(true), ..auto() };
        let found = read_named("a.mtx", matrix.as_bytes(), &options).unwrap();
        prop_assert_eq!(&found.edges, &expected.iter().map(|(u, v, _)| (u.clone(), v.clone())).collect::<Vec<_>>());
        let weights = expected.iter().filter(|_| weighted).map(|(_, _, weight)| f64::from(*weight).to_bits());
        prop_assert_eq!(&found.weights, &weights.collect::<Vec<_>>());
        let found = read_named("a.gr", arcs.as_bytes(), &options).unwrap();
        prop_assert_eq!(found.edges.len(), rows.len());
        prop_assert!(found.edges.iter().zip(&rows).all(|(edge, row)| *edge == (row.0.to_string(), row.1.to_string())));
    }
}
