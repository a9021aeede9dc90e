//! Reads edges from Apache Parquet.

mod metadata;
mod pages;
mod thrift;

use super::columns::EdgeColumns;
use super::table::{OpenTable, Table, TableFile, TableReader};
use crate::edges::format::EdgeFormat;
use crate::edges::input::{Origin, Progress};
use crate::edges::reader::{FileReader, ReaderContext};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use metadata::read_metadata;
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, index_from, length_from};
use pages::{Chunk, ColumnNeed, PageError, measure};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use std::sync::Arc;

/// A Parquet file, row group by row group.
struct ParquetTable {
    file: TableFile,
    metadata: ArrowReaderMetadata,
    /// Positions of the columns that are read.
    positions: Vec<usize>,
    /// The row group that comes next.
    group: usize,
    current: Option<ParquetRecordBatchReader>,
    /// Rows of the current group that are yet to come.
    rows_left: u64,
    rows_total: u64,
    rows_done: u64,
    progress: Arc<Progress>,
    bytes_done: u64,
    /// Memory for the largest row group.
    room: u64,
    /// Memory of the metadata and of a row group.
    held: Vec<Reservation>,
}

/// Opens a Parquet file of edges.
pub(crate) fn open_parquet(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    let file = TableFile::open(&origin, "Parquet")?;
    let (metadata, memory) = read_metadata(&file, context.budget)?;
    let arrow = file.decoded(|| {
        // Types are those of Parquet, so that a text is a text however it was held before.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        ArrowReaderMetadata::try_new(Arc::new(metadata), options)
    })?;
    let options = context.options;
    let columns = EdgeColumns::find(&file.name, arrow.schema(), options).map_err(|error| error.of_file(&file.name))?;
    let name = file.name.clone();
    let mut table = ParquetTable::new(file, &arrow, &columns, memory, Arc::clone(context.progress))?;
    table.reserve(context.budget)?;
    let rows = Some(table.rows_total);
    TableReader::open(OpenTable { name, format: EdgeFormat::Parquet, columns, rows, table: Box::new(table) }, context)
}

impl ParquetTable {
    fn new(
        file: TableFile,
        arrow: &ArrowReaderMetadata,
        columns: &EdgeColumns,
        memory: Reservation,
        progress: Arc<Progress>,
    ) -> Result<Self> {
        let positions = columns.positions();
        let metadata = file.decoded(|| with_views(arrow, &positions))?;
        let mut rows = metadata.metadata().row_groups().iter().map(rows_of);
        let rows_total = rows.try_fold(0u64, |sum, rows| sum.checked_add(rows?));
        let rows_total = rows_total.ok_or_else(|| file.damaged("it states a number of rows that no file has"))?;
        Ok(Self {
            file,
            metadata,
            positions,
            group: 0,
            current: None,
            rows_left: 0,
            rows_total,
            rows_done: 0,
            progress,
            bytes_done: 0,
            room: 0,
            held: vec![memory],
        })
    }

    /// Takes memory for the largest row group.
    fn reserve(&mut self, budget: &MemoryBudget) -> Result<()> {
        for group in 0..self.metadata.metadata().num_row_groups() {
            self.room = self.room.max(self.group_need(group, false)?.0);
        }
        self.held.push(budget.reserve(self.room, Purpose::InputBuffers)?);
        Ok(())
    }

    /// Tells how far the file was read, by rows.
    fn report(&mut self, rows: u64) {
        self.rows_done += rows;
        let part = u128::from(self.file.bytes) * u128::from(self.rows_done) / u128::from(self.rows_total.max(1));
        let done = u64::try_from(part).unwrap_or(self.file.bytes);
        self.progress.add(index_from(done.saturating_sub(self.bytes_done)));
        self.bytes_done = done;
    }

