//! Result tables as files: CSV, TSV, JSON Lines, Parquet and NumPy arrays, written in batches with bounded memory.
//!
//! Columns contain unsigned 32- and 64-bit and signed 64-bit integers, single- and double-precision numbers, booleans
//! and strings.

mod column;
mod delimited;
mod encoder;
mod format;
mod json_lines;
mod npy;
mod output;
mod parquet;
mod text;

pub use format::TableFormat;
pub use parquet::{is_of_series, of_series};

use self::column::{check_batch, check_schema};
use self::delimited::Delimited;
use self::encoder::Encoder;
use self::json_lines::JsonObjects;
use self::npy::NpyEncoder;
use self::output::Output;
use self::parquet::ParquetEncoder;
use self::text::LineEncoder;
use crate::pending::PendingFile;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use outcrop_types::{Error, Result, length_from};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writer of one table. A file gets its name when [`TableWriter::finish`] succeeds; before that, and after a failure,
/// no file exists.
pub struct TableWriter {
    /// `None` after a failure.
    encoder: Option<Box<dyn Encoder>>,
    target: Option<PendingFile>,
    path: PathBuf,
    schema: Schema,
    written: u64,
    promised: Option<u64>,
}

impl TableWriter {
    /// Creates a table of `rows` rows in the file `path`. If `overwrite` is true, it replaces an existing file when
    /// finished.
    ///
    /// # Errors
    ///
    /// Returns [`Error::AlreadyExists`] if the file exists and may not be overwritten, [`Error::Usage`] if the format
    /// does not support the columns, [`Error::NotFound`] if the folder does not exist, or an error if the file cannot
    /// be created.
    pub(crate) fn create(
        path: &Path,
        format: TableFormat,
        schema: &Schema,
        rows: u64,
        overwrite: bool,
    ) -> Result<Self> {
        Self::into_file(PendingFile::create(path, overwrite)?, format, schema, rows)
    }

    /// Creates a table in a pending file that was created earlier.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the format does not support the columns, or an error if writing fails.
    pub fn into_file(target: PendingFile, format: TableFormat, schema: &Schema, rows: u64) -> Result<Self> {
        check_schema(schema)?;
        let path = target.target().to_owned();
        let output = Output::new(Box::new(target.writer()?), path.clone())?;
        let encoder = encoder(output, format, &path, schema, rows)?;
        Ok(Self { target: Some(target), promised: Some(rows), ..Self::new(encoder, path, schema) })
    }

    /// Creates a text table on a stream, such as standard output; the caller need not buffer the stream.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the format is not text or does not support the columns.
    pub fn to_stream(stream: Box<dyn Write + Send>, format: TableFormat, schema: &Schema) -> Result<Self> {
        check_schema(schema)?;
        let path = PathBuf::from("the output stream");
        let output = Output::new(stream, path.clone())?;
        let encoder = encoder(output, format.for_stream()?, &path, schema, 0)?;
        Ok(Self::new(encoder, path, schema))
    }

    fn new(encoder: Box<dyn Encoder>, path: PathBuf, schema: &Schema) -> Self {
        Self { encoder: Some(encoder), target: None, path, schema: schema.clone(), written: 0, promised: None }
    }

    /// Appends the rows of a batch.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if the columns differ from the table's or if there are more rows than announced,
    /// [`Error::Usage`] if the format does not support a value, or an error if writing fails. After a failure, the
    /// table cannot be finished.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut encoder = self.encoder.take().ok_or_else(|| self.failed_before())?;
        check_batch(&self.schema, batch)?;
        self.written = self.written.saturating_add(length_from(batch.num_rows()));
        self.check_rows(|written, promised| written <= promised)?;
        encoder.write(batch)?;
        self.encoder = Some(encoder);
        Ok(())
    }

    /// Completes the table and, if it is a file, makes it durable and publishes it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if there are fewer rows than announced, [`Error::AlreadyExists`] if a file with the
    /// name has appeared in the meantime, or an error if writing fails.
    pub fn finish(mut self) -> Result<()> {
        let encoder = self.encoder.take().ok_or_else(|| self.failed_before())?;
        self.check_rows(|written, promised| written == promised)?;
        encoder.finish()?;
        self.target.take().map_or(Ok(()), PendingFile::publish)
    }

    /// Checks the number of rows against the announced number.
    fn check_rows(&self, fits: impl Fn(u64, u64) -> bool) -> Result<()> {
        match self.promised {
            Some(promised) if !fits(self.written, promised) => {
                let (written, path) = (self.written, self.path.display());
                Err(Error::internal(format!("{written} rows for {path}, expected {promised}")))
            }
            _ => Ok(()),
        }
    }

    fn failed_before(&self) -> Error {
        Error::io("write", &self.path, io::Error::other("an earlier write failed"))
    }
}

impl fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").field("path", &self.path).field("written", &self.written).finish_non_exhaustive()
    }
}

fn encoder(output: Output, format: TableFormat, path: &Path, schema: &Schema, rows: u64) -> Result<Box<dyn Encoder>> {
    Ok(match format {
        TableFormat::Csv => Box::new(LineEncoder::new(output, Delimited::new(b',', schema))),
        TableFormat::Tsv => Box::new(LineEncoder::new(output, Delimited::new(b'\t', schema))),
        TableFormat::JsonLines => Box::new(LineEncoder::new(output, JsonObjects::new(schema))),
        TableFormat::Parquet => Box::new(ParquetEncoder::new(output, path, schema)?),
        TableFormat::Npy => Box::new(NpyEncoder::new(output, schema, rows)?),
    })
}

#[cfg(test)]
mod tests;
