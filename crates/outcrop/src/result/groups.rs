//! Groups of vertices whose value is the same rank: components, communities.

use super::node_ids::NodeIds;
use super::source::{BATCH_ROWS, TableSource, rows_of};
use super::table::ResultTable;
use arrow_array::{RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use outcrop_algorithms::{UNREACHED, Values};
use outcrop_types::{Purpose, Result, VertexValues, index_from};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Number of vertices in each group, indexed by the rank that names it.
pub(super) struct Groups {
    sizes: VertexValues<u32>,
}

impl Groups {
    /// Counts the vertices of each group; returns `None` for columns with other values.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget has less than 4 bytes per vertex, if a read of values on disk fails, or if the
    /// work is interrupted.
    pub(super) fn of(values: &Values, source: &TableSource) -> Result<Option<Self>> {
        let count = source.store.manifest().graph.vertices as usize;
        if !matches!(values, Values::Node(_) | Values::NodeFile(_)) {
            return Ok(None);
        }
        let mut sizes = VertexValues::new(&source.budget, Purpose::Results, count, |_| 0_u32)?;
        let mut add = |ranks: &[u32]| {
            for rank in ranks.iter().filter(|rank| **rank != UNREACHED) {
                sizes[*rank as usize] += 1;
            }
        };
        match values {
            Values::NodeFile(file) => {
                let mut piece = vec![0; BATCH_ROWS as usize];
                for start in (0..file.length()).step_by(BATCH_ROWS as usize) {
                    source.cancellation.check()?;
                    piece.truncate(index_from(file.length() - start));
                    file.read(start, &mut piece)?;
                    add(&piece);
                }
            }
            Values::Node(ranks) => add(ranks),
            _ => {}
        }
        Ok(Some(Self { sizes }))
    }

    /// Returns the number of groups.
    pub(super) fn count(&self) -> u64 {
        self.sizes.iter().filter(|size| **size > 0).count() as u64
    }

    /// Returns the number of vertices in the largest group.
    pub(super) fn largest(&self) -> u32 {
        // Default: without vertices, there is no group.
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// Passes on the size of the group of each vertex, group by group.
    pub(super) fn for_each_size(&self, take: &mut dyn FnMut(f64)) {
        for size in self.sizes.iter() {
            (0..*size).for_each(|_| take(f64::from(*size)));
        }
    }

    /// Returns the `count` largest groups in descending order of size, then ascending order of rank.
    fn top(&self, count: usize) -> Vec<(u32, u32)> {
        let mut best = BinaryHeap::new();
        for (rank, size) in (0_u32..).zip(self.sizes.iter()).filter(|(_, size)| **size > 0) {
            best.push(Reverse((*size, Reverse(rank))));
            if best.len() > count {
                best.pop();
            }
        }
        best.into_sorted_vec().into_iter().map(|Reverse((size, Reverse(rank)))| (rank, size)).collect()
    }
}

/// Calls `take` with the size of each group in `values`, if they name groups.
///
/// # Errors
///
/// Returns an error under the same conditions as [`Groups::of`].
pub(crate) fn for_each_group(values: &Values, source: &TableSource, take: &mut dyn FnMut(u32)) -> Result<()> {
    let groups = Groups::of(values, source)?;
    groups.iter().flat_map(|groups| groups.sizes.iter()).filter(|size| **size > 0).for_each(|size| take(*size));
    Ok(())
}

impl ResultTable<'_> {
    /// Returns the columns of [`ResultTable::top_groups`] if the first value column names groups.
    pub(super) fn group_schema(&self) -> Option<Schema> {
        let column = self.columns.first()?;
        let names = self.names_groups && matches!(column.values, Values::Node(_) | Values::NodeFile(_));
        names.then(|| {
            let kind = NodeIds::data_type(self.source.store.manifest().numbering.ids);
            let name = Field::new(&*column.name, kind, false);
            Schema::new(vec![name, Field::new("vertices", DataType::UInt32, false)])
        })
    }

    /// Returns the `count` largest groups, with the number of vertices in each; `None` if the first value column does
    /// not name groups.
    pub(super) fn top_groups(&self, count: usize) -> Result<Option<RecordBatch>> {
        let (Some(schema), Some(column)) = (self.group_schema(), self.columns.first()) else { return Ok(None) };
        self.cancellation.check()?;
        let Some(groups) = Groups::of(&column.values, self.source)? else { return Ok(None) };
        let (ranks, sizes): (Vec<u32>, Vec<u32>) = groups.top(count).into_iter().unzip();
        drop(groups);
        let names = NodeIds::open(self.source, false)?.in_any_room(&self.source.budget, |ids| ids.of_ranks(&ranks))?;
        rows_of(schema, vec![names, Arc::new(UInt32Array::from(sizes))]).map(Some)
    }
}
