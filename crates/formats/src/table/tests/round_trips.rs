use super::*;

#[test]
fn csv_and_json_lines_look_as_documented() {
    let csv = "node,distance,score\n3,0,0.1\n5,,inf\n18446744073709551615,4294967295,1e-7\n";
    assert_eq!(text_of(TableFormat::Csv, distances()), csv);
    assert_eq!(text_of(TableFormat::Tsv, distances()), csv.replace(',', "\t"));
    let json = concat!(
        "{\"node\":3,\"distance\":0,\"score\":0.1}\n",
        "{\"node\":5,\"distance\":null,\"score\":\"Infinity\"}\n",
        "{\"node\":18446744073709551615,\"distance\":4294967295,\"score\":1e-7}\n"
    );
    assert_eq!(text_of(TableFormat::JsonLines, distances()), json);
}

#[test]
fn every_type_has_its_text() {
    let batch = || {
        table(vec![
            ("i", array(Int64Array::from(vec![i64::MIN, -1])), false),
            ("f", array(Float32Array::from(vec![0.1, f32::NEG_INFINITY])), false),
            ("b", array(BooleanArray::from(vec![Some(true), Some(false)])), true),
            ("t", array(LargeStringArray::from(vec![Some(""), None])), true),
            ("d", array(Float64Array::from(vec![f64::NAN, -0.0])), true),
        ])
    };
    let csv = "i,f,b,t,d\n-9223372036854775808,0.1,true,\"\",NaN\n-1,-inf,false,,-0.0\n";
    assert_eq!(text_of(TableFormat::Csv, batch()), csv);
    let json = concat!(
        "{\"i\":-9223372036854775808,\"f\":0.1,\"b\":true,\"t\":\"\",\"d\":\"NaN\"}\n",
        "{\"i\":-1,\"f\":\"-Infinity\",\"b\":false,\"t\":null,\"d\":-0.0}\n"
    );
    assert_eq!(text_of(TableFormat::JsonLines, batch()), json);
}

#[test]
fn a_null_in_the_only_column_is_still_a_row() {
    let batch = table(vec![("x", array(Int64Array::from(vec![None, Some(1)])), true)]);
    assert_eq!(text_of(TableFormat::Csv, batch), "x\n\"\"\n1\n");
}

#[test]
fn a_table_without_rows_has_its_header() {
    assert_eq!(text_of(TableFormat::Csv, distances().slice(0, 0)), "node,distance,score\n");
    assert_eq!(text_of(TableFormat::JsonLines, distances().slice(0, 0)), "");
    assert!(read_parquet(bytes_of(TableFormat::Parquet, &[distances().slice(0, 0)])).is_empty());
}

#[derive(Clone, Debug)]
struct Row {
    node: String,
    count: Option<u64>,
    score: f64,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let node = proptest::string::string_regex("[a-z,\"\t\n\r;\u{e9}\u{1f600} \\\\]{1,6}").unwrap();
    let score = proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO;
    let row = (node, proptest::option::of(any::<u64>()), score);
    proptest::collection::vec(row.prop_map(|(node, count, score)| Row { node, count, score }), 1..20)
}

fn batch_of(rows: &[Row]) -> RecordBatch {
    table(vec![
        ("node", array(StringArray::from_iter_values(rows.iter().map(|row| &row.node))), false),
        ("count, \"x\"", array(UInt64Array::from_iter(rows.iter().map(|row| row.count))), true),
        ("score", array(Float64Array::from_iter_values(rows.iter().map(|row| row.score))), false),
    ])
}

fn read_parquet(bytes: Vec<u8>) -> Vec<RecordBatch> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, bytes).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    reader.with_batch_size(1 << 20).build().unwrap().map(|batch| batch.unwrap()).collect()
}

