//! Rows with the largest values.

use super::node_ids::NodeIds;
use super::rows::Rows;
use super::source::{BATCH_ROWS, batch_memory};
use super::table::ResultTable;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use outcrop_algorithms::Values;
use outcrop_report::TopRows;
use outcrop_types::{Error, Purpose, Reservation, Result, VertexId};
use serde_json::Value;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Candidate for the largest rows: ordered by value, then by descending rank.
#[derive(PartialEq)]
struct Candidate {
    value: f64,
    rank: u32,
    vertex: VertexId,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then_with(|| other.rank.cmp(&self.rank))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Memory for the largest rows that is included in the memory of a batch, in bytes.
const FEW_ROWS_BYTES: u64 = 16 << 10;

/// Returns the memory of the `count` largest rows of a table of `vertices` vertices, in bytes; 0 for a small `count`.
pub(crate) fn top_bytes(count: usize, vertices: u32) -> u64 {
    let rows = (count as u64).saturating_add(1).min(u64::from(vertices));
    (rows * size_of::<Candidate>() as u64).saturating_sub(FEW_ROWS_BYTES)
}

impl ResultTable<'_> {
    /// Returns the `count` rows with the largest values in the first value column, in descending order, with ties in
    /// ascending order of ID; rows without a value are omitted. For components and communities, returns the largest,
    /// with their numbers of vertices; if values are IDs, the first rows with one; for walks, the first rows.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`ResultTable::for_each_batch`], or if the budget cannot hold the
    /// texts of all rows.
    pub fn top(&self, count: usize) -> Result<RecordBatch> {
        if let Some(steps) = self.steps {
            return steps.first(self.source, count);
        }
        if let Some(groups) = self.top_groups(count)? {
            return Ok(groups);
        }
        let (_held, rows) = self.top_rows(count)?;
        NodeIds::open(self.source, false)?.in_any_room(&self.source.budget, |ids| self.batch_of(&rows, ids))
    }

    /// Returns the rows of [`ResultTable::top`] for a run record.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`ResultTable::top`].
    pub(crate) fn top_rows_of_record(&self, count: usize) -> Result<TopRows> {
        let batch = self.top(count)?;
        let schema = batch.schema();
        let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let row = |row| batch.columns().iter().map(|column| json_of(column, row)).collect();
        let rows = (0..batch.num_rows()).map(row).collect::<Result<_>>()?;
        Ok(TopRows { columns, rows })
    }

    /// Passes on the rows of [`ResultTable::top`] in batches.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`ResultTable::for_each_batch`].
    pub(super) fn for_each_top_batch(
        &self,
        count: usize,
        mut take: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        if let Some(steps) = self.steps {
            return steps.for_each_of_first(self.source, &self.cancellation, count as u64, take);
        }
        if let Some(groups) = self.top_groups(count)? {
            return take(&groups);
        }
        let (_held, Rows { ranks, vertices }) = self.top_rows(count)?;
        let mut ids = NodeIds::open(self.source, false)?;
        let mut start = 0;
        while start < ranks.len() {
            self.cancellation.check()?;
            let end = ranks.len().min(start + self.batch_rows() as usize);
            let mut rows = Rows { ranks: ranks[start..end].to_vec(), vertices: vertices[start..end].to_vec() };
            let batch = loop {
                if let Some(batch) = self.batch_of(&rows, &mut ids)? {
                    break batch;
                }
                rows.first_half();
            };
            take(&batch)?;
            start += rows.ranks.len();
        }
        Ok(())
    }

    fn batch_of(&self, rows: &Rows, ids: &mut NodeIds<'_>) -> Result<Option<RecordBatch>> {
        match ids.of_ranks(&rows.ranks)? {
            Some(nodes) => self.batch(rows, Some(nodes), ids),
            None => Ok(None),
        }
    }

    /// Returns the rows of the largest values, with the reservation for them and for a batch.
    fn top_rows(&self, count: usize) -> Result<(Reservation, Rows)> {
        let kept = top_bytes(count, self.vertices());
        let held = self.source.budget.reserve(batch_memory(&self.source.store) + kept, Purpose::Results)?;
        let mut ids = NodeIds::open(self.source, false)?;
        let mut best: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
        for start in (0..self.vertices()).step_by(BATCH_ROWS as usize) {
            self.cancellation.check()?;
            let Some(column) = self.columns.first() else { break };
            let ranks = start..start.saturating_add(BATCH_ROWS).min(self.vertices());
            let rows = Rows { vertices: ids.vertices(ranks.clone())?, ranks: ranks.collect() };
            let vertices = rows.ranks.iter().zip(&rows.vertices);
            let are_ids = matches!(column.values, Values::Node(_) | Values::NodeFile(_));
            for ((rank, vertex), value) in vertices.zip(rows.numbers(&column.values)?) {
                let Some(value) = value.map(|value| if are_ids { 0.0 } else { value }) else { continue };
                let candidate = Candidate { value, rank: *rank, vertex: *vertex };
                if best.len() < count {
                    best.push(Reverse(candidate));
                } else if let Some(mut least) = best.peek_mut()
                    && candidate > least.0
                {
                    *least = Reverse(candidate);
                }
            }
        }
        let best = best.into_sorted_vec().into_iter().map(|Reverse(row)| (row.rank, row.vertex));
        let (ranks, vertices) = best.unzip();
        Ok((held, Rows { ranks, vertices }))
    }
}

/// Returns a value of a column for a run record; single-precision numbers have the minimum number of digits.
fn json_of(column: &ArrayRef, row: usize) -> Result<Value> {
    let number = |text: String| text.parse::<f64>().map_or(Value::Null, Value::from);
    Ok(match column.data_type() {
        _ if column.is_null(row) => Value::Null,
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Float32 => number(column.as_primitive::<Float32Type>().value(row).to_string()),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into(),
        other => return Err(Error::internal(format!("a result has a column of type {other}"))),
    })
}
