//! Valid tables, and tables without edges.

use super::*;
use arrow_array::types::{Int8Type, Int32Type, UInt32Type};
use arrow_array::{
    BinaryArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array,
    Int64Array, LargeStringArray, StringArray, StringViewArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use std::sync::Arc;

const ROWS: u64 = 2500;

fn source(row: u64) -> u64 {
    row.wrapping_mul(2_654_435_761) % 100
}

fn target(row: u64) -> u64 {
    row % 97
}

/// Returns arrays of the IDs of all rows, in every type that can represent them; true for string types.
fn every_type(id: fn(u64) -> u64) -> Vec<(ArrayRef, bool)> {
    let rows = || (0..ROWS).map(id);
    let texts: Vec<String> = rows().map(name).collect();
    let texts = || texts.iter().map(String::as_str);
    let keys: DictionaryArray<Int32Type> = texts().collect();
    let small: DictionaryArray<Int8Type> = texts().collect();
    let numbers = DictionaryArray::<UInt32Type>::new(
        UInt32Array::from_iter_values(rows().map(|id| 99 - id as u32)),
        Arc::new(Int64Array::from_iter_values((0..100).rev())),
    );
    vec![
        (Arc::new(Int8Array::from_iter_values(rows().map(|id| id as i8))), false),
        (Arc::new(Int16Array::from_iter_values(rows().map(|id| id as i16))), false),
        (Arc::new(Int32Array::from_iter_values(rows().map(|id| id as i32))), false),
        (Arc::new(Int64Array::from_iter_values(rows().map(|id| id as i64))), false),
        (Arc::new(UInt8Array::from_iter_values(rows().map(|id| id as u8))), false),
        (Arc::new(UInt16Array::from_iter_values(rows().map(|id| id as u16))), false),
        (Arc::new(UInt32Array::from_iter_values(rows().map(|id| id as u32))), false),
        (Arc::new(UInt64Array::from_iter_values(rows())), false),
        (Arc::new(numbers), false),
        (Arc::new(StringArray::from_iter_values(texts())), true),
        (Arc::new(LargeStringArray::from_iter_values(texts())), true),
        (Arc::new(StringViewArray::from_iter_values(texts())), true),
        (Arc::new(keys), true),
        (Arc::new(small), true),
    ]
}

fn name(id: u64) -> String {
    if id.is_multiple_of(7) { format!("a longer name of the vertex {id}") } else { format!("v{id}") }
}

fn expected(text: bool) -> Vec<(String, String)> {
    let id = |id: u64| if text { name(id) } else { id.to_string() };
    (0..ROWS).map(|row| (id(source(row)), id(target(row)))).collect()
}

/// Splits the rows into tables, as if they were read in several batches.
fn pieces(table: &RecordBatch) -> Vec<RecordBatch> {
    vec![table.slice(0, 700), table.slice(700, 1), table.slice(701, 1299), table.slice(2000, table.num_rows() - 2000)]
}

#[test]
fn every_type_of_id_is_read_from_every_format() {
    for (sources, text) in every_type(source) {
        let (targets, _) = every_type(target).into_iter().rfind(|(_, other)| *other == text).unwrap();
        let names = || StringArray::from_iter_values((0..ROWS).map(|row| format!("note {row}")));
        let kind = sources.data_type().clone();
        let whole = table(&[("note", Arc::new(names())), ("dst", targets), ("src", sources), ("x", Arc::new(names()))]);
        for (file, bytes) in every_way(&pieces(&whole)) {
            let read =
                read_file(&file, &bytes, &EdgeListOptions::default()).unwrap_or_else(|e| panic!("{file} {kind}: {e}"));
            assert!(read.edges == expected(text), "{file} {kind}");
        }
    }
}

#[test]
fn weights_of_every_type_are_read() {
    let ids = |id: fn(u64) -> u64| -> ArrayRef { Arc::new(UInt64Array::from_iter_values((0..3).map(id))) };
    let weights: [(ArrayRef, [f64; 3]); 7] = [
        (Arc::new(Float32Array::from(vec![0.5, -1.0, 3e38])), [0.5, -1.0, f64::from(3e38_f32)]),
        (Arc::new(Float64Array::from(vec![0.5, 0.1, 3e39])), [0.5, 0.1, 3e39]),
        (Arc::new(Int8Array::from(vec![-3, 0, 3])), [-3.0, 0.0, 3.0]),
        (Arc::new(UInt64Array::from(vec![0, 1, u64::MAX])), [0.0, 1.0, 18_446_744_073_709_551_615.0]),
        (Arc::new(Int64Array::from(vec![16_777_217, -5, 7])), [16_777_217.0, -5.0, 7.0]),
        (Arc::new(Int32Array::from(vec![1, 2, 3])), [1.0, 2.0, 3.0]),
        (
            Arc::new(Decimal128Array::from(vec![150, -25, 7]).with_precision_and_scale(20, 2).unwrap()),
            [1.5, -0.25, 0.07],
        ),
    ];
    let options = EdgeListOptions { weighted: true, ..EdgeListOptions::default() };
    for (column, expected) in weights {
        let whole = table(&[("u", ids(source)), ("w", column), ("v", ids(target))]);
        for (file, bytes) in every_way(&[whole]) {
            let read = read_file(&file, &bytes, &options).unwrap();
            assert_eq!(read.weights, expected.map(f64::to_bits), "{file}");
            assert_eq!(read_file(&file, &bytes, &EdgeListOptions::default()).unwrap().weights, [0; 0]);
        }
    }
}

#[test]
fn rounded_weights_are_counted_with_their_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let weights = Int64Array::from(vec![1, 16_777_217, 1_700_000_000_123]);
    let ids = Int64Array::from(vec![1, 2, 3]);
    let whole = table(&[("a", Arc::new(ids.clone())), ("b", Arc::new(ids)), ("cost", Arc::new(weights))]);
    std::fs::write(&path, parquet(&[whole], WriterProperties::default())).unwrap();
    let weight_type = Some(WeightType::F32);
    let options = EdgeListOptions { weighted: true, weight_type, ..EdgeListOptions::default() };
    let mut source = open_paths(&[&path], &options).unwrap();
    drain(source.as_mut()).unwrap();
    let files = source.summary().files;
    let [file] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!((file.rounding.count, file.rounding.largest_absolute), (2, 38_789.0));
    assert!(file.rounding.first.as_ref().is_some_and(|first| first.ends_with("a.parquet: row 2")), "{file:?}");
    assert_eq!(
        (file.columns.as_slice(), file.weights.as_deref()),
        (&["a", "b", "cost"].map(String::from)[..], Some("int64"))
    );
    assert_eq!(file.notes.len(), 2, "{file:?}");
}

