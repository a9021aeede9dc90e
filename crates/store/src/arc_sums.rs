//! External sort of weighted arcs in which repeated arcs are added up.

use crate::sort::{ExternalSorter, SortedRecords};
use crate::writing::record::{ArcRecord, WeightedArc};
use outcrop_io::SpillFolder;
use outcrop_types::{Cancellation, MemoryBudget, Result, VertexId};
use std::sync::Arc;

/// External sorter of weighted arcs, by vertex and then by neighbor.
pub struct ArcSums(ExternalSorter<WeightedArc>);

impl ArcSums {
    /// Minimum memory of a sorter, in bytes.
    pub const LEAST_BYTES: u64 = ExternalSorter::<WeightedArc>::LEAST_BYTES;

    /// Creates a sorter that uses `bytes` of memory and spills to `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget has less than `bytes` left.
    pub fn new(folder: &SpillFolder, bytes: u64, budget: &MemoryBudget, cancellation: &Cancellation) -> Result<Self> {
        ExternalSorter::new(&Arc::new(folder.clone()), bytes, false, budget, cancellation).map(Self)
    }

    /// Returns the number of arcs that were added.
    pub const fn arcs(&self) -> u64 {
        self.0.len()
    }

    /// Adds an arc.
    ///
    /// # Errors
    ///
    /// Returns an error if arcs cannot be spilled or the run is interrupted.
    #[inline]
    pub fn push(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        self.0.push(WeightedArc::new(vertex, neighbor, weight))
    }

    /// Passes each arc to `take` once, in ascending order, with the sum of its weights in the order in which they were
    /// added.
    ///
    /// # Errors
    ///
    /// Returns the error of `take`, or an error if arcs cannot be spilled or read back, or if the run is interrupted.
    pub fn for_each(self, mut take: impl FnMut(VertexId, VertexId, f64) -> Result<()>) -> Result<()> {
        let mut sorted: SortedRecords<WeightedArc> = self.0.finish()?;
        let Some(mut sum) = sorted.next()?.map(WeightedArc::parts) else { return Ok(()) };
        while let Some((vertex, neighbor, weight)) = sorted.next()?.map(WeightedArc::parts) {
            if (vertex, neighbor) == (sum.0, sum.1) {
                sum.2 += weight;
                continue;
            }
            take(sum.0, sum.1, sum.2)?;
            sum = (vertex, neighbor, weight);
        }
        take(sum.0, sum.1, sum.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::SplitMix64;
    use std::collections::BTreeMap;

    #[test]
    fn repeated_arcs_are_added_up_in_memory_and_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let (spill, budget) = (SpillFolder::new(folder.path()).unwrap(), MemoryBudget::new(4 << 20));
        for arcs in [0_u64, 1, 1000, 300_000] {
            let mut sums = ArcSums::new(&spill, ArcSums::LEAST_BYTES, &budget, &Cancellation::new()).unwrap();
            let (numbers, mut expected) = (SplitMix64::new(arcs, 0), BTreeMap::new());
            for arc in 0..arcs {
                let [vertex, neighbor] = [0, 1].map(|end| numbers.up_to(2 * arc + end, 500));
                sums.push(vertex, neighbor, f64::from(neighbor) + 0.5).unwrap();
                *expected.entry((vertex, neighbor)).or_insert(0.0) += f64::from(neighbor) + 0.5;
            }
            let mut found = Vec::new();
            let take = |vertex, neighbor, sum| {
                found.push(((vertex, neighbor), sum));
                Ok(())
            };
            sums.for_each(take).unwrap();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{arcs}");
        }
    }
}
