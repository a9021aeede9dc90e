//! Reader of edges from Apache Parquet.

mod groups;
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
use groups::Groups;
use metadata::read_metadata;
use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, index_from, length_from};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use std::sync::Arc;

/// Reader that returns a Parquet file one row group at a time.
struct ParquetTable {
    groups: Groups,
    /// Next row group.
    group: usize,
    current: Option<ParquetRecordBatchReader>,
    /// Remaining rows of the current group.
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
        // Use the types of Parquet, so that strings are strings whatever their original Arrow type was.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        ArrowReaderMetadata::try_new(Arc::new(metadata), options)
    })?;
    let columns =
        EdgeColumns::of_context(context, &file.name, arrow.schema()).map_err(|error| error.of_file(&file.name))?;
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
        let groups = Groups { file, metadata, positions };
        let rows_total = (0..groups.count()).try_fold(0u64, |sum, group| sum.checked_add(groups.rows(group)?));
        let rows_total = rows_total.ok_or_else(|| groups.file.damaged("its number of rows is invalid"))?;
        Ok(Self {
            groups,
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

    /// Reserves memory for the largest row group and for read-ahead of an object.
    fn reserve(&mut self, budget: &MemoryBudget) -> Result<()> {
        self.room = self.groups.largest_need()?;
        let columns = length_from(self.groups.positions.len());
        let ahead = self.groups.file.file.object().map_or(0, |object| object.parts_bytes(columns));
        self.held.push(budget.reserve(self.room.saturating_add(ahead), Purpose::InputBuffers)?);
        Ok(())
    }

    /// Reports how far the file was read, in rows.
    fn report(&mut self, rows: u64) {
        self.rows_done += rows;
        let part = u128::from(self.groups.file.bytes) * u128::from(self.rows_done) / u128::from(self.rows_total.max(1));
        let done = u64::try_from(part).unwrap_or(self.groups.file.bytes);
        self.progress.add(index_from(done.saturating_sub(self.bytes_done)));
        self.bytes_done = done;
    }

    fn damaged(&self, message: &str) -> Error {
        self.groups.file.damaged(message)
    }

    fn open_group(&mut self) -> Result<bool> {
        if self.group == self.groups.count() {
            return Ok(false);
        }
        // Release the pages of the previous group and its read-ahead.
        self.current = None;
        let need = self.groups.need_now(self.group)?;
        if need.bytes > self.room {
            return Err(self.damaged("it changed while it was read"));
        }
        let rows_left = self.groups.rows(self.group);
        self.rows_left = rows_left.ok_or_else(|| Error::internal("a counted row group has no number of rows"))?;
        let Groups { file, metadata, positions } = &self.groups;
        let mask = ProjectionMask::roots(metadata.parquet_schema(), positions.iter().copied());
        let parts: Vec<_> = self.groups.chunks(self.group)?.into_iter().map(|chunk| chunk.bytes).collect();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file.file.in_parts(&parts), metadata.clone());
        let builder = builder.with_row_groups(vec![self.group]).with_projection(mask);
        let reader = file.decoded(|| builder.with_batch_size(index_from(need.rows)).build())?;
        self.current = Some(reader);
        self.group += 1;
        Ok(true)
    }
}

impl Table for ParquetTable {
    fn next_rows(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(reader) = &mut self.current
                && let Some(rows) = self.groups.file.decoded(|| reader.next().transpose())?
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
                self.progress.add(index_from(self.groups.file.bytes.saturating_sub(self.bytes_done)));
                self.bytes_done = self.groups.file.bytes;
                return Ok(None);
            }
        }
    }
}

/// Returns metadata that decodes strings as views of their pages.
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
