//! Damaged tables: an error with the file, or the right answer; never a panic, and never memory beyond the budget.

use super::*;
use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, Float64Array, Int64Array, StringArray};
use lz4_flex::frame::FrameEncoder;
use std::io::Write;
use std::sync::Arc;

fn texts() -> RecordBatch {
    let names: Vec<String> = (0..300u64).map(|row| format!("vertex {}", row * row % 41)).collect();
    let names = || names.iter().map(String::as_str);
    let sources: DictionaryArray<Int32Type> = names().collect();
    let targets = StringArray::from_iter_values(names().rev());
    table(&[("source", Arc::new(sources)), ("target", Arc::new(targets))])
}

fn numbers() -> RecordBatch {
    let ids = |factor: i64| Int64Array::from_iter_values((0..300).map(move |row| row * factor % 77));
    let weights = Float64Array::from_iter_values((0..300).map(f64::from));
    table(&[("source", Arc::new(ids(5))), ("target", Arc::new(ids(3))), ("weight", Arc::new(weights))])
}

fn small_files() -> Vec<(String, Vec<u8>)> {
    [texts(), numbers()].iter().flat_map(|table| every_way(&[table.slice(0, 130), table.slice(130, 170)])).collect()
}

#[test]
fn a_file_that_is_cut_off_is_refused() {
    for (file, bytes) in small_files() {
        read_file(&file, &bytes, &EdgeListOptions::default()).unwrap();
        for length in (0..bytes.len()).rev().step_by(41).chain(0..20).chain([bytes.len() - 8]) {
            match read_file(&file, &bytes[..length], &EdgeListOptions::default()) {
                Ok(_) => panic!("{file} cut at {length}"),
                Err(error) => assert_eq!(error.exit_code(), 3, "{file} cut at {length}: {error}"),
            }
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert!(read_file(&file, &longer, &EdgeListOptions::default()).is_err(), "{file}");
    }
}

#[test]
fn flipped_bits_are_an_error_or_change_nothing_but_values() {
    flip_bits(60);
}

#[test]
#[ignore = "minutes"]
fn many_flipped_bits_are_an_error_or_change_nothing_but_values() {
    flip_bits(5000);
}

fn flip_bits(rounds: usize) {
    let mut random = 7u64;
    for (file, bytes) in small_files() {
        for round in 0..rounds {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = (random >> 33) as usize % bytes.len();
            let mut bad = bytes.clone();
            bad[place] ^= 1 << (round % 8);
            if let Err(error) = read_file(&file, &bad, &EdgeListOptions::default()) {
                assert!([3, 4].contains(&error.exit_code()), "{file} byte {place}: {error}");
            }
        }
    }
}

/// Written by pyarrow: `write_table(table, row_group_size=40, compression="zstd", use_dictionary=["source"],
/// write_page_checksum=True)`.
const CHECKSUMS: &[u8] = include_bytes!("checksums.parquet");

#[test]
fn pages_with_checksums_give_the_right_answer_or_none() {
    let read = |bytes: &[u8]| read_file("a.parquet", bytes, &EdgeListOptions::default());
    let good = read(CHECKSUMS).unwrap();
    let expected = (0..60).map(|k| (format!("v{}", k * k % 17), format!("vertex {}", k % 23)));
    assert_eq!(good.edges, expected.collect::<Vec<_>>());
    let footer = CHECKSUMS.len() - 8;
    let length = u32::from_le_bytes(CHECKSUMS[footer..footer + 4].try_into().unwrap()) as usize;
    let mut noticed = 0;
    for bit in (8 * 4..8 * (footer - length)).step_by(3) {
        let mut bad = CHECKSUMS.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        match read(&bad) {
            Ok(whole) => assert_eq!(whole, good, "bit {bit}"),
            Err(error) => {
                assert_eq!(error.exit_code(), 3, "bit {bit}: {error}");
                noticed += 1;
            }
        }
    }
    assert!(noticed > 2 * (footer - length), "{noticed}");
}

#[test]
fn a_page_that_unpacks_to_more_than_it_says_is_refused() {
    // Incompressible numbers, so that there is room for an LZ4 frame with many zeros.
    let number = |row: i64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed()) & i64::MAX;
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values((0..1000).map(number)));
    let properties = WriterProperties::builder().set_compression(Compression::LZ4).set_dictionary_enabled(false);
    let mut bytes = parquet(&[table(&[("source", column.clone()), ("target", column)])], properties.build());
    read_file("lz4.parquet", &bytes, &EdgeListOptions::default()).unwrap();
    let lengths = |bytes: &[u8], at: usize| {
        [at, at + 4].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize)
    };
    let is_page = |at: &usize| lengths(&bytes, *at).iter().all(|length| (8000..8200).contains(length));
    let at = (0..bytes.len() - 8).find(is_page).unwrap();
    let mut frame = FrameEncoder::new(Vec::new());
    frame.write_all(&[0; 1 << 20]).unwrap();
    let frame = frame.finish().unwrap();
    assert!(frame.len() < 8000);
    bytes[at..at + frame.len()].copy_from_slice(&frame);
    let message = wrong("lz4.parquet", &bytes, &EdgeListOptions::default());
    assert!(message.contains("differs in length from its header"), "{message}");
}
