use super::*;

fn parse(bytes: &[u8]) -> (String, &[u8]) {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((end % 64, bytes[end - 1]), (0, b'\n'));
    (String::from_utf8(bytes[10..end].to_vec()).unwrap().trim_end().to_owned(), &bytes[end..])
}

fn nodes(count: u64) -> (&'static str, ArrayRef, bool) {
    ("node", array(UInt64Array::from_iter_values(0..count)), false)
}

fn refused(batch: &RecordBatch) -> bool {
    let folder = TempDir::new().unwrap();
    let written = write_file(&folder.path().join("x.npy"), TableFormat::Npy, std::slice::from_ref(batch), false);
    assert!(names_in(&folder).is_empty());
    matches!(written, Err(Error::Usage(_)))
}

#[test]
fn three_rows_have_these_bytes() {
    let batch = table(vec![nodes(3), ("distance", array(UInt32Array::from(vec![7, 0, u32::MAX])), false)]);
    let mut expected = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }".to_vec();
    expected.resize(127, b' ');
    expected.extend(b"\n\x07\0\0\0\0\0\0\0\xff\xff\xff\xff");
    assert_eq!(bytes_of(TableFormat::Npy, &[batch]), expected);
}

#[test]
fn several_columns_make_records() {
    let bytes = bytes_of(TableFormat::Npy, &[distances()]);
    let (header, data) = parse(&bytes);
    assert_eq!(header, "{'descr': [('distance', '<i8'), ('score', '<f8')], 'fortran_order': False, 'shape': (3,), }");
    let words: Vec<[u8; 8]> = data.as_chunks().0.to_vec();
    assert_eq!([0, 2, 4].map(|word| i64::from_le_bytes(words[word])), [0, -1, u32::MAX.into()]);
    assert_eq!([1, 3, 5].map(|word| f64::from_le_bytes(words[word])), [0.1, f64::INFINITY, 1e-7]);
}

#[test]
fn nulls_are_nan_or_minus_one() {
    let batch = table(vec![
        ("f", array(Float32Array::from(vec![None, Some(1.5)])), true),
        ("b", array(BooleanArray::from(vec![None, Some(true)])), true),
        ("c", array(BooleanArray::from(vec![true, false])), false),
        ("u", array(UInt64Array::from(vec![1, u64::MAX])), false),
    ]);
    let bytes = bytes_of(TableFormat::Npy, &[batch]);
    let (header, data) = parse(&bytes);
    assert!(header.contains("[('f', '<f4'), ('b', '|i1'), ('c', '|b1'), ('u', '<u8')]"), "{header}");
    assert!(f32::from_le_bytes([data[0], data[1], data[2], data[3]]).is_nan());
    assert_eq!(data[4..14], [0xff, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(data[14..], [&1.5f32.to_le_bytes()[..], &[1, 0], &[0xff; 8]].concat());
}

#[test]
fn names_of_columns_are_python_literals() {
    let value = || array(UInt32Array::from(vec![1]));
    let bytes = bytes_of(TableFormat::Npy, &[table(vec![("it's", value(), false), ("a\\\u{e9}\n", value(), false)])]);
    assert!(parse(&bytes).0.contains(r"[('it\'s', '<u4'), ('a\\\U000000e9\U0000000a', '<u4')]"));
}

#[test]
fn only_a_first_column_called_node_is_left_out() {
    let batch = table(vec![("walk", array(UInt32Array::from(vec![1])), false), nodes(1)]);
    assert!(parse(&bytes_of(TableFormat::Npy, &[batch])).0.contains("[('walk', '<u4'), ('node', '<u8')]"));
}

#[test]
fn what_an_array_does_not_hold_is_refused() {
    assert!(refused(&table(vec![nodes(2)])));
    assert!(refused(&table(vec![nodes(1), ("t", array(StringArray::from(vec!["x"])), false)])));
    assert!(refused(&table(vec![nodes(1), ("u", array(UInt64Array::from(vec![1 << 63])), true)])));
    let many: Vec<String> = (0..5000).map(|column| format!("column_{column}")).collect();
    assert!(refused(&table(
        many.iter().map(|name| (name.as_str(), array(UInt32Array::from(vec![1])), false)).collect()
    )));
}
