use super::text::LONGEST_LINE;
use super::*;
use proptest::prelude::*;
use std::fs;
use std::fs::File;
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

/// Returns line and column of the error.
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
    assert_eq!(integers("\n\nid,weight\n3,0.5\n"), [(3, 0.5)]);
    assert_eq!(integers(""), []);
    assert_eq!(integers("Vertex,pagerank"), []);
}

#[test]
fn texts_with_quotes_and_tabs() {
    let expected = [("a,\"b\"".to_owned(), 1.0), (String::new(), 2.0), ("node".to_owned(), 3.0)];
    assert_eq!(texts("w.csv", "id,w\n\"a,\"\"b\"\"\",1\n\"\",2\nnode,3\n"), expected);
    assert_eq!(
        texts("w.TSV", "a b, c\t1\n é\t2\n\" é\"\t3"),
        [("a b, c".to_owned(), 1.0), ("é".to_owned(), 2.0), (" é".to_owned(), 3.0)]
    );
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

/// Returns all values of the array in `content`.
fn array(content: &[u8]) -> Result<Vec<f64>> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    fs::write(&path, content).unwrap();
    let mut file = NpyValues::open(&path, &ample())?;
    let mut values = vec![0.0; file.length() as usize];
    file.read(0, &mut values)?;
    Ok(values)
}

fn npy(version: u8, header: &str, values: &[u8]) -> Vec<u8> {
    let length = u32::try_from(header.len()).unwrap().to_le_bytes();
    let length = if version == 1 { &length[..2] } else { &length };
    [b"\x93NUMPY".as_slice(), &[version, 0], length, header.as_bytes(), values].concat()
}

#[test]
fn arrays_of_any_number_type_are_read() {
    let header = |kind: &str| format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2,), }}\n");
    let of = |kind: &str, bytes: &[u8]| array(&npy(1, &header(kind), bytes)).unwrap();
    assert_eq!(of("<f8", &[1.5_f64, -2.0].map(f64::to_le_bytes).concat()), [1.5, -2.0]);
    assert_eq!(of(">f8", &[1.5_f64, -2.0].map(f64::to_be_bytes).concat()), [1.5, -2.0]);
    assert_eq!(of("<f4", &[0.5_f32, -2.0].map(f32::to_le_bytes).concat()), [0.5, -2.0]);
    assert_eq!(of("<i8", &[-3_i64, 1 << 40].map(i64::to_le_bytes).concat()), [-3.0, (1_u64 << 40) as f64]);
    assert_eq!(of(">u4", &[1_u32, u32::MAX].map(u32::to_be_bytes).concat()), [1.0, f64::from(u32::MAX)]);
    assert_eq!(of("<i2", &[-1_i16, 7].map(i16::to_le_bytes).concat()), [-1.0, 7.0]);
    assert_eq!((of("|i1", &[255, 7]), of("|u1", &[255, 7])), (vec![-1.0, 7.0], vec![255.0, 7.0]));
    let header = "{\"descr\": 1, 'shape' : (0, ), 'descr':'<f8'}";
    assert_eq!((array(&npy(2, header, &[])).unwrap(), array(&npy(3, header, &[])).unwrap()), (vec![], vec![]));
}

#[test]
fn long_arrays_are_read_from_any_position() {
    let values: Vec<f64> = (0..100_000).map(f64::from).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.npy");
    fs::write(&path, npy(1, "{'descr': '<f8', 'shape': (100000,)}", &bytes)).unwrap();
    let mut file = NpyValues::open(&path, &ample()).unwrap();
    let mut read = vec![0.0; 70_000];
    file.read(29_999, &mut read).unwrap();
    assert_eq!(read, values[29_999..99_999]);
    assert!(matches!(NpyValues::open(&path, &MemoryBudget::new(1000)), Err(Error::BudgetTooSmall { .. })));
}

