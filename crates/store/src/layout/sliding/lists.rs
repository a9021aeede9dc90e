//! The lists of an interval, made of its blocks by a counting sort.

use crate::access::{ArcBlock, Packer, StoredNeighbors, StoredWeights};
use outcrop_types::{Result, VertexId, VertexRange, WeightType, index_from, length_from};

/// The place of a list that nobody wants.
const NOWHERE: usize = usize::MAX;

/// Endpoint of its arcs by which a list is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Source: out-lists, from a row of blocks, one per shard.
    Source,
    /// Target: in-lists, from a shard.
    Target,
}

impl End {
    /// The blocks with the lists of `interval`, among `intervals`.
    pub(super) fn blocks(self, interval: u32, intervals: u32) -> impl Iterator<Item = crate::access::BlockId> + Clone {
        (0..intervals).map(move |other| match self {
            Self::Source => crate::access::BlockId { from: interval, to: other },
            Self::Target => crate::access::BlockId { from: other, to: interval },
        })
    }
}

/// The lists of an interval that are wanted.
#[derive(Debug, Default)]
pub(super) struct MadeLists {
    range: VertexRange,
    /// Place of the next entry of each list.
    places: Vec<usize>,
    entries: usize,
    ids: Vec<VertexId>,
    /// The type of weights, if there are any, and their bytes: widened they would take most of the memory of lists.
    kind: Option<WeightType>,
    weights: Vec<u8>,
}

impl MadeLists {
    /// Memory in bytes of the lists of so many vertices, with so many entries.
    pub(super) const fn bytes(vertices: u32, entries: u64, weights: Option<WeightType>) -> u64 {
        vertices as u64 * length_from(size_of::<usize>()) + entries * (4 + WeightType::bytes_of(weights))
    }

    /// Begins the lists of the vertices of `range` that are wanted, which have these lengths; how many entries they
    /// have in all.
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

    /// Makes room for the entries, with weights of this type.
    pub(super) fn make_room(&mut self, weights: Option<WeightType>) {
        // Not what was there before, of which more than is needed would be copied.
        (self.ids, self.weights) = (Vec::new(), Vec::new());
        self.kind = weights;
        self.ids.resize(self.entries, 0);
        self.weights.resize(self.entries * index_from(WeightType::bytes_of(weights)), 0);
    }

    /// Appends the arcs of a block, which follow those that came before.
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

    /// Appends an entry to the list of `own`; returns where it went.
    #[inline]
    fn put(&mut self, own: VertexId, other: VertexId) -> Option<usize> {
        let position = index_from(u64::from(own.wrapping_sub(self.range.start)));
        let next = self.places.get_mut(position)?;
        let place = *next;
        *self.ids.get_mut(place)? = other;
        *next += 1;
        Some(place)
    }

    /// A vertex whose list has not the length that `degrees` say, if there is one.
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

    /// Packs all lists that are wanted and have these lengths.
    ///
    /// # Errors
    /// Those of the visitor.
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
