//! Tables of edges in Parquet and Arrow IPC.

mod damage;
mod tables;

use super::*;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

/// Returns columns with their names.
pub(super) fn table(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, column)| (*name, column.clone(), true)))
        .unwrap()
}

pub(super) fn parquet(tables: &[RecordBatch], properties: WriterProperties) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), tables[0].schema(), Some(properties)).unwrap();
    for table in tables {
        writer.write(table).unwrap();
    }
    writer.into_inner().unwrap()
}

/// Returns variants of Parquet settings.
fn parquet_ways() -> Vec<WriterProperties> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ];
    let mut ways = Vec::new();
    for (place, codec) in codecs.into_iter().enumerate() {
        for (version, dictionary) in [(WriterVersion::PARQUET_1_0, true), (WriterVersion::PARQUET_2_0, false)] {
            let way = WriterProperties::builder().set_compression(codec).set_writer_version(version);
            let way = way.set_dictionary_enabled(dictionary).set_max_row_group_row_count(Some(1000));
            let way = way.set_data_page_row_count_limit(if place == 1 { 30 } else { 20_000 }).set_write_batch_size(10);
            ways.push(if place == 2 { way.set_encoding(Encoding::PLAIN).build() } else { way.build() });
        }
    }
    ways
}

fn ipc_options(codec: Option<CompressionType>) -> IpcWriteOptions {
    IpcWriteOptions::default().try_with_compression(codec).unwrap()
}

pub(super) fn arrow_file(tables: &[RecordBatch], codec: Option<CompressionType>) -> Vec<u8> {
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &tables[0].schema(), ipc_options(codec)).unwrap();
    for table in tables {
        writer.write(table).unwrap();
    }
    writer.into_inner().unwrap()
}

fn arrow_stream(tables: &[RecordBatch], codec: Option<CompressionType>) -> Vec<u8> {
    let options = ipc_options(codec).with_dictionary_handling(DictionaryHandling::Delta);
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &tables[0].schema(), options).unwrap();
    for table in tables {
        writer.write(table).unwrap();
    }
    writer.into_inner().unwrap()
}

/// Returns the same rows in every format and variant, each with a name.
fn every_way(tables: &[RecordBatch]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (place, properties) in parquet_ways().into_iter().enumerate() {
        files.push((format!("{place}.parquet"), parquet(tables, properties)));
    }
    for (place, codec) in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)].into_iter().enumerate()
    {
        files.push((format!("{place}.arrow"), arrow_file(tables, codec)));
        files.push((format!("{place}.arrows"), arrow_stream(tables, codec)));
    }
    files
}

/// Reads a file with these bytes.
fn read_file(name: &str, bytes: &[u8], options: &EdgeListOptions) -> Result<Whole> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let budget = MemoryBudget::new(16 << 20);
    let mut source = open_edges(&[EdgeInput::from(path)], options, &budget, 2)?.source;
    let estimate = source.edges_estimate();
    let whole = drain(source.as_mut())?;
    assert_eq!(source.bytes_done(), bytes.len() as u64);
    assert_eq!(estimate, Some(whole.edges.len() as u64 + whole.skipped));
    let summary = source.summary();
    assert_eq!(summary.files.iter().map(|file| file.edges).sum::<u64>(), whole.edges.len() as u64);
    Ok(whole)
}

/// Returns the fault of a file, without its path.
fn wrong(name: &str, bytes: &[u8], options: &EdgeListOptions) -> String {
    let error = read_file(name, bytes, options).unwrap_err();
    assert_eq!(error.exit_code(), 3, "{error}");
    let text = error.to_string();
    text.split_once(&format!("{name}: ")).unwrap_or_else(|| panic!("{text}")).1.to_owned()
}