#[test]
fn a_table_gives_its_memory_back_before_the_next_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
    let whole = [table(&[("a", Arc::clone(&ids)), ("b", ids)])];
    let files = [("a.parquet", parquet(&whole, WriterProperties::default())), ("a.arrows", arrow_stream(&whole, None))];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let path = folder.path().join(name);
        let mut source = open_paths(&vec![path.as_path(); 400], &EdgeListOptions::default()).unwrap();
        assert_eq!(drain(source.as_mut()).unwrap().edges.len(), 4000, "{name}");
    }
}

#[test]
fn columns_are_found_by_name_in_any_order() {
    let ids = |from: i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(from..from + 3)) };
    let whole = table(&[("to", ids(10)), ("From", ids(20)), ("other", ids(30))]);
    let columns = |source: &str, target: &str| ColumnNames {
        source: Some(source.to_owned()),
        target: Some(target.to_owned()),
        weight: None,
        time: None,
    };
    let named = EdgeListOptions { columns: columns("OTHER", "from"), ..EdgeListOptions::default() };
    let missing = EdgeListOptions { columns: columns("other", "nobody"), ..EdgeListOptions::default() };
    let twice = EdgeListOptions { columns: columns("other", "other"), ..EdgeListOptions::default() };
    for (file, bytes) in every_way(&[whole]) {
        let usual = read_file(&file, &bytes, &EdgeListOptions::default()).unwrap();
        assert_eq!(usual.edges[0], ("20".to_owned(), "10".to_owned()), "{file}");
        assert_eq!(read_file(&file, &bytes, &named).unwrap().edges[0], ("30".to_owned(), "20".to_owned()));
        let expected = "found the columns to, From, other, but no column nobody; use one of these names";
        assert_eq!(wrong(&file, &bytes, &missing), expected);
        assert_eq!(read_file(&file, &bytes, &twice).unwrap_err().exit_code(), 2);
    }
}