#[test]
fn what_is_no_array_of_numbers_is_refused() {
    let of = |header: &str, bytes: usize| array(&npy(1, header, &vec![0; bytes])).unwrap_err().to_string();
    for (header, bytes, expected) in [
        ("{'descr': '<f8', 'shape': (2, 3)}", 48, "shape (2, 3), expected one dimension"),
        ("{'descr': '<f8', 'shape': ()}", 8, "shape (), expected one dimension"),
        ("{'descr': '<f8', 'shape': (2,)}", 15, "15 bytes of values, but its header says 16"),
        ("{'descr': '<f8', 'shape': (2,)}", 17, "17 bytes of values, but its header says 16"),
        ("{'descr': '<f8', 'shape': (99999999999999999999,)}", 16, "shape (99999999999999999999,)"),
        ("{'descr': '<f8', 'shape': (4611686018427387904,)}", 16, "bytes of values, but its header says"),
        ("{'descr': '<f2', 'shape': (2,)}", 4, "type '<f2'; expected integers, or floats"),
        ("{'descr': '<U8', 'shape': (2,)}", 4, "type '<U8'"),
        ("{'descr': [('a', '<f8')], 'shape': (2,)}", 16, "type [('a'"),
        ("{'shape': (2,)}", 16, "its header has no type"),
        ("{'descr': '<f8'}", 16, "its header has no shape"),
    ] {
        let message = of(header, bytes);
        assert!(message.contains(expected), "{header}: {message}");
    }
    for content in
        [b"".as_slice(), b"\x93NUMPY", b"\x93NUMPX\x01\x00\x00\x00\x00\x00", b"\x93NUMPY\x04\x00\x00\x00\x00\x00"]
    {
        assert!(matches!(array(content), Err(Error::BadInput { .. })), "{content:?}");
    }
    assert!(array(b"\x93NUMPY\x01\x00\xff\xff{}").unwrap_err().to_string().contains("is truncated"));
}

mod parquet_files {
    use super::*;
    use ::parquet::arrow::ArrowWriter;
    use ::parquet::basic::Compression;
    use ::parquet::file::properties::WriterProperties;
    use arrow_array::{
        ArrayRef, Float32Array, Float64Array, Int32Array, Int64Array, LargeStringArray, RecordBatch, UInt64Array,
    };
    use std::path::Path;
    use std::sync::Arc;

