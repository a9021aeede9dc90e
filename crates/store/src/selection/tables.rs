//! Tables for writing a selection: data of each vertex and each selected list.

use super::collect::{EachList, MOST_ENTRIES, Measure};
use super::context::WriteContext;
use super::format::{ENTRY_BYTES, LEAST_GRANULE, Sums, granule_shift_for, most_taken, padded};
use crate::access::Pages;
use crate::layout::StoredLists;
use outcrop_types::{
    BitSet, Phase, ProgressUnit, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues, WeightType,
    index_from, number_from,
};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Tables of each vertex and each selected list.
pub(super) struct Tables {
    /// Length of each candidate list, or 0; later, its position among the lists gathered at once.
    pub slots: VertexValues<AtomicU32>,
    /// Selected vertices with the bytes of their lists, highest priority first.
    pub taken: Vec<(VertexId, u32)>,
    _held: [Reservation; 2],
}

impl Tables {
    pub(super) fn reserve(context: &WriteContext<'_>, ranked: usize, most_bytes: u64) -> Result<Self> {
        let held = [
            context.work.budget.reserve(context.table_bytes(ranked, most_bytes), Purpose::StaticCache)?,
            context.work.budget.reserve(context.buffer_bytes(), Purpose::IoBuffers)?,
        ];
        let vertices = index_from(u64::from(context.vertices()));
        let slots = VertexValues::new(context.work.budget, Purpose::StaticCache, vertices, |_| AtomicU32::new(0))?;
        Ok(Self { slots, taken: Vec::with_capacity(most_taken(ranked, most_bytes)), _held: held })
    }

    /// Reads the lists of `ranked` and records their lengths.
    pub(super) fn measure(&self, context: &WriteContext<'_>, lists: &dyn Pages, ranked: &[VertexId]) -> Result<()> {
        context.work.observer.phase(&Phase { name: "measuring lists", unit: ProgressUnit::Bytes, total: None });
        let set = BitSet::empty(context.vertices());
        let paged = ranked.iter().filter(|vertex| **vertex < context.vertices() && lists.page_of(**vertex).is_some());
        paged.for_each(|vertex| _ = set.insert(*vertex));
        let measure = Measure { encoding: context.encoding, lengths: &self.slots };
        lists.select(&VertexSet::from_bits(set), &EachList(|vertex, entries| measure.note(vertex, &entries)))
    }

    /// Computes the lengths of the lists of `ranked` from their degrees.
    pub(super) fn compute(&self, context: &WriteContext<'_>, lists: &StoredLists, ranked: &[VertexId]) {
        let entry_bytes = 4 + WeightType::bytes_of(context.encoding.weights());
        for vertex in ranked.iter().filter(|vertex| **vertex < context.vertices()) {
            let Some(degree) = lists.degree(*vertex) else { continue };
            let short = index_from(u64::from(degree)) <= MOST_ENTRIES;
            let length = if short && lists.page_of(*vertex).is_some() { u64::from(degree) * entry_bytes } else { 0 };
            if let Some(slot) = self.slots.get(index_from(u64::from(*vertex))) {
                slot.store(number_from(length), Relaxed);
            }
        }
    }

    /// Selects the first lists of `ranked` that fit `most_bytes`, without duplicates.
    pub(super) fn take(&mut self, ranked: &[VertexId], most_bytes: u64) -> Sums {
        let granule_shift = granule_shift_for(most_bytes);
        let granule = LEAST_GRANULE << granule_shift;
        let (mut list_bytes, mut bytes) = (0, 0_u64);
        for vertex in ranked {
            let slot = self.slots.get(index_from(u64::from(*vertex)));
            let length = slot.map_or(0, |slot| slot.swap(0, Relaxed));
            if length == 0 {
                continue;
            }
            let taken = padded(length, granule);
            bytes += taken + ENTRY_BYTES;
            if bytes > most_bytes {
                break;
            }
            list_bytes += taken;
            self.taken.push((*vertex, length));
        }
        let lists = number_from(self.taken.len());
        Sums { granule_shift, lists, arcs: 0, list_bytes }
    }
}