    /// Memory that a row group takes while it is read, and the rows of a batch.
    fn group_need(&self, group: usize, thorough: bool) -> Result<(u64, u64)> {
        let all = self.metadata.metadata();
        let group = all.row_group(group);
        let mut needs = Vec::new();
        for (leaf, column) in group.columns().iter().enumerate() {
            if self.positions.contains(&self.metadata.parquet_schema().get_column_root_idx(leaf)) {
                let chunk = self.chunk(group, column)?;
                needs.push(measure(&self.file.file, &chunk, thorough).map_err(|error| self.page_error(error))?);
            }
        }
        let rows = needs.iter().map(|need| need.rows()).min().unwrap_or(1);
        let bytes = |need: &ColumnNeed| need.bytes.saturating_add(need.row_bytes.saturating_mul(rows));
        Ok((needs.iter().fold(0u64, |sum, need| sum.saturating_add(bytes(need))), rows))
    }

    /// Bounds of a column, checked against the file.
    fn chunk(&self, group: &RowGroupMetaData, column: &ColumnChunkMetaData) -> Result<Chunk> {
        if let Compression::BROTLI(_) | Compression::LZO = column.compression() {
            let message = format!("a column is compressed with {}, which is not supported", column.compression());
            let remedy = "write the file with snappy, zstd, gzip or lz4";
            return Err(Error::bad_input(Location::file(&self.file.name), format!("{message}; {remedy}")));
        }
        let rows = rows_of(group).filter(|rows| i64::try_from(*rows) == Ok(column.num_values()));
        let start = u64::try_from(column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset())).ok();
        let end = start.and_then(|start| start.checked_add(u64::try_from(column.compressed_size()).ok()?));
        match (rows, start, end.filter(|end| *end <= self.file.bytes)) {
            (Some(rows), Some(start), Some(end)) => {
                Ok(Chunk { bytes: start..end, rows, codec: column.compression(), values: column.column_type() })
            }
            _ => Err(self.damaged("its metadata describes columns that it does not have")),
        }
    }

    fn page_error(&self, error: PageError) -> Error {
        match error {
            PageError::Io(error) => Error::io("read", &self.file.name, error),
            PageError::Damaged(message) => self.damaged(&message),
        }
    }

    fn damaged(&self, message: &str) -> Error {
        self.file.damaged(message)
    }

    fn open_group(&mut self) -> Result<bool> {
        let metadata = self.metadata.metadata();
        if self.group == metadata.num_row_groups() {
            return Ok(false);
        }
        let (bytes, rows) = self.group_need(self.group, true)?;
        if bytes > self.room {
            return Err(self.damaged("it was changed while it was read"));
        }
        let rows_left = rows_of(metadata.row_group(self.group));
        self.rows_left =
            rows_left.ok_or_else(|| Error::internal("a row group that was counted has no number of rows"))?;
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), self.positions.iter().copied());
        let file = self.file.file.try_clone().map_err(|error| Error::io("open", &self.file.name, error))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let builder = builder.with_row_groups(vec![self.group]).with_projection(mask);
        let reader = self.file.decoded(|| builder.with_batch_size(index_from(rows)).build())?;
        self.current = Some(reader);
        self.group += 1;
        Ok(true)
    }
}

impl Table for ParquetTable {
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(reader) = &mut self.current
                && let Some(rows) = self.file.decoded(|| reader.next().transpose())?
            {
                let left = self.rows_left.checked_sub(length_from(rows.num_rows()));
                let more = || self.damaged("a row group has more rows than its metadata says");
                self.rows_left = left.ok_or_else(more)?;
                self.report(length_from(rows.num_rows()));
                return Ok(Some(rows));
            }
            if self.rows_left > 0 {
                return Err(self.damaged("a row group has fewer rows than its metadata says"));
            }
            if !self.open_group()? {
                self.progress.add(index_from(self.file.bytes.saturating_sub(self.bytes_done)));
                self.bytes_done = self.file.bytes;
                return Ok(None);
            }
        }
    }
}

fn rows_of(group: &RowGroupMetaData) -> Option<u64> {
    u64::try_from(group.num_rows()).ok()
}

/// The same file with texts that stay in the pages they came in.
fn with_views(metadata: &ArrowReaderMetadata, positions: &[usize]) -> parquet::errors::Result<ArrowReaderMetadata> {
    let fields = metadata.schema().fields().iter().enumerate().map(|(place, field)| {
        let text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8);
        if text && positions.contains(&place) {
            field.as_ref().clone().with_data_type(DataType::Utf8View)
        } else {
            field.as_ref().clone()
        }
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(schema);
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)
}
