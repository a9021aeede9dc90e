//! Lists of an interval, assembled from its blocks with a counting sort.

use crate::access::{ArcBlock, Packer, StoredNeighbors, StoredWeights};
use outcrop_types::{Result, VertexId, VertexRange, WeightType, index_from, length_from};

/// Position of a list that is not requested.
const NOWHERE: usize = usize::MAX;

/// Endpoint that groups arcs into lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Source: out-lists, from a row of blocks, one per shard.
    Source,
    /// Target: in-lists, from a shard.
    Target,
}

impl End {
    /// Returns the blocks with the lists of `interval`, for `intervals` intervals.
    pub(super) fn blocks(self, interval: u32, intervals: u32) -> impl Iterator<Item = crate::access::BlockId> + Clone {
        (0..intervals).map(move |other| match self {
            Self::Source => crate::access::BlockId { from: interval, to: other },
            Self::Target => crate::access::BlockId { from: other, to: interval },
        })
    }
}

/// Requested lists of an interval.
#[derive(Debug, Default)]
pub(super) struct MadeLists {
    range: VertexRange,
    /// Position of the next entry of each list.
    places: Vec<usize>,
    entries: usize,
    ids: Vec<VertexId>,
    /// Weight type of weighted graphs, and the encoded weights: decoded, they would take most of the memory of lists.
    kind: Option<WeightType>,
    weights: Vec<u8>,
}

impl MadeLists {
    /// Returns the memory of the lists of `vertices` vertices with `entries` entries, in bytes.
    pub(super) const fn bytes(vertices: u32, entries: u64, weights: Option<WeightType>) -> u64 {
        vertices as u64 * length_from(size_of::<usize>()) + entries * (4 + WeightType::bytes_of(weights))
    }

    /// Starts the requested lists of the vertices in `range`, with lengths `degrees`; returns their total number of
    /// entries.
    pub(super) fn begin(
        &mut self,
        range: VertexRange,
        degrees: &[u32],
        mut wants: impl FnMut(VertexId) -> bool,
    ) -> usize {
        self.range = range;
        self.places.clear();
        self.places.reserve_exact(range.len());
        self.entries = 0;
        for (vertex, degree) in range.iter().zip(degrees) {
            let wanted = wants(vertex);
            self.places.push(if wanted { self.entries } else { NOWHERE });
            self.entries += if wanted { index_from(u64::from(*degree)) } else { 0 };
        }
        self.entries
    }

    /// Allocates memory for the entries, with weights of the given type.
    pub(super) fn make_room(&mut self, weights: Option<WeightType>) {
        // New vectors, since growing the old ones would copy their contents.
        (self.ids, self.weights) = (Vec::new(), Vec::new());
        self.kind = weights;
        self.ids.resize(self.entries, 0);
        self.weights.resize(self.entries * index_from(WeightType::bytes_of(weights)), 0);
    }

    /// Appends the arcs of a block; blocks are added in order.
    pub(super) fn add(&mut self, block: &ArcBlock, end: End) {
        let (own, others) = match end {
            End::Source => (&block.sources, &block.targets),
            End::Target => (&block.targets, &block.sources),
        };
        let Some(kind) = self.kind else {
            own.iter().zip(others).for_each(|(own, other)| _ = self.put(*own, *other));
            return;
        };
        let width = index_from(kind.bytes());
        for ((own, other), weight) in own.iter().zip(others).zip(&block.weights) {
            let Some(place) = self.put(*own, *other) else { continue };
            if let Some(slot) = self.weights.get_mut(place * width..(place + 1) * width) {
                slot.iter_mut().zip(kind.narrowed(*weight)).for_each(|(slot, byte)| *slot = byte);
            }
        }
    }

    /// Appends an entry to the list of `own`; returns its position.
    #[inline]
    fn put(&mut self, own: VertexId, other: VertexId) -> Option<usize> {
        let position = index_from(u64::from(own.wrapping_sub(self.range.start)));
        let next = self.places.get_mut(position)?;
        let place = *next;
        *self.ids.get_mut(place)? = other;
        *next += 1;
        Some(place)
    }

    /// Returns the first vertex whose list length differs from `degrees`, if any.
    pub(super) fn first_of_other_length(&self, degrees: &[u32]) -> Option<VertexId> {
        let mut expected = 0;
        let mut lists = self.range.iter().zip(degrees).zip(&self.places);
        lists.find_map(|((vertex, degree), place)| {
            if *place == NOWHERE {
                return None;
            }
            expected += index_from(u64::from(*degree));
            (*place != expected).then_some(vertex)
        })
    }

    /// Packs all requested lists, with lengths `degrees`.
    ///
    /// # Errors
    /// Returns errors of the visitor.
    pub(super) fn pack(&self, degrees: &[u32], packer: &mut Packer<'_>) -> Result<()> {
        let all = StoredNeighbors::new(&self.ids, self.kind.map(|kind| StoredWeights::new(kind, &self.weights)));
        let lists = self.range.iter().zip(degrees).zip(&self.places);
        for ((vertex, degree), end) in lists.filter(|(_, end)| **end != NOWHERE) {
            let begin = end.saturating_sub(index_from(u64::from(*degree)));
            packer.list(vertex, all.part(begin..*end))?;
        }
        Ok(())
    }
}