#[test]
fn other_types_are_refused_with_the_column() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..]]));
    let cases = [
        (
            table(&[("a", floats.clone()), ("b", numbers.clone())]),
            "column \"a\" has the type Float64, expected integers or strings as IDs; remove rows without an ID and cast",
        ),
        (
            table(&[("a", numbers.clone()), ("b", bytes)]),
            "column \"b\" has the type Binary, expected integers or strings",
        ),
        (table(&[("a", numbers.clone()), ("b", texts.clone())]), ", expected IDs of one type"),
        (table(&[("a", numbers.clone())]), "found only a, expected source and target columns"),
        (table(&[("a", numbers.clone()), ("b", numbers.clone()), ("c", texts)]), "expected numbers as weights"),
    ];
    for (whole, expected) in cases {
        let options = EdgeListOptions { weighted: whole.num_columns() == 3, ..EdgeListOptions::default() };
        for (file, bytes) in every_way(std::slice::from_ref(&whole)) {
            let found = wrong(&file, &bytes, &options);
            assert!(found.contains(expected), "{file}: {found}");
        }
    }
}

#[test]
fn bad_rows_are_refused_with_their_number_or_left_out() {
    let numbers = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
    let texts = |values: Vec<Option<&str>>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let weights = |values: Vec<Option<f64>>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let good = || numbers(vec![Some(1), Some(2), Some(3)]);
    let good_text = || texts(vec![Some("x"), Some("y"), Some("z")]);
    let long = "x".repeat(LONGEST_ID + 1);
    let cases = [
        (good(), numbers(vec![Some(1), None, Some(3)]), None, "row 2: found null, expected an ID"),
        (
            numbers(vec![Some(1), Some(-7), Some(3)]),
            good(),
            None,
            "row 2: found the negative ID -7, expected one of at least 0",
        ),
        (good_text(), texts(vec![Some("x"), None, Some("z")]), None, "row 2: found null, expected an ID"),
        (
            good_text(),
            texts(vec![Some("x"), Some(""), Some("z")]),
            None,
            "row 2: found an empty ID, expected UTF-8 of 1 to 65536 bytes without line breaks and NUL",
        ),
        (good_text(), texts(vec![Some("x"), Some("y\n"), Some("z")]), None, "row 2: found the ID \"y\\n\""),
        (good_text(), texts(vec![Some("x"), Some(&long), Some("z")]), None, "row 2: found an ID of 65537 bytes"),
        (good(), good(), Some(weights(vec![Some(1.0), None, Some(2.0)])), "row 2: found null as the weight"),
        (good(), good(), Some(weights(vec![Some(1.0), Some(f64::NAN), Some(2.0)])), "row 2: found the weight NaN"),
        (
            good(),
            good(),
            Some(weights(vec![Some(1.0), Some(f64::NEG_INFINITY), Some(2.0)])),
            "row 2: found the weight -inf",
        ),
    ];
    for (sources, targets, weight, expected) in cases {
        let mut columns = vec![("source", sources), ("target", targets)];
        columns.extend(weight.map(|weight| ("weight", weight)));
        let options = EdgeListOptions { weighted: columns.len() == 3, ..EdgeListOptions::default() };
        let skip = |max_errors| EdgeListOptions { on_error: OnError::Skip { max_errors }, ..options.clone() };
        for (file, bytes) in every_way(&[table(&columns)]) {
            let found = wrong(&file, &bytes, &options);
            assert!(found.starts_with(expected), "{file}: {found}");
            let read = read_file(&file, &bytes, &skip(1)).unwrap();
            assert_eq!((read.edges.len(), read.skipped), (2, 1), "{file}");
            assert!(wrong(&file, &bytes, &skip(0)).contains("first of more than 0 invalid rows (--max-errors)"));
        }
    }
}

