//! The rows with the largest values.

use super::node_ids::NodeIds;
use super::rows::Rows;
use super::source::{BATCH_MEMORY, BATCH_ROWS};
use super::table::ResultTable;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use outcrop_report::TopRows;
use outcrop_types::{Error, Purpose, Reservation, Result, VertexId};
use serde_json::Value;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A row among the largest: ordered by value, then by rank, the smaller rank being the larger row.
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

/// Bytes of the largest rows that the memory of a batch holds besides.
const FEW_ROWS_BYTES: u64 = 16 << 10;

/// Memory of the `count` largest rows of a table of so many vertices, in bytes; none of a few.
pub(crate) fn top_bytes(count: usize, vertices: u32) -> u64 {
    let rows = (count as u64).saturating_add(1).min(u64::from(vertices));
    (rows * size_of::<Candidate>() as u64).saturating_sub(FEW_ROWS_BYTES)
}

impl ResultTable<'_> {
    /// The `count` rows with the largest values in the first value column, largest first; of equal values the smaller
    /// id first; rows without a value are left out. Of components and communities the largest, with the number of their
    /// vertices; of walks the first rows.
    ///
    /// # Errors
    /// As for [`ResultTable::for_each_batch`]; a budget that does not hold the texts of all rows.
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

    /// The rows of [`ResultTable::top`], for a record.
    ///
    /// # Errors
    /// As for [`ResultTable::top`].
    pub(crate) fn top_rows_of_record(&self, count: usize) -> Result<TopRows> {
        let batch = self.top(count)?;
        let schema = batch.schema();
        let columns: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let row = |row| batch.columns().iter().map(|column| json_of(column, row)).collect();
        let rows = (0..batch.num_rows()).map(row).collect::<Result<_>>()?;
        Ok(TopRows { columns, rows })
    }

    /// Hands over the rows of [`ResultTable::top`] in batches.
    ///
    /// # Errors
    /// As for [`ResultTable::for_each_batch`].
    pub(super) fn for_each_top_batch(
        &self,
        count: usize,
        mut take: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        if let Some(steps) = self.steps {
            return steps.for_each_of_first((self.source, &self.cancellation), count as u64, take);
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

    /// The rows of the largest values, and what pays for them and for a batch.
    fn top_rows(&self, count: usize) -> Result<(Reservation, Rows)> {
        let kept = top_bytes(count, self.vertices());
        let held = self.source.budget.reserve(BATCH_MEMORY + kept, Purpose::Results)?;
        let mut ids = NodeIds::open(self.source, false)?;
        let mut best: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
        for start in (0..self.vertices()).step_by(BATCH_ROWS as usize) {
            self.cancellation.check()?;
            let Some(column) = self.columns.first() else { break };
            let ranks = start..start.saturating_add(BATCH_ROWS).min(self.vertices());
            let rows = Rows { vertices: ids.vertices(ranks.clone())?, ranks: ranks.collect() };
            let vertices = rows.ranks.iter().zip(&rows.vertices);
            for ((rank, vertex), value) in vertices.zip(rows.numbers(&column.values)?) {
                let Some(value) = value else { continue };
                best.push(Reverse(Candidate { value, rank: *rank, vertex: *vertex }));
                if best.len() > count {
                    best.pop();
                }
            }
        }
        let best = best.into_sorted_vec().into_iter().map(|Reverse(row)| (row.rank, row.vertex));
        let (ranks, vertices) = best.unzip();
        Ok((held, Rows { ranks, vertices }))
    }
}

/// A value of a column, for a record; numbers of single precision in as many digits as they need.
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
