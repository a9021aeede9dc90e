//! Rows of a table as edges.

use super::cells::{Cell, Ids, Times, Weights, ids, times, weights};
use super::columns::EdgeColumns;
use crate::edges::options::OnError;
use crate::edges::text::{Oddity, Tally};
use crate::edges::weight::weight_as;
use arrow_array::RecordBatch;
use outcrop_store::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{
    Error, FileSummary, LONGEST_ID, Location, ReadWeight, Result, WeightRounding, WeightType, check_id, length_from,
};

/// Maximum number of rows per batch of edges.
pub(super) const ROWS: usize = 1 << 13;

/// Bytes of text after which a batch of edges ends.
const TEXT_BYTES: usize = 256 << 10;

/// Maximum memory of a batch of edges, in bytes: ends, weights, times, and texts that exceed the limit by one edge.
pub(super) const BATCH_BYTES: u64 = length_from(ROWS * 32 + TEXT_BYTES + 2 * LONGEST_ID);

/// Maximum number of recorded locations of skipped rows.
const REMEMBERED: usize = 5;

/// Converter of table rows to edges.
#[derive(Debug)]
pub struct EdgeRows {
    table: String,
    columns: EdgeColumns,
    largest: u64,
    on_error: OnError,
    next_row: u64,
    edges: u64,
    skipped: u64,
    first_skipped: Vec<String>,
    rounding: WeightRounding,
    /// Doubtful rows.
    odd: Tally,
    weight_type: Option<WeightType>,
}

impl EdgeRows {
    /// Creates a converter for `columns` of the table `table`, whose first row has the number `first_row` in messages.
    /// IDs above `largest` are refused, and weights are converted to `weight_type`.
    pub fn new(
        table: &str,
        columns: EdgeColumns,
        first_row: u64,
        largest: u64,
        weight_type: Option<WeightType>,
        on_error: OnError,
    ) -> Self {
        Self {
            table: table.to_owned(),
            columns,
            largest,
            on_error,
            next_row: first_row,
            edges: 0,
            skipped: 0,
            first_skipped: Vec::new(),
            rounding: WeightRounding::default(),
            odd: Tally::default(),
            weight_type,
        }
    }

    /// Replaces the content of `batch` with the edges of the rows of `table` starting at `from`; returns the number of
    /// rows converted.
    ///
    /// # Errors
    ///
    /// Returns an error with the row number if a row lacks an ID, a finite weight or a time, unless such rows are
    /// skipped.
    pub fn take(&mut self, table: &RecordBatch, from: usize, batch: &mut EdgeBatch) -> Result<usize> {
        let count = table.num_rows().saturating_sub(from).min(ROWS);
        let column = |place: usize| table.column(place).slice(from, count);
        let ends = [column(self.columns.source), column(self.columns.target)];
        let weight = self.columns.weight.map(column);
        let time = self.columns.time.map(|(place, rule)| (column(place), rule));
        let weights = weight.as_ref().map(|column| weights(column).ok_or_else(unexpected_type)).transpose()?;
        let times = time.as_ref().map(|(column, rule)| times(column, *rule).ok_or_else(unexpected_type)).transpose()?;
        let (Some(sources), Some(targets)) = (ids(&ends[0]), ids(&ends[1])) else { return Err(unexpected_type()) };
        if !matches!(
            (&batch.endpoints, self.columns.kind()),
            (IdBatch::Integers(_), IdKind::Integer) | (IdBatch::Texts { .. }, IdKind::Text)
        ) {
            batch.endpoints = IdBatch::empty(self.columns.kind());
        }
        batch.clear();
        make_room(batch);
        self.fill(count, &sources, &targets, weights.as_ref(), times.as_ref(), batch)
    }

    /// Returns the summary of the converted rows, based on the summary of the file.
    pub fn account(&self, file: FileSummary) -> FileSummary {
        FileSummary {
            edges: self.edges,
            skipped: self.skipped,
            first_skipped: self.first_skipped.clone(),
            rounding: self.rounding.clone(),
            notes: [file.notes, self.odd.notes()].concat(),
            ..file
        }
    }

