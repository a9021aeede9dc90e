//! Apache Parquet.

use super::encoder::Encoder;
use super::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use outcrop_types::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows per row group; a row group stays in memory, encoded, until it is complete.
const GROUP_ROWS: usize = 1 << 18;

/// Maximum bytes of a row group, for tables of many columns.
const GROUP_BYTES: usize = 8 << 20;

/// Encoder of compressed row groups of at most [`GROUP_ROWS`] rows and about [`GROUP_BYTES`] bytes, with statistics per
/// column.
pub(super) struct ParquetEncoder {
    writer: ArrowWriter<Output>,
    path: PathBuf,
}

impl ParquetEncoder {
    pub(super) fn new(output: Output, path: &Path, schema: &Schema) -> Result<Self> {
        let writer = ArrowWriter::try_new(output, Arc::new(schema.clone()), Some(properties(schema)));
        Ok(Self { writer: writer.map_err(|error| failure(path, error))?, path: path.into() })
    }
}

impl Encoder for ParquetEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(|error| failure(&self.path, error))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.writer.finish().map_err(|error| failure(&self.path, error))?;
        self.writer.inner_mut().complete()
    }
}

/// Metadata key that marks a table as part of a series of files.
const SERIES: &str = "outcrop.series";

/// Returns the schema of a table in a `series` of files.
pub fn of_series(schema: Schema, series: &str) -> Schema {
    schema.with_metadata([(SERIES.to_owned(), series.to_owned())].into())
}

/// Returns true if [`of_series`] marked the file at `path` as part of `series`.
pub fn is_of_series(path: &Path, series: &str) -> bool {
    let plain = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let read = |file| ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()).ok();
    let metadata = std::fs::File::open(path).ok().filter(|_| plain).and_then(read);
    metadata.is_some_and(|found| found.schema().metadata().get(SERIES).is_some_and(|found| found == series))
}

fn properties(schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("outcrop version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES));
    for field in schema.fields() {
        let path = || ColumnPath::new(vec![field.name().clone()]);
        let ascending = field.name() == "node" && *field.data_type() == DataType::UInt64;
        if ascending {
            properties = properties.set_column_encoding(path(), Encoding::DELTA_BINARY_PACKED);
        }
        if ascending || field.data_type().is_floating() {
            properties = properties.set_column_dictionary_enabled(path(), false);
        }
    }
    properties.build()
}

/// Returns the system error if there was one, so that a full disk is reported as such.
fn failure(path: &Path, error: ParquetError) -> Error {
    let source = match error {
        ParquetError::External(inner) => inner.downcast::<io::Error>().map_or_else(io::Error::other, |source| *source),
        other => io::Error::other(other),
    };
    Error::io("write", path, source)
}
