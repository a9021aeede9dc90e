//! Answers: rows in batches, with original IDs.

use crate::graph::Graph;
use crate::output_file::create_output;
use crate::result::{ArcRows, BATCH_ROWS, NodeIds, ResultTable, TableSource, batch_memory, halves, rows_of};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use outcrop_algorithms::Column;
use outcrop_formats::PendingFile;
use outcrop_formats::table::{TableFormat, TableWriter};
use outcrop_store::writing::RankedArcs;
use outcrop_types::{Purpose, Reservation, Result, index_from};
use std::io::Write;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

/// Memory per row in progress, in bytes: ends and weight as numbers and in columns, and IDs being looked up.
const ROW_BYTES: u64 = 96;

/// Rows that are read once, in batches. An answer holds no lock on the store.
pub struct Answer {
    source: TableSource,
    schema: Schema,
    count: u64,
    /// Number of rows per batch, unless there is one row per vertex.
    batch_rows: u32,
    rows: Rows,
    _held: Vec<Reservation>,
}

/// Contents of an answer.
enum Rows {
    /// Row per vertex, by ascending rank.
    All(Vec<Column>),
    /// Ranks, each with a number.
    Numbers(Vec<u32>, Vec<u32>),
    /// Arcs.
    Arcs(Vec<Arcs>),
}

/// Arcs between ranks.
pub(super) struct Arcs {
    pub(super) arcs: RankedArcs,
    /// Ranks of the first ends of arcs; `None` if the arcs contain ranks.
    pub(super) ranks: Option<Vec<u32>>,
    /// Layer of a sample.
    pub(super) layer: Option<u32>,
}

/// Columns of arcs.
pub(super) struct ArcColumns {
    pub(super) first: &'static str,
    pub(super) second: &'static str,
    pub(super) weighted: bool,
    pub(super) layered: bool,
}

impl Answer {
    /// Creates an answer with one row per vertex of the graph.
    pub(super) fn all(source: TableSource, columns: Vec<Column>) -> Self {
        let table = ResultTable::new(&columns, &source);
        let (schema, count) = (table.schema(), table.rows());
        Self { source, schema, count, batch_rows: BATCH_ROWS, rows: Rows::All(columns), _held: Vec::new() }
    }

    /// Creates an answer with one row per rank in `ranks`, with a number.
    pub(super) fn numbers(
        source: TableSource,
        name: &str,
        ranks: Vec<u32>,
        numbers: Vec<u32>,
        held: Vec<Reservation>,
    ) -> Self {
        let node = Field::new("node", NodeIds::data_type(source.store.manifest().numbering.ids), false);
        let schema = Schema::new(vec![node, Field::new(name, DataType::UInt32, true)]);
        Self {
            source,
            schema,
            count: ranks.len() as u64,
            batch_rows: BATCH_ROWS,
            rows: Rows::Numbers(ranks, numbers),
            _held: held,
        }
    }

    /// Creates an answer with one row per arc.
    pub(super) fn arcs(source: TableSource, columns: &ArcColumns, arcs: Vec<Arcs>, held: Vec<Reservation>) -> Self {
        let id = |name| Field::new(name, NodeIds::data_type(source.store.manifest().numbering.ids), false);
        let layer = columns.layered.then(|| Field::new("layer", DataType::UInt32, false));
        let weight = columns.weighted.then(|| Field::new("weight", DataType::Float64, false));
        let fields = layer.into_iter().chain([id(columns.first), id(columns.second)]).chain(weight);
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let count = arcs.iter().map(|part| part.arcs.count()).sum();
        Self { source, schema, count, batch_rows: BATCH_ROWS, rows: Rows::Arcs(arcs), _held: held }
    }

    /// Sets the number of rows per batch; batches are smaller if texts are long. Has no effect on answers with one row
    /// per vertex.
    #[must_use]
    pub fn in_batches_of(self, rows: NonZeroU32) -> Self {
        Self { batch_rows: rows.get(), ..self }
    }

    /// Returns the names and types of the columns.
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> u64 {
        self.count
    }