#[test]
fn nulls_in_dictionaries_are_nulls() {
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let keys = |keys: Vec<Option<i32>>| -> ArrayRef {
        Arc::new(DictionaryArray::<Int32Type>::try_new(Int32Array::from(keys), values.clone()).unwrap())
    };
    let empty: ArrayRef = Arc::new(
        DictionaryArray::<Int32Type>::try_new(
            Int32Array::from(vec![None, None]),
            Arc::new(StringArray::from(vec![""; 0])),
        )
        .unwrap(),
    );
    for targets in [keys(vec![Some(0), Some(1)]), keys(vec![Some(0), None]), empty] {
        let whole = table(&[("source", keys(vec![Some(0), Some(0)])), ("target", targets)]);
        for (file, bytes) in every_way(&[whole]) {
            let found = wrong(&file, &bytes, &EdgeListOptions::default());
            assert!(found.contains(": found null, expected an ID"), "{file}: {found}");
        }
    }
}

#[test]
fn tables_without_rows_have_no_edges() {
    let none: ArrayRef = Arc::new(Int64Array::from(vec![0; 0]));
    for (file, bytes) in every_way(&[table(&[("source", none.clone()), ("target", none)])]) {
        assert_eq!(read_file(&file, &bytes, &EdgeListOptions::default()).unwrap(), Whole::default(), "{file}");
    }
}

#[test]
fn limits_of_ids_are_kept() {
    let ids: ArrayRef = Arc::new(UInt64Array::from(vec![5, u64::MAX]));
    let options = EdgeListOptions { ids: IdRule::Integer { largest: Some(5) }, ..EdgeListOptions::default() };
    let texts = EdgeListOptions { ids: IdRule::Text, ..EdgeListOptions::default() };
    for (file, bytes) in every_way(&[table(&[("source", ids.clone()), ("target", ids)])]) {
        let found = wrong(&file, &bytes, &options);
        assert_eq!(found, "row 2: found the ID 18446744073709551615, expected one from 0 to 5");
        let found = wrong(&file, &bytes, &texts);
        assert!(found.starts_with("the columns source, target have integers as IDs, expected strings"), "{found}");
    }
}

#[test]
fn formats_mix_where_their_ids_are_of_one_kind() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, third, fourth] =
        ["a.parquet", "b.txt", "c.feather", "d.parquet"].map(|name| folder.path().join(name));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let of = |column: &ArrayRef| table(&[("source", column.clone()), ("target", column.clone())]);
    std::fs::write(&first, parquet(&[of(&numbers)], WriterProperties::default())).unwrap();
    std::fs::write(&second, "2 3\n").unwrap();
    std::fs::write(&third, arrow_file(&[of(&numbers)], Some(CompressionType::LZ4_FRAME))).unwrap();
    std::fs::write(&fourth, parquet(&[of(&texts)], WriterProperties::default())).unwrap();
    let mut source = open_paths(&[&first, &second, &third, &second], &EdgeListOptions::default()).unwrap();
    assert_eq!(drain(source.as_mut()).unwrap().edges, edges(&[("1", "1"), ("2", "3"), ("1", "1"), ("2", "3")]));
    let both = open_paths(&[&first, &second, &fourth], &EdgeListOptions::default()).err().unwrap().to_string();
    assert!(both.contains("a.parquet") && both.contains("d.parquet"), "{both}");
}

#[test]
fn ids_and_columns_in_doubt_are_noted() {
    let texts = |values: [&str; 2]| -> ArrayRef { Arc::new(StringArray::from_iter_values(values)) };
    let types = texts(["Undirected", "Undirected"]);
    let whole = table(&[("Source", texts(["NA", "b"])), ("Target", texts(["b", "\u{a0}c"])), ("Type", types)]);
    let bytes = parquet(&[whole], parquet_ways().remove(0));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e.parquet");
    std::fs::write(&path, bytes).unwrap();
    let inputs = [EdgeInput::from(path)];
    let mut source = open_edges(&inputs, &EdgeListOptions::default(), &MemoryBudget::new(16 << 20), 2).unwrap().source;
    drain(source.as_mut()).unwrap();
    let notes = source.summary().files.remove(0).notes;
    for part in ["the column Type was not read", "looks like a missing value", "invisible character"] {
        assert!(notes.len() == 3 && notes.iter().any(|note| note.contains(part)), "{part}: {notes:?}");
    }
}
