//! The rows with the largest values.

use super::node_ids::NodeIds;
use super::rows::Rows;
use super::table::ResultTable;
use super::{BATCH_MEMORY, BATCH_ROWS};
use arrow_array::RecordBatch;
use outcrop_types::{Error, Purpose, Result, VertexId};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

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

impl ResultTable<'_> {
    /// The `count` rows with the largest values in the first value column, largest first; of equal values the smaller id first;
    /// rows without a value are left out. Of walks the first rows.
    ///
    /// # Errors
    /// As for [`ResultTable::for_each_batch`].
    pub fn top(&self, count: usize) -> Result<RecordBatch> {
        if let Some(steps) = self.steps {
            return steps.first(self.source, count);
        }
        let kept = (count as u64).saturating_add(1).min(u64::from(self.vertices())) * size_of::<Candidate>() as u64;
        let _held = self.source.budget.reserve(BATCH_MEMORY + kept, Purpose::Results)?;
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
        let rows = Rows { ranks, vertices };
        let mut arrays = vec![ids.of_ranks(&rows.ranks)?];
        for column in self.columns {
            arrays.push(rows.array(&column.values, &mut ids)?);
        }
        RecordBatch::try_new(Arc::new(self.schema()), arrays).map_err(|error| Error::Usage(error.to_string()))
    }
}