    fn fill(
        &mut self,
        count: usize,
        sources: &Ids<'_>,
        targets: &Ids<'_>,
        weights: Option<&Weights<'_>>,
        times: Option<&Times<'_>>,
        batch: &mut EdgeBatch,
    ) -> Result<usize> {
        for row in 0..count {
            let weight = weights.map(|weights| weights(row));
            let time = times.map(|times| times(row));
            match self.push([sources(row), targets(row)], weight, time, batch) {
                Ok(()) => self.edges += 1,
                Err(wrong) => self.leave_out(&wrong)?,
            }
            self.next_row += 1;
            if matches!(&batch.endpoints, IdBatch::Texts { bytes, .. } if bytes.len() >= TEXT_BYTES) {
                return Ok(row + 1);
            }
        }
        Ok(count)
    }

    /// Appends an edge, or returns the fault of the row.
    fn push(
        &mut self,
        ends: [Cell<'_>; 2],
        weight: Option<Option<ReadWeight>>,
        time: Option<Result<i64, String>>,
        batch: &mut EdgeBatch,
    ) -> Result<(), String> {
        for end in ends {
            self.check(end)?;
        }
        let time = time.transpose()?;
        let odd = |end: Cell<'_>| if let Cell::Text(id) = end { Oddity::of_name(id.as_bytes()) } else { None };
        if let Some(oddity) = ends.into_iter().find_map(odd) {
            let (table, row) = (&self.table, self.next_row);
            self.odd.odd_line(oddity, || format!("{table}: row {row}"));
        }
        if let Some(weight) = weight {
            let exact = weight.ok_or("found null as the weight, expected a number")?;
            let stored = weight_as(self.weight_type, exact.nearest)?;
            let (table, row) = (&self.table, self.next_row);
            self.rounding.note(exact, stored, || format!("{table}: row {row}"));
            batch.weights.push(stored);
        }
        batch.times.extend(time);
        for end in ends {
            match (end, &mut batch.endpoints) {
                (Cell::Integer(id), IdBatch::Integers(ids)) => ids.push(id),
                (Cell::Text(text), IdBatch::Texts { bytes, ends }) => {
                    bytes.extend_from_slice(text.as_bytes());
                    ends.push(bytes.len());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check(&self, id: Cell<'_>) -> Result<(), String> {
        match id {
            Cell::Integer(id) if id <= self.largest => Ok(()),
            Cell::Integer(id) => Err(format!("found the ID {id}, expected one from 0 to {}", self.largest)),
            Cell::Negative(id) => Err(format!("found the negative ID {id}, expected one of at least 0")),
            Cell::Null => Err("found null, expected an ID".to_owned()),
            Cell::Text(text) => check_id(text.as_bytes()),
        }
    }

    fn leave_out(&mut self, wrong: &str) -> Result<()> {
        let place = format!("row {}: {wrong}", self.next_row);
        let OnError::Skip { max_errors } = self.on_error else { return Err(self.error(place)) };
        self.skipped += 1;
        if self.first_skipped.len() < REMEMBERED {
            self.first_skipped.push(place);
        }
        match self.first_skipped.first() {
            Some(first) if self.skipped > max_errors => {
                Err(self.error(format!("{first}; first of more than {max_errors} invalid rows (--max-errors)")))
            }
            _ => Ok(()),
        }
    }

    fn error(&self, message: String) -> Error {
        Error::bad_input(Location::file(&self.table), message)
    }
}

/// Allocates the memory of a batch at once, since growing would need it twice.
fn make_room(batch: &mut EdgeBatch) {
    match &mut batch.endpoints {
        IdBatch::Integers(ids) => ids.reserve_exact(2 * ROWS),
        IdBatch::Texts { bytes, ends } => {
            bytes.reserve_exact(TEXT_BYTES + 2 * LONGEST_ID);
            ends.reserve_exact(2 * ROWS);
        }
    }
}

/// Returns the error for a batch whose types differ from those of its table.
fn unexpected_type() -> Error {
    Error::internal("the column types of a batch differ from its table")
}
