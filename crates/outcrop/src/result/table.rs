//! Result as a table of record batches.

use super::node_ids::NodeIds;
use super::rows::Rows;
use super::source::{BATCH_MEMORY, BATCH_ROWS, TableSource, batch_memory, rows_of};
use super::steps::StepRows;
use crate::output_file::create_output;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use outcrop_algorithms::{Column, Values};
use outcrop_formats::PendingFile;
use outcrop_formats::table::{TableFormat, TableWriter, of_series};
use outcrop_store::OriginalIds;
use outcrop_types::{Cancellation, Purpose, Result, index_from};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Table with one row per vertex in ascending order of original ID: the column `node`, then the algorithm's values, of
/// which those on disk are in the same order. For walks, one row per step, in ascending order of walk and step: the
/// columns `walk`, `step` and `node`.
pub struct ResultTable<'r> {
    pub(super) columns: &'r [Column],
    /// Rows of steps; then there are no columns.
    pub(super) steps: Option<&'r StepRows>,
    pub(super) source: &'r TableSource,
    /// True if the first value column names groups of vertices.
    pub(super) names_groups: bool,
    /// False for the values without the IDs.
    nodes: bool,
    /// Selected rows.
    within: Range<u64>,
    pub(super) cancellation: Cancellation,
}

impl<'r> ResultTable<'r> {
    pub(crate) fn new(columns: &'r [Column], source: &'r TableSource) -> Self {
        let cancellation = source.cancellation.clone();
        Self { columns, steps: None, source, names_groups: false, nodes: true, within: 0..u64::MAX, cancellation }
    }

    pub(crate) fn of_steps(steps: &'r StepRows, source: &'r TableSource) -> Self {
        Self { steps: Some(steps), ..Self::new(&[], source) }
    }

    /// Declares whether the first value column names groups of vertices.
    #[must_use]
    pub(crate) fn naming_groups(self, names_groups: bool) -> Self {
        Self { names_groups, ..self }
    }

    /// Replaces the cancellation flag of the graph for reads and writes of this table.
    #[must_use]
    pub fn stopped_by(self, cancellation: Cancellation) -> Self {
        Self { cancellation, ..self }
    }

    /// Restricts the table to the column at `index` (for steps: all columns). Values are read without the IDs.
    #[must_use]
    pub fn column(self, index: usize) -> Self {
        let (nodes, first) = (index == 0 || self.steps.is_some(), index.saturating_sub(1));
        // Default: there is no such column, for example if there is only `node`.
        let columns = if nodes { &[] } else { self.columns.get(first..=first).unwrap_or_default() };
        Self { columns, nodes, ..self }
    }

    /// Restricts the table to those of `rows` that exist.
    #[must_use]
    pub fn within(self, rows: Range<u64>) -> Self {
        Self { within: rows, ..self }
    }

    /// Returns the number of rows of the whole table: the vertices of the graph, or the steps of all walks.
    pub fn rows(&self) -> u64 {
        self.steps.map_or_else(|| u64::from(self.vertices()), StepRows::len)
    }

    /// Returns true if the rows are the steps of paths or walks.
    pub const fn has_steps(&self) -> bool {
        self.steps.is_some()
    }

    pub(super) fn vertices(&self) -> u32 {
        self.source.store.manifest().graph.vertices
    }

    fn ids(&self) -> OriginalIds {
        self.source.store.manifest().numbering.ids
    }

    /// Returns the names and types of the columns.
    pub fn schema(&self) -> Schema {
        if let Some(steps) = self.steps {
            return steps.schema(self.ids());
        }
        let node = self.nodes.then(|| Field::new("node", NodeIds::data_type(self.ids()), false));
        let values = self.columns.iter().map(|column| match column.values {
            Values::Count(_) | Values::CountFile(_) | Values::ShortCount(_) | Values::ByteCount(_) => {
                Field::new(&*column.name, DataType::UInt32, true)
            }
            Values::LargeCount(_) => Field::new(&*column.name, DataType::UInt64, true),
            Values::Node(_) | Values::NodeFile(_) => Field::new(&*column.name, NodeIds::data_type(self.ids()), true),
            Values::Float64(_) | Values::Float64File(_) => Field::new(&*column.name, DataType::Float64, true),
            Values::Float32(_) | Values::Float32File(_) => Field::new(&*column.name, DataType::Float32, true),
        });
        Schema::new(node.into_iter().chain(values).collect::<Vec<_>>())
    }

    /// Returns the number of rows per batch, which decreases with the number of columns.
    pub(super) fn batch_rows(&self) -> u32 {
        let row = 8 * (1 + self.columns.len() as u64);
        u32::try_from(BATCH_MEMORY / 4 / row).map_or(BATCH_ROWS, |rows| rows.clamp(1, BATCH_ROWS))
    }

