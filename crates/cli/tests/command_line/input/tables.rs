//! Edges from Parquet files, beside others, and from serialized graphs of GAP.

use crate::driver::Folder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

fn parquet(columns: Vec<(&str, ArrayRef)>, properties: WriterProperties) -> Vec<u8> {
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    writer.write(&table).unwrap();
    writer.into_inner().unwrap()
}

fn roads() -> Vec<u8> {
    let towns: DictionaryArray<Int32Type> = ["b", "a", "b"].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("km", Arc::new(Float64Array::from(vec![1.0, 2.0, 4.0]))),
        ("to", Arc::new(StringArray::from(vec!["c", "b", "d"]))),
        ("from", Arc::new(towns)),
    ];
    parquet(columns, WriterProperties::builder().set_max_row_group_row_count(Some(2)).build())
}

#[test]
fn parquet_and_text_are_one_graph() {
    let folder = Folder::new();
    folder.write("a.parquet", roads());
    folder.write("b.csv", "from,to,km\nd,e,8\n");
    folder.ok("build a.parquet b.csv g.outcrop --weight km --memory 64MiB");
    assert_eq!(
        folder.rows("sssp g.outcrop --source a --columns all"),
        ["a,0.0,", "b,2.0,a", "c,3.0,b", "d,6.0,b", "e,14.0,d"]
    );
    folder.ok("build a.parquet h.outcrop --source-column to --target-column from");
    assert_eq!(folder.rows("bfs h.outcrop --source d --columns all"), ["a,2,b", "b,1,d", "c,,", "d,0,"]);
}

#[test]
fn edges_come_from_parquet_in_updates_too() {
    let folder = Folder::new();
    folder.write("b.csv", "from,to\nd,e\n");
    folder.write("a.parquet", roads());
    folder.ok("build b.csv g.outcrop");
    folder.ok("update g.outcrop --add a.parquet");
    assert_eq!(folder.rows("bfs g.outcrop --source a --columns all"), ["a,0,", "b,1,a", "c,2,b", "d,2,b", "e,3,d"]);
}

#[test]
fn parquet_that_cannot_be_read_leaves_no_store() {
    let folder = Folder::new();
    let whole = roads();
    folder.write("a.parquet", &whole[..whole.len() - 1]);
    let ran = folder.run("build a.parquet g.outcrop");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("a.parquet: "), "{ran:?}");
    folder.write("a.parquet", &whole);
    for options in ["--weight price", "--ids dense", "--source-column km"] {
        let ran = folder.run(&format!("build a.parquet g.outcrop {options}"));
        assert_eq!(ran.code, Some(3), "{options}: {ran:?}");
        assert!(ran.stderr.contains("a.parquet: "), "{ran:?}");
    }
    assert_eq!(folder.names(), ["a.parquet"]);
}

#[test]
fn pages_that_do_not_fit_the_budget_name_one_that_they_fit() {
    let folder = Folder::new();
    let names: Vec<String> = (0..400_000).map(|row| format!("{row:060}")).collect();
    let names: ArrayRef = Arc::new(StringArray::from_iter_values(&names));
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(1 << 30)
        .set_data_page_row_count_limit(1 << 30)
        .set_write_batch_size(1 << 20);
    folder.write("a.parquet", parquet(vec![("source", names.clone()), ("target", names)], properties.build()));
    let ran = folder.run("build a.parquet g.outcrop --memory 40MiB");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    let needed = ran.stderr.split_once("at least --memory ").map(|(_, rest)| rest.split([';', ' ']).next());
    let needed: u64 = needed.flatten().and_then(|bytes| bytes.parse().ok()).unwrap_or_else(|| panic!("{ran:?}"));
    assert!((80 << 20..240 << 20).contains(&needed), "{ran:?}");
    folder.ok(&format!("build a.parquet g.outcrop --memory {needed}"));
}

#[test]
fn serialized_graphs_keep_their_direction_and_vertices_without_edges() {
    let folder = Folder::new();
    let mut bytes = vec![0];
    for number in [4i64, 4, 0, 2, 3, 3, 4] {
        bytes.extend(number.to_le_bytes());
    }
    for (neighbor, weight) in [(1i32, 5i32), (3, 6), (0, 5), (0, 6)] {
        bytes.extend([neighbor.to_le_bytes(), weight.to_le_bytes()].concat());
    }
    folder.write("a.wsg", &bytes);
    let ran = folder.ok("build a.wsg g.outcrop --weighted --json");
    assert_eq!((ran.figure("vertices"), ran.figure("edges")), (4, 2));
    assert_eq!(ran.json()["directed"], false);
    assert_eq!(folder.rows("wcc g.outcrop"), ["0,0", "1,0", "2,2", "3,0"]);
    assert_eq!(folder.rows("sssp g.outcrop --source 3 --columns all"), ["0,6.0,3", "1,11.0,0", "2,,", "3,0.0,"]);
    let ran = folder.ok("build a.wsg g.outcrop --directed --json --overwrite");
    assert_eq!((ran.figure("vertices"), ran.figure("edges")), (4, 4));
    folder.write("a.wsg", &bytes[..bytes.len() - 1]);
    assert_eq!(folder.run("build a.wsg h.outcrop").code, Some(3));
}
