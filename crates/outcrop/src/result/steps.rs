//! The rows of walks: one a step, in a temporary file.

use super::node_ids::NodeIds;
use super::{BATCH_MEMORY, BATCH_ROWS, TableSource};
use arrow_array::{RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use outcrop_io::{SpillFile, SpillFolder, SpillWriter};
use outcrop_store::OriginalIds;
use outcrop_types::{Cancellation, Error, Purpose, Result, index_from};
use std::sync::Arc;

/// A walk, a step of it, and the rank of the vertex that it leads to.
pub(crate) type StepRow = [u32; 3];

/// Bytes of a row in the file.
pub(crate) const ROW_BYTES: u64 = size_of::<StepRow>() as u64;

/// Rows of walks, ascending by walk and then by step.
pub(crate) struct StepRows {
    file: SpillFile,
}

/// Takes rows in their order.
pub(crate) struct StepWriter {
    writer: SpillWriter,
    held: Vec<StepRow>,
}

impl StepWriter {
    /// Memory that it takes, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = BATCH_ROWS as u64 * ROW_BYTES;

    /// Writes into a temporary file in `folder`.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::DiskFull`].
    pub(crate) fn create(folder: &SpillFolder) -> Result<Self> {
        Ok(Self { writer: folder.create()?, held: Vec::with_capacity(BATCH_ROWS as usize) })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::DiskFull`].
    pub(crate) fn push(&mut self, row: StepRow) -> Result<()> {
        self.held.push(row);
        if self.held.len() < BATCH_ROWS as usize { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<()> {
        self.writer.write(bytemuck::cast_slice(&self.held))?;
        self.held.clear();
        Ok(())
    }

    /// What was written.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::DiskFull`].
    pub(crate) fn finish(mut self) -> Result<StepRows> {
        self.write()?;
        Ok(StepRows { file: self.writer.finish()? })
    }
}

impl StepRows {
    /// How many rows there are.
    pub(super) fn len(&self) -> u64 {
        self.file.len() / ROW_BYTES
    }

    /// Names and types of the columns, of a graph with `ids`.
    pub(super) fn schema(ids: OriginalIds) -> Schema {
        Schema::new(vec![
            Field::new("walk", DataType::UInt32, false),
            Field::new("step", DataType::UInt32, false),
            Field::new("node", NodeIds::data_type(ids), false),
        ])
    }

    /// Hands over all rows in batches.
    ///
    /// # Errors
    /// A failed read; a budget that is too small; what `take` returns; interruption.
    pub(super) fn for_each_batch(
        &self,
        (source, cancellation): (&TableSource, &Cancellation),
        mut take: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let _held = source.budget.reserve(BATCH_MEMORY, Purpose::Results)?;
        let (mut ids, mut reader) = (NodeIds::open(source, true)?, self.file.open()?);
        let (mut left, mut rows) = (self.len(), vec![StepRow::default(); BATCH_ROWS as usize]);
        while left > 0 {
            cancellation.check()?;
            rows.truncate(index_from(left));
            reader.read_exact(bytemuck::cast_slice_mut(&mut rows))?;
            left -= rows.len() as u64;
            take(&batch(&rows, &mut ids, source)?)?;
        }
        Ok(())
    }

    /// The first `count` rows.
    ///
    /// # Errors
    /// A failed read; a budget that is too small.
    pub(super) fn first(&self, source: &TableSource, count: usize) -> Result<RecordBatch> {
        let count = self.len().min(count as u64);
        let _held = source.budget.reserve(BATCH_MEMORY + count * ROW_BYTES, Purpose::Results)?;
        let mut rows = vec![StepRow::default(); index_from(count)];
        self.file.open()?.read_exact(bytemuck::cast_slice_mut(&mut rows))?;
        batch(&rows, &mut NodeIds::open(source, false)?, source)
    }
}

/// `rows` with original ids.
fn batch(rows: &[StepRow], ids: &mut NodeIds<'_>, source: &TableSource) -> Result<RecordBatch> {
    let numbers = |column: usize| Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row[column])));
    let nodes = ids.of_ranks(&rows.iter().map(|[.., rank]| *rank).collect::<Vec<_>>())?;
    let schema = Arc::new(StepRows::schema(source.store.manifest().ids));
    let batch = RecordBatch::try_new(schema, vec![numbers(0), numbers(1), nodes]);
    batch.map_err(|error| Error::Usage(error.to_string()))
}