    fn rows(columns: &[(&str, ArrayRef)], ids_are_text: bool, compression: Compression) -> Result<Vec<(NodeKey, f64)>> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.parquet");
        let batch = RecordBatch::try_from_iter(columns.iter().map(|(name, array)| (*name, Arc::clone(array)))).unwrap();
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        rows_of(&path, ids_are_text)
    }

    fn rows_of(path: &Path, ids_are_text: bool) -> Result<Vec<(NodeKey, f64)>> {
        let mut file = NodeValues::open(path, ids_are_text, &ample())?;
        let (mut all, mut batch) = (Vec::new(), Vec::new());
        loop {
            file.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch.drain(..).map(|row| (row.key, row.value)));
        }
    }

    fn column(array: impl arrow_array::Array + 'static) -> ArrayRef {
        Arc::new(array)
    }

    #[test]
    fn two_columns_are_found_by_place_or_name_in_any_compression() {
        let (ids, values) = (column(Int64Array::from(vec![7, 3])), column(Float32Array::from(vec![0.5, -1.0])));
        let expected = [(NodeKey::Integer(7), 0.5), (NodeKey::Integer(3), -1.0)];
        for compression in [Compression::SNAPPY, Compression::GZIP(Default::default()), Compression::UNCOMPRESSED] {
            let columns = [("who", Arc::clone(&ids)), ("what", Arc::clone(&values))];
            assert_eq!(rows(&columns, false, compression).unwrap(), expected);
        }
        let columns = [("value", values), ("other", column(Int32Array::from(vec![1, 2]))), ("node", ids)];
        assert_eq!(rows(&columns, false, Compression::SNAPPY).unwrap(), expected);
        let columns =
            [("node", column(LargeStringArray::from(vec!["b", ""]))), ("value", column(Int32Array::from(vec![1, -2])))];
        let expected = [(NodeKey::Text("b".to_owned()), 1.0), (NodeKey::Text(String::new()), -2.0)];
        assert_eq!(rows(&columns, true, Compression::SNAPPY).unwrap(), expected);
    }

    #[test]
    fn many_rows_come_in_batches() {
        let ids = column(UInt64Array::from_iter_values(0..10_000));
        let values = column(Float64Array::from_iter_values((0..10_000).map(f64::from)));
        let rows = rows(&[("node", ids), ("value", values)], false, Compression::SNAPPY).unwrap();
        assert!(rows.into_iter().eq((0..10_000_u32).map(|id| (NodeKey::Integer(id.into()), f64::from(id)))));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_row() {
        let one = |ids: ArrayRef, values: ArrayRef, text| {
            rows(&[("node", ids), ("value", values)], text, Compression::SNAPPY).unwrap_err().to_string()
        };
        let ids = || column(Int64Array::from(vec![1, 2]));
        let values = || column(Float64Array::from(vec![1.0, 2.0]));
        let message = one(ids(), column(Float64Array::from(vec![Some(1.0), None])), false);
        assert!(message.ends_with("x.parquet: row 2: expected a finite number, found null"), "{message}");
        let message = one(ids(), column(Float64Array::from(vec![f64::NAN, 1.0])), false);
        assert!(message.contains("row 1: expected a finite number, found NaN"), "{message}");
        let message = one(column(Int64Array::from(vec![1, -2])), values(), false);
        assert!(message.contains("row 2: expected an ID from 0 to 18446744073709551615, found -2"), "{message}");
        assert!(one(ids(), values(), true).contains("row 1: expected a string ID, found 1"));
        let texts = || column(LargeStringArray::from(vec!["a", "b"]));
        assert!(one(texts(), values(), false).contains("found a text"));
        assert!(one(values(), values(), false).contains("types Float64 and Float64"));
        assert!(one(ids(), texts(), false).contains("found types Int64 and Utf8"));
        let three = [("a", ids()), ("b", values()), ("c", values())];
        let message = rows(&three, false, Compression::SNAPPY).unwrap_err().to_string();
        assert!(message.ends_with("expected the columns node and value, found a, b, c"), "{message}");
    }

    #[test]
    fn a_flipped_bit_is_an_error_or_changes_only_rows() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.parquet");
        let columns: [(&str, ArrayRef); 2] = [
            ("node", column(LargeStringArray::from(vec!["a", "b", "b"]))),
            ("value", column(Float64Array::from(vec![1.0, 2.0, 3.0]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        let bytes = writer.into_inner().unwrap();
        let (mut refused, mut read) = (0, 0);
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, flipped).unwrap();
            match rows_of(&path, true) {
                Ok(_) => read += 1,
                Err(Error::BadInput { .. } | Error::BudgetTooSmall { .. }) => refused += 1,
                Err(error) => panic!("bit {bit}: {error:?}"),
            }
        }
        assert!(refused > 1000 && read > 100, "{refused} {read}");
    }

    #[test]
    fn other_bytes_are_refused() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.parquet");
        fs::write(&path, b"PAR1 and nothing more").unwrap();
        assert!(matches!(NodeValues::open(&path, false, &ample()), Err(Error::BadInput { .. })));
    }
}

#[test]
fn values_of_either_sign_come_in_batches_with_their_lines() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.tsv");
    let lines: String = (0..5000).map(|id| format!("{id}\t-{id}.5\n")).collect();
    fs::write(&path, format!("node\tvalue\n\n{lines}")).unwrap();
    let budget = MemoryBudget::new(4 << 20);
    let mut file = NodeValues::open(&path, false, &budget).unwrap();
    assert!(budget.available() < budget.limit());
    let (mut batch, mut batches, mut read) = (Vec::new(), 0, 0);
    loop {
        file.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            break;
        }
        for row in &batch {
            assert_eq!((&row.key, row.value, row.place), (&NodeKey::Integer(read), -(read as f64) - 0.5, read + 3));
            read += 1;
        }
        batches += 1;
    }
    assert_eq!((batches, read), (2, 5000));
    assert!(file.error_at(7, "no").to_string().ends_with("x.tsv:7:1: no"));
    assert!(matches!(NodeValues::open(Path::new("x.npz"), false, &budget), Err(Error::Usage(_))));
}