proptest! {
    #[test]
    fn delimited_text_reads_back(rows in rows(), cut in 0usize..20, tabs: bool) {
        let (format, delimiter) = if tabs { (TableFormat::Tsv, b'\t') } else { (TableFormat::Csv, b',') };
        let batch = batch_of(&rows);
        let cut = cut.min(rows.len());
        let bytes = bytes_of(format, &[batch.slice(0, cut), batch.slice(cut, rows.len() - cut)]);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(&bytes[..]);
        prop_assert_eq!(reader.headers().unwrap(), vec!["node", "count, \"x\"", "score"]);
        let read: Vec<_> = reader.records().map(|record| record.unwrap()).collect();
        prop_assert_eq!(read.len(), rows.len());
        for (read, row) in read.iter().zip(&rows) {
            prop_assert_eq!(&read[0], &row.node);
            prop_assert_eq!(read[1].parse().ok(), row.count);
            prop_assert_eq!(read[2].parse::<f64>().unwrap().to_bits(), row.score.to_bits());
        }
    }

    #[test]
    fn json_lines_read_back(rows in rows()) {
        let bytes = bytes_of(TableFormat::JsonLines, &[batch_of(&rows)]);
        let lines: Vec<&str> = std::str::from_utf8(&bytes).unwrap().lines().collect();
        prop_assert_eq!(lines.len(), rows.len());
        for (line, row) in lines.into_iter().zip(&rows) {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!(object["node"].as_str(), Some(row.node.as_str()));
            prop_assert_eq!(object["count, \"x\""].as_u64(), row.count);
            // serde_json can be wrong in the last bits of a float, so the text itself is parsed.
            let (_, score) = line.rsplit_once("\"score\":").unwrap();
            prop_assert_eq!(score.trim_end_matches('}').parse(), Ok(row.score));
        }
    }

    #[test]
    fn parquet_reads_back(rows in rows()) {
        let batch = batch_of(&rows);
        let read = read_parquet(bytes_of(TableFormat::Parquet, &[batch.clone(), batch.clone()]));
        prop_assert_eq!(&read[0].slice(0, rows.len()), &batch);
        prop_assert_eq!(&read[0].slice(rows.len(), rows.len()), &batch);
    }
}

#[test]
fn parquet_has_row_groups_statistics_and_every_type() {
    let rows = (1 << 20) + 5u64;
    let nodes = UInt64Array::from_iter_values((0..rows).map(|node| node * 3));
    let batch = table(vec![
        ("node", array(nodes), false),
        ("in_set", array(BooleanArray::from_iter((0..rows).map(|node| Some(node % 2 == 0)))), true),
        ("distance", array(UInt32Array::from_iter((0..rows as u32).map(|node| (node > 9).then_some(node % 20)))), true),
        ("predecessor", array(Int64Array::from_iter_values(0..rows as i64)), false),
        ("score", array(Float32Array::from_iter_values((0..rows).map(|node| node as f32))), false),
    ]);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.parquet");
    write_file(&path, TableFormat::Parquet, std::slice::from_ref(&batch), false).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let groups = reader.metadata().row_groups().to_vec();
    assert_eq!(
        groups.iter().map(|group| group.num_rows()).collect::<Vec<_>>(),
        [1 << 18, 1 << 18, 1 << 18, 1 << 18, 5]
    );
    assert!(groups.iter().flat_map(|group| group.columns()).all(|column| column.statistics().is_some()));
    assert!(reader.metadata().file_metadata().created_by().unwrap().starts_with("outcrop version"));
    let read: Vec<RecordBatch> = reader.with_batch_size(1 << 21).build().unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>() as u64, rows);
    assert_eq!(read[0].columns(), batch.slice(0, read[0].num_rows()).columns());
}

fn million(rows: u32, first: u32) -> RecordBatch {
    let nodes = first..first + rows;
    table(vec![
        ("node", array(UInt64Array::from_iter_values(nodes.clone().map(u64::from))), false),
        (
            "distance",
            array(UInt32Array::from_iter(nodes.clone().map(|node| (node % 7 > 0).then_some(node % 30)))),
            true,
        ),
        ("pagerank", array(Float64Array::from_iter_values(nodes.map(|node| 1.0 / f64::from(node + 1)))), false),
    ])
}

#[test]
#[ignore = "a measurement; run in release"]
fn rate_of_every_format() {
    let batches: Vec<RecordBatch> = (0..160).map(|block| million(1 << 16, block << 16)).collect();
    let rows = batches.iter().map(RecordBatch::num_rows).sum::<usize>() as f64;
    let folder = TempDir::new().unwrap();
    for format in TableFormat::ALL {
        let path = folder.path().join("table").with_extension(format.extension());
        let clock = outcrop_types::Stopwatch::start();
        write_file(&path, format, &batches, false).unwrap();
        let seconds = clock.seconds();
        let size = fs::metadata(path).unwrap().len() as f64;
        println!("{format:?}: {:.1} M rows/s, {:.1} B/row", rows / seconds / 1e6, size / rows);
    }
}
