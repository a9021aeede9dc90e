//! Written files are read back unchanged, for any IDs.

use super::*;
use crate::table::TableWriter;
use crate::vector::{NodeKey, NodeValues};
use crate::vertices::open_vertices;
use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use proptest::prelude::*;
use std::sync::Arc;

/// IDs that some readers interpret as something else.
const HOSTILE: [&str; 52] = [
    "a",
    "#rust",
    "#",
    "%x",
    "//c",
    "--",
    "New York",
    " b",
    "b ",
    "\tb",
    "b\t",
    "  ",
    "a\u{b}",
    "\u{c}x",
    "\u{a0}x",
    "say \"hi\"",
    "\"",
    "\"\"",
    "\"q\"",
    "'",
    "a,b",
    ",",
    "a;b",
    "a|b",
    "a\tb",
    "NA",
    "null",
    "NULL",
    "NaN",
    "none",
    "true",
    "inf",
    "node",
    "id",
    "source",
    "target",
    "weight",
    "007",
    "7",
    "07",
    "1e5",
    "+3",
    "-1",
    "0x10",
    "1.0",
    "18446744073709551616",
    "\u{feff}x",
    "e\u{301}",
    "é",
    "🦀",
    "=1+1",
    "x;y,z",
];

fn texts(ids: &[String]) -> LargeStringArray {
    LargeStringArray::from_iter_values(ids)
}

/// Writes edges from each of `ids` to the next and reads them back, in every format that supports strings.
fn edges_come_back(ids: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let targets: Vec<String> = ids.iter().cycle().skip(1).take(ids.len()).cloned().collect();
    for name in ["x.csv", "x.tsv", "x.csv.gz", "x.tsv.zst", "x.parquet"] {
        let path = folder.path().join(name);
        let file = NewEdges {
            ids: IdKind::Text,
            ..NewEdges::new(EdgeFormat::written(&path, None).unwrap(), ids.len() as u64)
        };
        let mut sink = create_edges(&path, &file).unwrap();
        sink.push_texts([&texts(ids), &texts(&targets)], &[]).unwrap();
        sink.finish().unwrap();
        for rule in [IdRule::Auto, IdRule::Text] {
            let options = EdgeListOptions { ids: rule, ..EdgeListOptions::default() };
            let mut source = open_paths(&[&path], &options).unwrap();
            assert_eq!(source.id_kind(), IdKind::Text, "{name} {ids:?}");
            let found = drain(&mut *source).unwrap().edges;
            assert_eq!(found, ids.iter().cloned().zip(targets.clone()).collect::<Vec<_>>(), "{name}");
        }
    }
}

/// Writes a result table with one row per ID, and reads it as a list of vertices and as a vector.
fn results_come_back(ids: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let fields = vec![Field::new("node", DataType::LargeUtf8, false), Field::new("rank", DataType::Float64, false)];
    let schema = Arc::new(Schema::new(fields));
    let ranks = Float64Array::from_iter_values((0..ids.len()).map(|rank| rank as f64 / 4.0));
    let columns: Vec<ArrayRef> = vec![Arc::new(texts(ids)), Arc::new(ranks)];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    for format in [TableFormat::Csv, TableFormat::Tsv] {
        let path = folder.path().join(format!("x.{}", format.extension()));
        let mut writer = TableWriter::create(&path, format, &schema, ids.len() as u64, false).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let budget = MemoryBudget::new(64 << 20);
        let options = EdgeListOptions { ids: IdRule::Text, comments: b"#%".to_vec(), ..EdgeListOptions::default() };
        let mut source = open_vertices(&EdgeInput::from(path.clone()), &options, None, &budget).unwrap();
        let (mut found, mut batch) = (Vec::new(), IdBatch::empty(IdKind::Text));
        while source.next_batch(&mut batch).unwrap() {
            found.extend(names(&batch));
        }
        assert_eq!(found, ids, "{path:?}");
        let account = source.summary().remove(0);
        assert_eq!((account.edges, account.lines), (ids.len() as u64, Some(ids.len() as u64 + 1)));
        let (mut values, mut rows) = (NodeValues::open(&path, true, &budget).unwrap(), Vec::new());
        values.next_batch(&mut rows).unwrap();
        let keys: Vec<_> = rows.into_iter().map(|row| row.key).collect();
        assert_eq!(keys, ids.iter().cloned().map(NodeKey::Text).collect::<Vec<_>>(), "{path:?}");
    }
}