    /// Passes all rows to `take` in batches.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small, if `take` fails, or if the
    /// query is interrupted.
    pub fn for_each_batch(self, mut take: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
        let Self { source, schema, count, batch_rows, rows, _held } = self;
        if let Rows::All(columns) = &rows {
            return ResultTable::new(columns, &source).for_each_batch(take);
        }
        let room = batch_memory(&source.store).max(u64::from(batch_rows).min(count) * ROW_BYTES);
        let _batches = source.budget.reserve(room, Purpose::Results)?;
        let weighted = schema.fields().iter().any(|field| field.name() == "weight");
        let ids = NodeIds::open(&source, count > u64::from(BATCH_ROWS))?;
        let mut writer = RowWriter {
            source: &source,
            schema: &schema,
            weighted,
            batch: index_from(batch_rows.into()),
            ids,
            take: &mut take,
        };
        match rows {
            Rows::All(_) => Ok(()),
            Rows::Numbers(ranks, numbers) => {
                let size = writer.batch;
                ranks
                    .chunks(size)
                    .zip(numbers.chunks(size))
                    .try_for_each(|(ranks, numbers)| writer.numbers(ranks, numbers))
            }
            Rows::Arcs(parts) => parts.into_iter().try_for_each(|part| writer.arcs(part)),
        }
    }

    /// Writes the rows to a file, in the format of its extension.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, if it cannot be written, or under the conditions
    /// of [`Answer::for_each_batch`]. In all cases no file remains.
    pub fn write(self, path: &Path, overwrite: bool) -> Result<()> {
        TableFormat::from_path(path)?;
        self.write_into(create_output(path, overwrite)?)
    }

    /// Writes the rows to a file created by [`create_output`], in the format of its extension.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or under the conditions of [`Answer::for_each_batch`].
    pub fn write_into(self, file: PendingFile) -> Result<()> {
        let format = TableFormat::from_path(file.target())?;
        let mut writer = TableWriter::into_file(file, format, &self.schema, self.count)?;
        self.for_each_batch(|batch| writer.write(batch))?;
        writer.finish()
    }

    /// Writes the rows to a stream, as text.
    ///
    /// # Errors
    ///
    /// Returns an error if the format is not text, if the stream cannot be written, or under the conditions of
    /// [`Answer::for_each_batch`].
    pub fn write_to(self, stream: Box<dyn Write + Send>, format: TableFormat) -> Result<()> {
        let mut writer = TableWriter::to_stream(stream, format, &self.schema)?;
        self.for_each_batch(|batch| writer.write(batch))?;
        writer.finish()
    }
}

/// Writer of batches of rows.
struct RowWriter<'w> {
    source: &'w TableSource,
    schema: &'w Schema,
    weighted: bool,
    /// Number of rows per batch.
    batch: usize,
    ids: NodeIds<'w>,
    take: &'w mut dyn FnMut(&RecordBatch) -> Result<()>,
}

impl RowWriter<'_> {
    fn numbers(&mut self, ranks: &[u32], numbers: &[u32]) -> Result<()> {
        self.source.cancellation.check()?;
        let Some(nodes) = self.ids.of_ranks(ranks)? else {
            let ((some, others), (few, rest)) = (halves(ranks), halves(numbers));
            self.numbers(some, few)?;
            return self.numbers(others, rest);
        };
        let numbers = Arc::new(UInt32Array::from_iter_values(numbers.iter().copied()));
        (self.take)(&rows_of(self.schema.clone(), vec![nodes, numbers])?)
    }

    fn arcs(&mut self, Arcs { arcs, ranks, layer }: Arcs) -> Result<()> {
        let Self { source, schema, weighted, batch, ids, take } = self;
        let mut rows =
            ArcRows { ids: Some(ids), batch: *batch, weighted: *weighted, cancellation: &source.cancellation };
        let rank = |first: u32| ranks.as_ref().and_then(|ranks| ranks.get(first as usize).copied()).unwrap_or(first);
        rows.each(arcs, rank, &mut |ends, weights| {
            let layer = layer.map(|layer| Arc::new(UInt32Array::from(vec![layer; ends[0].len()])) as ArrayRef);
            let weights = weighted.then(|| Arc::new(Float64Array::from(weights.to_vec())) as ArrayRef);
            let columns = layer.into_iter().chain(ends).chain(weights).collect();
            take(&rows_of(schema.clone(), columns)?)
        })
    }
}

impl Graph {
    /// Returns all vertices, one row each, in ascending order of original ID.
    ///
    /// # Errors
    ///
    /// Returns an error if the IDs are missing.
    pub fn nodes(&self) -> Result<Answer> {
        self.within_memory(|budget| Ok(Answer::all(TableSource::new(self, budget.clone())?, Vec::new())))
    }
}
