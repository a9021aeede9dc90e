//! Sampling of the lists of some sources from a stream of edges.

use super::sampled_lists::SampledLists;
use crate::writing::checkpoint::{kept_values, save_values};
use crate::writing::context::BuildContext;
use outcrop_io::DurableFile;
use outcrop_types::{Purpose, Reservation, Result, SplitMix64, length_from};
use serde::{Deserialize, Serialize};

/// Maximum number of sampled entries.
const MOST_ENTRIES: u64 = 1 << 18;
/// The sample uses at most the free budget divided by this.
const SHARE: u64 = 16;

/// Samples sources by a hash of their IDs and keeps all of their edges; halves the number of sources whenever the room
/// is exhausted.
pub(in crate::writing) struct EdgeSampler {
    numbers: SplitMix64,
    undirected: bool,
    highest: u32,
    entries: u64,
    drawn: Vec<[u32; 2]>,
    room: usize,
    _held: Reservation,
}

/// Durable sample, which survives the process.
#[derive(Serialize, Deserialize)]
pub(in crate::writing) struct DurableSample {
    highest: u32,
    entries: u64,
    drawn: DurableFile,
}

impl EdgeSampler {
    /// Creates a sampler with memory reserved from the budget; returns `None` if the build needs no sample.
    pub(in crate::writing) fn new(context: &BuildContext<'_>) -> Result<Option<Self>> {
        if context.options.order.is_none_or(|order| order.condition.is_none()) {
            return Ok(None);
        }
        let entry = length_from(size_of::<[u32; 2]>());
        let room = (context.work.budget.available() / SHARE / entry).clamp(1, MOST_ENTRIES);
        let held = context.work.budget.reserve(room * entry, Purpose::IdMap)?;
        let room = outcrop_types::index_from(room);
        let (numbers, drawn) = (SplitMix64::new(1, 0), Vec::with_capacity(room));
        let undirected = context.options.undirected;
        Ok(Some(Self { numbers, undirected, highest: u32::MAX, entries: 0, drawn, room, _held: held }))
    }

    /// Makes the sample durable.
    pub(in crate::writing) fn keep(&self, context: &BuildContext<'_>) -> Result<DurableSample> {
        let drawn = save_values(&context.spill, &self.drawn)?;
        Ok(DurableSample { highest: self.highest, entries: self.entries, drawn })
    }

    /// Restores a sample, before any other edges are added.
    pub(in crate::writing) fn resume(&mut self, context: &BuildContext<'_>, kept: &DurableSample) -> Result<()> {
        (self.highest, self.entries) = (kept.highest, kept.entries);
        for [vertex, neighbor] in kept_values::<[u32; 2]>(&context.spill, &kept.drawn, Purpose::IdMap)? {
            if hash(&self.numbers, vertex) <= self.highest {
                self.keep_entry(vertex, neighbor);
            }
        }
        Ok(())
    }

    /// Processes an edge.
    #[inline]
    pub(in crate::writing) fn take(&mut self, source: u32, target: u32) {
        self.take_entry(source, target);
        if self.undirected && source != target {
            self.take_entry(target, source);
        }
    }

    #[inline]
    fn take_entry(&mut self, vertex: u32, neighbor: u32) {
        self.entries += 1;
        if hash(&self.numbers, vertex) <= self.highest {
            self.keep_entry(vertex, neighbor);
        }
    }

    #[cold]
    fn keep_entry(&mut self, vertex: u32, neighbor: u32) {
        self.drawn.push([vertex, neighbor]);
        while self.drawn.len() == self.room {
            let (numbers, highest) = (&self.numbers, self.highest / 2);
            self.highest = highest;
            // A single list may exhaust the room: then it is removed, too.
            self.drawn.retain(|[vertex, _]| highest > 0 && hash(numbers, *vertex) <= highest);
        }
    }

    /// Returns the sampled lists of a graph of `vertices` vertices, with IDs mapped to ranks by `rank`.
    pub(in crate::writing) fn finish(&mut self, vertices: u32, rank: impl Fn(u32) -> u32) -> SampledLists {
        let mut drawn = std::mem::take(&mut self.drawn);
        for [vertex, neighbor] in &mut drawn {
            (*vertex, *neighbor) = (rank(*vertex), rank(*neighbor));
        }
        drawn.sort_unstable();
        SampledLists { vertices, entries: self.entries, drawn }
    }
}

fn hash(numbers: &SplitMix64, vertex: u32) -> u32 {
    (numbers.at(u64::from(vertex)) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::MemoryBudget;

    fn sampler(room: usize, undirected: bool) -> EdgeSampler {
        let held = MemoryBudget::new(0).reserve(0, Purpose::IdMap).unwrap();
        let numbers = SplitMix64::new(1, 0);
        EdgeSampler { numbers, undirected, highest: u32::MAX, entries: 0, drawn: Vec::new(), room, _held: held }
    }

    #[test]
    fn lists_are_whole_and_fit_the_room() {
        let mut sampler = sampler(1000, false);
        (0..100_000).for_each(|edge| sampler.take(edge % 5000, edge / 5000));
        let SampledLists { entries, drawn, .. } = sampler.finish(5000, |id| id);
        assert_eq!(entries, 100_000);
        assert!((200..1000).contains(&drawn.len()), "{}", drawn.len());
        for list in drawn.chunk_by(|one, next| one[0] == next[0]) {
            assert!(list.iter().map(|entry| entry[1]).eq(0..20));
        }
    }

    #[test]
    fn edges_without_direction_are_in_both_lists() {
        let mut sampler = sampler(10, true);
        sampler.take(7, 5);
        sampler.take(6, 6);
        let SampledLists { entries, drawn, .. } = sampler.finish(3, |id| id - 5);
        assert_eq!((entries, drawn.as_slice()), (3, [[0, 2], [1, 1], [2, 0]].as_slice()));
    }

    #[test]
    fn a_list_that_is_longer_than_the_room_goes() {
        let mut sampler = sampler(8, false);
        (0..100).for_each(|target| sampler.take(3, target));
        assert!(sampler.finish(101, |id| id).drawn.len() < 8);
    }
}