#[test]
fn hostile_ids_come_back() {
    let ids: Vec<String> = HOSTILE.iter().map(|id| (*id).to_owned()).chain(["\"".repeat(LONGEST_ID)]).collect();
    edges_come_back(&ids);
    results_come_back(&ids);
    // The first row determines how the others are read.
    for first in 0..HOSTILE.len() {
        edges_come_back(&[&ids[first..first + 1], &ids[..4]].concat());
    }
    edges_come_back(&["007".to_owned(), "7".to_owned()]);
    results_come_back(&["007".to_owned()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_ids_come_back(ids in proptest::collection::vec("[#%/\"',;| \t0-9a-cé\u{feff}\u{2028}+.eE-]{1,5}", 1..6)) {
        edges_come_back(&ids);
        results_come_back(&ids);
    }
}

#[test]
fn what_no_text_can_hold_is_refused() {
    for (id, message) in
        [("", "found nothing, expected an ID"), ("a\0", "found a NUL byte"), ("a\rb", "found a carriage return")]
    {
        let error = read_named("x.csv", format!("\"{id}\",b\n").as_bytes(), &EdgeListOptions::default()).unwrap_err();
        assert!(error.exit_code() == 3 && error.to_string().contains(message), "{error}");
    }
}

#[test]
fn quoted_numbers_are_texts_unless_numbers_are_asked_for() {
    let text = b"\"source\",\"target\"\n\"007\",\"7\"\n";
    let mut source = open_text("x.csv", text, &EdgeListOptions::default(), TINY).unwrap();
    assert_eq!(source.id_kind(), IdKind::Text);
    assert_eq!(drain(&mut source).unwrap().edges, edges(&[("007", "7")]));
    assert!(
        source.summary().files[0].notes[0]
            .starts_with("quoted IDs were read as strings; use --ids integer to read them as integers")
    );
    let numbers = EdgeListOptions { ids: IdRule::Integer { largest: None }, ..EdgeListOptions::default() };
    let mut source = open_text("x.csv", text, &numbers, TINY).unwrap();
    assert_eq!(drain(&mut source).unwrap().edges, edges(&[("7", "7")]));
    let told = &source.summary().files[0].notes;
    assert!(
        told.len() == 1 && told[0].starts_with("1 line has an ID with leading zeros, the first at x.csv:2 (`007`)"),
        "{told:?}"
    );
}

#[test]
fn a_line_of_a_list_of_names_is_a_name() {
    let budget = MemoryBudget::new(64 << 20);
    let read = |name: &str, text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let options = EdgeListOptions { ids: IdRule::Text, ..EdgeListOptions::default() };
        let mut source = open_vertices(&EdgeInput::from(path), &options, None, &budget).unwrap();
        let (mut found, mut batch) = (Vec::new(), IdBatch::empty(IdKind::Text));
        while source.next_batch(&mut batch).unwrap() {
            found.extend(names(&batch));
        }
        found
    };
    assert_eq!(read("x.txt", "# c\nNew York\n Paris, Texas \n\"#1\"\n7\n"), ["New York", "Paris, Texas", "#1", "7"]);
    assert_eq!(read("x.csv", "New York\nBonn\n"), ["New York", "Bonn"]);
    assert_eq!(read("x.csv", "New York,8\nBonn,9\n"), ["New York", "Bonn"]);
    assert_eq!(read("x.csv", "rank;id\n3;New York\n"), ["New York"]);
    assert_eq!(read("x.txt", "New York\tbig\nBonn\tsmall\n"), ["New York", "Bonn"]);
    assert_eq!(read("x.csv", "id\n007\n"), ["007"]);
}

#[test]
fn comments_that_contradict_the_direction_are_told() {
    let notes = |first: &str, directed: Option<bool>| {
        let options = EdgeListOptions { directed, ..EdgeListOptions::default() };
        let mut source = open_text("x.txt", format!("{first}\n# more\n1 2\n").as_bytes(), &options, TINY).unwrap();
        drain(&mut source).unwrap();
        source.summary().files.remove(0).notes
    };
    for undirected in ["% sym unweighted", "%  sym positive", "# Undirected graph: ../x.txt", "# Undirected graph"] {
        assert!(
            notes(undirected, None)[0]
                .contains("states undirected edges, but they were read as directed; use --undirected"),
            "{undirected}"
        );
        assert_eq!(notes(undirected, Some(false)), [""; 0]);
    }
    for directed in ["% asym weighted", "# Directed graph (each unordered pair of nodes is saved once): x.txt"] {
        assert_eq!(notes(directed, None), [""; 0]);
        assert!(
            notes(directed, Some(false))[0]
                .contains("states directed edges, but they were read as undirected; omit --undirected"),
            "{directed}"
        );
    }
    assert!(notes("% bip unweighted", None)[0].contains("bipartite"));
    assert_eq!(notes("# symmetric", None), [""; 0]);
}

#[test]
fn whole_weights_that_floats_do_not_hold_are_told() {
    let text = b"1 2 9007199254740993\n1 3 1e-400\n1 4 0.1\n1 5 9007199254740992\n";
    let options = EdgeListOptions { weighted: true, ..EdgeListOptions::default() };
    let mut source = open_text("x.txt", text, &options, TINY).unwrap();
    drain(&mut source).unwrap();
    let rounding = source.summary().rounding();
    assert_eq!((rounding.count, rounding.zeros, rounding.first.as_deref()), (2, 1, Some("x.txt:1")));
    let error = read("1 2 1e400\n", &options).unwrap_err().to_string();
    assert!(error.contains("found `1e400`, expected a finite number"), "{error}");
}