    /// Passes on all rows in batches.
    ///
    /// # Errors
    ///
    /// Returns an error if a read of IDs fails or finds damage, if the budget is too small, if `take` fails, or if the
    /// work is interrupted.
    pub fn for_each_batch(&self, mut take: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        let Range { start, end } = self.within.clone();
        if let Some(steps) = self.steps {
            let mut before = 0;
            return steps.for_each_batch(self.source, &self.cancellation, |batch| {
                let (first, rows) = (before, batch.num_rows() as u64);
                before += rows;
                let (from, to) = (start.max(first), end.min(before));
                if from < to { take(&batch.slice(index_from(from - first), index_from(to - from))) } else { Ok(()) }
            });
        }
        let row = |row: u64| u32::try_from(row).map_or(self.vertices(), |row| row.min(self.vertices()));
        let end = row(end);
        let _held = self.source.budget.reserve(batch_memory(&self.source.store), Purpose::Results)?;
        let any_rank = self.columns.iter().any(|column| matches!(column.values, Values::Node(_) | Values::NodeFile(_)));
        let mut ids = NodeIds::open(self.source, any_rank)?;
        let (mut start, mut most) = (row(start), self.batch_rows());
        while start < end {
            self.cancellation.check()?;
            let mut ranks = start..start.saturating_add(most).min(end);
            if self.nodes {
                ranks = ids.batch(ranks)?;
            }
            let rows = Rows { vertices: ids.vertices(ranks.clone())?, ranks: ranks.clone().collect() };
            let nodes = self.nodes.then(|| ids.of_range(ranks.clone())).transpose()?;
            match self.batch(&rows, nodes, &mut ids)? {
                Some(batch) => take(&batch)?,
                None => {
                    most = (ranks.end - start) / 2;
                    continue;
                }
            }
            start = ranks.end;
        }
        Ok(())
    }

    /// Returns the rows with the IDs `nodes`; `None` if the texts of several rows exceed the memory.
    pub(super) fn batch(
        &self,
        rows: &Rows,
        nodes: Option<ArrayRef>,
        ids: &mut NodeIds<'_>,
    ) -> Result<Option<RecordBatch>> {
        let mut arrays: Vec<_> = nodes.into_iter().collect();
        for column in self.columns {
            let Some(array) = rows.array(&column.values, ids)? else { return Ok(None) };
            arrays.push(array);
        }
        rows_of(self.schema(), arrays).map(Some)
    }

    /// Writes the table to a file, in the format of its extension.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, if it cannot be written, or under the conditions
    /// of [`ResultTable::for_each_batch`]. In all cases no file remains.
    pub fn write(&self, path: &Path, overwrite: bool) -> Result<()> {
        TableFormat::from_path(path)?;
        self.write_into(create_output(path, overwrite)?)
    }

    /// Writes the table to a file created by [`create_output`], in the format of its extension.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or under the conditions of [`ResultTable::for_each_batch`]. In
    /// all cases no file remains.
    pub fn write_into(&self, file: PendingFile) -> Result<()> {
        let format = TableFormat::from_path(file.target())?;
        let mut writer = TableWriter::into_file(file, format, &self.schema(), self.rows())?;
        self.for_each_batch(|batch| writer.write(batch))?;
        writer.finish()
    }

    /// Writes the table to a file of a [`crate::WindowFolder`], with its [`crate::WindowFolder::mark`].
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`ResultTable::write_into`].
    pub fn write_window(&self, file: PendingFile, mark: &str) -> Result<()> {
        let schema = of_series(self.schema(), mark);
        let mut writer = TableWriter::into_file(file, TableFormat::Parquet, &schema, self.rows())?;
        self.for_each_batch(|batch| writer.write(batch))?;
        writer.finish()
    }

    /// Writes the table to a stream, as text.
    ///
    /// # Errors
    ///
    /// Returns an error if the format is not text, if the stream cannot be written, or under the conditions of
    /// [`ResultTable::for_each_batch`].
    pub fn write_to(&self, stream: Box<dyn Write + Send>, format: TableFormat) -> Result<()> {
        let mut writer = TableWriter::to_stream(stream, format, &self.schema())?;
        self.for_each_batch(|batch| writer.write(batch))?;
        writer.finish()
    }

    /// Writes the [`ResultTable::top`] rows to a stream, as text.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`ResultTable::write_to`].
    pub fn write_top_to(&self, stream: Box<dyn Write + Send>, format: TableFormat, count: usize) -> Result<()> {
        let schema = self.group_schema().unwrap_or_else(|| self.schema());
        let mut writer = TableWriter::to_stream(stream, format, &schema)?;
        self.for_each_top_batch(count, |batch| writer.write(batch))?;
        writer.finish()
    }
}
