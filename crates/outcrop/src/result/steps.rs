//! Rows of walks, one per step in a temporary file, and of paths.

use super::node_ids::NodeIds;
use super::source::{BATCH_ROWS, TableSource, batch_memory, rows_of};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use outcrop_algorithms::Paths;
use outcrop_io::{SpillFile, SpillFolder, SpillReader, SpillWriter};
use outcrop_store::OriginalIds;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Reservation, Result, VertexValues, index_from, length_from,
};
use std::sync::Arc;

/// Walk, step, and rank of the vertex that the step leads to.
pub(crate) type StepRow = [u32; 3];

/// Bytes per row of the file.
pub(crate) const ROW_BYTES: u64 = size_of::<StepRow>() as u64;

/// Rows of walks, ascending by walk, then step; those of one path, without the column of walks; or those of several
/// paths, with distances.
pub(crate) struct StepRows {
    place: Place,
}

enum Place {
    File(SpillFile),
    /// A few rows, in a folder that may only be read.
    Memory {
        rows: Vec<StepRow>,
        _memory: Reservation,
    },
    /// Ranks of the vertices of a path.
    Path(VertexValues<u32>),
    Paths(Paths),
}

/// Reader of rows.
enum StepReader<'r> {
    File(SpillReader),
    Memory(&'r [StepRow]),
    /// Ranks of a path, and the next step.
    Path(&'r [u32], u32),
    /// Paths, and the number of the next row, of its path, and of its step.
    Paths(&'r Paths, usize, StepRow),
}

impl StepReader<'_> {
    /// Fills `rows` with the next ones.
    fn read(&mut self, rows: &mut [StepRow]) -> Result<()> {
        match self {
            Self::File(reader) => reader.read_exact(bytemuck::cast_slice_mut(rows)),
            Self::Memory(left) => {
                let beyond = || Error::internal("fewer rows of walks than counted");
                let (now, later) = left.split_at_checked(rows.len()).ok_or_else(beyond)?;
                rows.copy_from_slice(now);
                *left = later;
                Ok(())
            }
            Self::Path(ranks, step) => {
                for (row, rank) in rows.iter_mut().zip(&ranks[*step as usize..]) {
                    *row = [0, *step, *rank];
                    *step += 1;
                }
                Ok(())
            }
            Self::Paths(paths, number, next) => {
                for (row, rank) in rows.iter_mut().zip(&paths.ranks[*number..]) {
                    let [path, step, _] = *next;
                    *row = [path, step, *rank];
                    *number += 1;
                    *next = if paths.ends[path as usize] == *number { [path + 1, 0, 0] } else { [path, step + 1, 0] };
                }
                Ok(())
            }
        }
    }
}

/// Writer of rows, which must arrive in order.
pub(crate) struct StepWriter {
    writer: SpillWriter,
    held: Vec<StepRow>,
    /// Memory of the rows held.
    reservation: Reservation,
}

impl StepWriter {
    /// Memory of a writer, in bytes.
    pub(crate) const MEMORY_BYTES: u64 = BATCH_ROWS as u64 * ROW_BYTES;

    /// Creates a writer to a temporary file in `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small or the file cannot be created.
    pub(crate) fn create(folder: &SpillFolder, budget: &MemoryBudget) -> Result<Self> {
        let reservation = budget.reserve(Self::MEMORY_BYTES, Purpose::Results)?;
        Ok(Self { writer: folder.create()?, held: Vec::with_capacity(BATCH_ROWS as usize), reservation })
    }

    /// Appends a row.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Io`] or [`outcrop_types::Error::DiskFull`].
    pub(crate) fn push(&mut self, row: StepRow) -> Result<()> {
        self.held.push(row);
        if self.held.len() < BATCH_ROWS as usize { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<()> {
        self.writer.write(bytemuck::cast_slice(&self.held))?;
        self.held.clear();
        Ok(())
    }

    /// Returns the rows. A few of them stay in memory if the folder may only be read.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Io`] or [`outcrop_types::Error::DiskFull`].
    pub(crate) fn finish(mut self) -> Result<StepRows> {
        let place = match self.write() {
            Err(error) if error.is_read_only() && self.writer.length() == 0 => {
                Place::Memory { rows: self.held, _memory: self.reservation }
            }
            outcome => {
                outcome?;
                Place::File(self.writer.finish()?)
            }
        };
        Ok(StepRows { place })
    }
}

impl StepRows {
    /// Creates the rows of a path.
    pub(crate) const fn of_path(ranks: VertexValues<u32>) -> Self {
        Self { place: Place::Path(ranks) }
    }

    /// Creates the rows of several paths.
    pub(crate) const fn of_paths(paths: Paths) -> Self {
        Self { place: Place::Paths(paths) }
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> u64 {
        match &self.place {
            Place::File(file) => file.length() / ROW_BYTES,
            Place::Memory { rows, .. } => length_from(rows.len()),
            Place::Path(ranks) => length_from(ranks.len()),
            Place::Paths(paths) => length_from(paths.ranks.len()),
        }
    }

    fn open(&self) -> Result<StepReader<'_>> {
        match &self.place {
            Place::File(file) => file.open().map(StepReader::File),
            Place::Memory { rows, .. } => Ok(StepReader::Memory(rows)),
            Place::Path(ranks) => Ok(StepReader::Path(ranks, 0)),
            Place::Paths(paths) => Ok(StepReader::Paths(paths, 0, StepRow::default())),
        }
    }

    /// Returns the names and types of the columns, for a graph with `ids`.
    pub(super) fn schema(&self, ids: OriginalIds) -> Schema {
        let (number, distance) = match self.place {
            Place::File(_) | Place::Memory { .. } => (Some("walk"), None),
            Place::Path(_) => (None, None),
            Place::Paths(_) => (Some("path"), Some("distance")),
        };
        let number = number.map(|name| Field::new(name, DataType::UInt32, false));
        let distance = distance.map(|name| Field::new(name, DataType::Float64, false));
        let step = Field::new("step", DataType::UInt32, false);
        let node = Field::new("node", NodeIds::data_type(ids), false);
        Schema::new(number.into_iter().chain([step]).chain(distance).chain([node]).collect::<Vec<_>>())
    }

    /// Passes on all rows in batches.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails, if the budget is too small, if `take` fails, or if the work is interrupted.
    pub(super) fn for_each_batch(
        &self,
        source: &TableSource,
        cancellation: &Cancellation,
        take: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        self.for_each_of_first(source, cancellation, self.len(), take)
    }

    /// Passes on the first `count` rows in batches.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`StepRows::for_each_batch`].
    pub(super) fn for_each_of_first(
        &self,
        source: &TableSource,
        cancellation: &Cancellation,
        count: u64,
        mut take: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let _held = source.budget.reserve(batch_memory(&source.store), Purpose::Results)?;
        let (mut ids, mut reader) = (NodeIds::open(source, count > u64::from(BATCH_ROWS))?, self.open()?);
        let (mut left, mut rows) = (self.len().min(count), vec![StepRow::default(); BATCH_ROWS as usize]);
        let mut before = 0;
        while left > 0 {
            rows.truncate(index_from(left));
            reader.read(&mut rows)?;
            left -= rows.len() as u64;
            let (mut start, mut end) = (0, rows.len());
            while start < rows.len() {
                cancellation.check()?;
                match self.batch(before + start, &rows[start..end], &mut ids, source)? {
                    Some(batch) => take(&batch)?,
                    None => {
                        end = start + (end - start) / 2;
                        continue;
                    }
                }
                (start, end) = (end, rows.len().min(end + (end - start)));
            }
            before += rows.len();
        }
        Ok(())
    }

    /// Returns the first `count` rows.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the budget is too small.
    pub(super) fn first(&self, source: &TableSource, count: usize) -> Result<RecordBatch> {
        let count = self.len().min(count as u64);
        let room = batch_memory(&source.store) + count * ROW_BYTES;
        let _held = source.budget.reserve(room, Purpose::Results)?;
        let mut rows = vec![StepRow::default(); index_from(count)];
        self.open()?.read(&mut rows)?;
        NodeIds::open(source, false)?.in_any_room(&source.budget, |ids| self.batch(0, &rows, ids, source))
    }

    /// Returns `rows`, of which the `first` has this number, with original IDs; `None` if the texts of several rows do
    /// not fit in memory.
    fn batch(
        &self,
        first: usize,
        rows: &[StepRow],
        ids: &mut NodeIds<'_>,
        source: &TableSource,
    ) -> Result<Option<RecordBatch>> {
        let numbers =
            |column: usize| -> ArrayRef { Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row[column]))) };
        let Some(nodes) = ids.of_ranks(&rows.iter().map(|[.., rank]| *rank).collect::<Vec<_>>())? else {
            return Ok(None);
        };
        let schema = self.schema(source.store.manifest().numbering.ids);
        let columns = match &self.place {
            Place::File(_) | Place::Memory { .. } => vec![numbers(0), numbers(1), nodes],
            Place::Path(_) => vec![numbers(1), nodes],
            Place::Paths(paths) => {
                let distances = paths.distances[first..first + rows.len()].iter().copied();
                vec![numbers(0), numbers(1), Arc::new(Float64Array::from_iter_values(distances)), nodes]
            }
        };
        rows_of(schema, columns).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::ResultTable;
    use crate::{BuildOrder, BuildRequest, Graph, OpenOptions, Silent, StoreForm, build};
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt32Type;

    #[test]
    fn rows_come_back_in_their_order_with_original_ids() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("edges.el"), "b c\na b\n").unwrap();
        let inputs = vec![folder.path().join("edges.el").into()];
        let request = BuildRequest {
            form: StoreForm { order: BuildOrder::Random { seed: 2 }, ..StoreForm::default() },
            ..BuildRequest::new(inputs, folder.path().join("graph.outcrop"))
        };
        build(&request, &Cancellation::new(), &Silent).unwrap();
        let graph = Graph::open(&request.store, OpenOptions::default()).unwrap();
        let source = TableSource::new(&graph, MemoryBudget::new(64 << 20)).unwrap();
        let count = 2 * BATCH_ROWS + 7;
        let mut writer =
            StepWriter::create(&SpillFolder::new(folder.path()).unwrap(), &MemoryBudget::new(1 << 30)).unwrap();
        (0..count).for_each(|row| writer.push([row / 4, row % 4, row % 3]).unwrap());
        let rows = writer.finish().unwrap();
        let table = ResultTable::of_steps(&rows, &source);
        assert_eq!(table.rows(), u64::from(count));
        let mut found = Vec::new();
        table
            .for_each_batch(|batch| {
                let numbers = |column: usize| batch.column(column).as_primitive::<UInt32Type>().values().to_vec();
                let nodes = batch.column(2).as_string::<i64>().iter().map(|id| id.unwrap().to_owned());
                found.extend(numbers(0).into_iter().zip(numbers(1)).zip(nodes));
                Ok(())
            })
            .unwrap();
        let name = |rank: u32| ["a", "b", "c"][rank as usize].to_owned();
        assert!(found.into_iter().eq((0..count).map(|row| ((row / 4, row % 4), name(row % 3)))));
        let first = table.top(5).unwrap();
        assert_eq!((first.num_rows(), table.top(1 << 20).unwrap().num_rows()), (5, count as usize));
        assert_eq!(first.column(1).as_primitive::<UInt32Type>().values()[..], [0, 1, 2, 3, 0]);
        source.cancellation.cancel();
        assert!(matches!(table.for_each_batch(|_| Ok(())), Err(Error::Interrupted)));
    }

    #[test]
    fn no_rows_are_a_table_too() {
        let folder = tempfile::tempdir().unwrap();
        let rows = StepWriter::create(&SpillFolder::new(folder.path()).unwrap(), &MemoryBudget::new(1 << 30))
            .unwrap()
            .finish()
            .unwrap();
        assert_eq!(rows.len(), 0);
    }
}
