use super::*;
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

fn read(name: &str, content: &[u8], ids_are_text: bool, budget: &MemoryBudget) -> Result<NodeWeights> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    read_node_weights(&path, ids_are_text, budget)
}

fn ample() -> MemoryBudget {
    MemoryBudget::new(1 << 30)
}

fn integers(content: &str) -> Vec<(u64, f64)> {
    let key = |key: &NodeKey| if let NodeKey::Integer(id) = key { *id } else { panic!() };
    read("w.csv", content.as_bytes(), false, &ample()).unwrap().iter().map(|(id, weight)| (key(id), *weight)).collect()
}

fn texts(name: &str, content: &str) -> Vec<(String, f64)> {
    let key = |key: &NodeKey| if let NodeKey::Text(id) = key { id.clone() } else { panic!() };
    read(name, content.as_bytes(), true, &ample()).unwrap().iter().map(|(id, weight)| (key(id), *weight)).collect()
}

/// Line and column of the error.
fn place(content: &[u8], ids_are_text: bool) -> (u64, u64) {
    match read("w.csv", content, ids_are_text, &ample()) {
        Err(Error::BadInput { location, .. }) => (location.line.unwrap(), location.column.unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_with_and_without_a_header() {
    let expected = [(3, 0.5), (u64::MAX, 0.0), (3, 1e5)];
    assert_eq!(integers("node,weight\n3,0.5\n18446744073709551615,0\n3,1e5\n"), expected);
    assert_eq!(integers("\u{feff}3, 0.5\r\n\r\n18446744073709551615,0\r\n\"3\",\"1e5\""), expected);
    assert_eq!(integers(""), []);
    assert_eq!(integers("Vertex,pagerank"), []);
}

#[test]
fn texts_with_quotes_and_tabs() {
    let expected = [("a,\"b\"".to_owned(), 1.0), (String::new(), 2.0), ("node".to_owned(), 3.0)];
    assert_eq!(texts("w.csv", "id,w\n\"a,\"\"b\"\"\",1\n\"\",2\nnode,3\n"), expected);
    assert_eq!(texts("w.TSV", "a b, c\t1\n é\t2"), [("a b, c".to_owned(), 1.0), (" é".to_owned(), 2.0)]);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (content, expected) in [
        ("1,x\n", (1, 3)),
        ("node,weight\n1,nan\n", (2, 3)),
        ("1,1\n\n2,inf\n", (3, 3)),
        ("1,-1", (1, 3)),
        ("1,", (1, 3)),
        ("node,", (1, 1)),
        ("1", (1, 2)),
        ("1,1,1", (1, 5)),
        ("-1,1", (1, 1)),
        ("+1,1", (1, 1)),
        ("1e5,1", (1, 1)),
        (",1", (1, 1)),
        ("18446744073709551616,1", (1, 1)),
        ("node,weight\nnode,weight\n", (2, 1)),
        ("1,1\n\"2,2\n", (2, 1)),
        ("\"2\"2,2\n", (1, 4)),
        ("1,1\n2,\0\n", (2, 3)),
        ("1\r2,2\n", (1, 2)),
        ("\u{feff}1,x\n", (1, 6)),
    ] {
        assert_eq!(place(content.as_bytes(), false), expected, "{content:?}");
    }
    assert_eq!(place(b"a,1\nb\xff,1\n", true), (2, 2));
    assert_eq!(place(b",1\n", true), (1, 1));
    assert_eq!(place(b"alice,much\n", true), (1, 7));
}

#[test]
fn a_line_without_end_is_refused_in_bounded_memory() {
    assert_eq!(place(&vec![b'1'; 3 << 20], false), (1, LONGEST_LINE + 1));
}

#[test]
fn other_files_are_refused() {
    assert!(matches!(read("w.txt", b"", false, &ample()), Err(Error::Usage(_))));
    assert!(matches!(read_node_weights(Path::new("absent.csv"), false, &ample()), Err(Error::NotFound { .. })));
    let folder = TempDir::with_suffix(".csv").unwrap();
    assert!(matches!(read_node_weights(folder.path(), false, &ample()), Err(Error::Io { .. })));
}

#[test]
fn the_budget_is_kept_and_given_back() {
    let content: String = (0..5000).map(|id| format!("{id},1\n")).collect();
    for ids_are_text in [false, true] {
        assert!(matches!(
            read("w.csv", content.as_bytes(), ids_are_text, &MemoryBudget::new(200_000)),
            Err(Error::BudgetTooSmall { .. })
        ));
        let budget = MemoryBudget::new(1 << 20);
        let weights = read("w.csv", content.as_bytes(), ids_are_text, &budget).unwrap();
        assert_eq!(weights.len(), 5000);
        assert!(budget.limit() - budget.available() >= 5000 * size_of::<(NodeKey, f64)>() as u64);
        drop(weights);
        assert_eq!(budget.available(), budget.limit());
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(rows in proptest::collection::vec(("[a-z,\" \u{e9}]{0,5}", 0.0f64..1e300), 0..20), tabs: bool) {
        let delimiter = if tabs { b'\t' } else { b',' };
        let style = csv::QuoteStyle::NonNumeric;
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).quote_style(style).from_writer(Vec::new());
        for (id, weight) in &rows {
            writer.write_record([id, &weight.to_string()]).unwrap();
        }
        let content = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        prop_assert_eq!(texts(if tabs { "w.tsv" } else { "w.csv" }, &content), rows);
    }

    #[test]
    fn any_bytes_give_weights_or_a_located_error(content in proptest::collection::vec(proptest::sample::select(&b"12,\"\n\r.-ea\xc3\xa9\xff \0"[..]), 0..60), text: bool) {
        match read("w.csv", &content, text, &ample()) {
            Ok(weights) => prop_assert!(weights.iter().all(|(_, weight)| weight.is_finite() && *weight >= 0.0)),
            Err(Error::BadInput { location, .. }) => prop_assert!(location.column.is_some()),
            Err(other) => prop_assert!(false, "{other:?}"),
        }
    }
}
