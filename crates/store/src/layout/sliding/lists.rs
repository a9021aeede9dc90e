//! The lists of an interval, made of its blocks by a counting sort.

use crate::access::{ArcBlock, Neighbours, Packer};
use outcrop_types::{Result, VertexId, VertexRange, index_from, length_from};

/// The place of a list that nobody wants.
const NOWHERE: usize = usize::MAX;

/// By which end of its arcs a list is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Out-lists: a row of blocks, one from each shard.
    Source,
    /// In-lists: a shard.
    Target,
}

impl End {
    /// The blocks with the lists of `interval`, among `intervals`.
    pub fn blocks(self, interval: u32, intervals: u32) -> impl Iterator<Item = crate::access::BlockId> + Clone {
        (0..intervals).map(move |other| match self {
            Self::Source => crate::access::BlockId { from: interval, to: other },
            Self::Target => crate::access::BlockId { from: other, to: interval },
        })
    }
}

/// The lists of an interval that are wanted.
#[derive(Debug, Default)]
pub struct MadeLists {
    range: VertexRange,
    /// Where the next entry of each list goes.
    places: Vec<usize>,
    entries: usize,
    ids: Vec<VertexId>,
    weights: Vec<f64>,
}

impl MadeLists {
    /// Memory in bytes of the lists of so many vertices, with so many entries.
    pub const fn bytes(vertices: u32, entries: u64, weighted: bool) -> u64 {
        vertices as u64 * length_from(size_of::<usize>()) + entries * if weighted { 12 } else { 4 }
    }

    /// Begins the lists of the vertices of `range` that are wanted, which have these lengths; how many entries they have in all.
    pub fn begin(&mut self, range: VertexRange, degrees: &[u32], mut wants: impl FnMut(VertexId) -> bool) -> usize {
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

    /// Makes room for the entries.
    pub fn make_room(&mut self, weighted: bool) {
        // Not what was there before, of which more than is needed would be copied.
        (self.ids, self.weights) = (Vec::new(), Vec::new());
        self.ids.resize(self.entries, 0);
        self.weights.resize(if weighted { self.entries } else { 0 }, 0.0);
    }

    /// Appends the arcs of a block, which follow those that came before.
    pub fn add(&mut self, block: &ArcBlock, end: End) {
        let (own, others) = match end {
            End::Source => (&block.sources, &block.targets),
            End::Target => (&block.targets, &block.sources),
        };
        if self.weights.is_empty() {
            own.iter().zip(others).for_each(|(own, other)| _ = self.put(*own, *other));
            return;
        }
        for ((own, other), weight) in own.iter().zip(others).zip(&block.weights) {
            let place = self.put(*own, *other);
            if let Some(slot) = place.and_then(|place| self.weights.get_mut(place)) {
                *slot = *weight;
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
    pub fn first_of_other_length(&self, degrees: &[u32]) -> Option<VertexId> {
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
    pub fn pack(&self, degrees: &[u32], packer: &mut Packer<'_>) -> Result<()> {
        let all = Neighbours::new(&self.ids, (!self.weights.is_empty()).then_some(self.weights.as_slice()));
        let lists = self.range.iter().zip(degrees).zip(&self.places);
        for ((vertex, degree), end) in lists.filter(|(_, end)| **end != NOWHERE) {
            let begin = end.saturating_sub(index_from(u64::from(*degree)));
            packer.list(vertex, all.part(begin..*end).into())?;
        }
        Ok(())
    }
}
