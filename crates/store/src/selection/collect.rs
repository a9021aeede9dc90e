//! Visitors that measure lists, and that gather them as they will be written.

use super::encoding::ListEncoding;
use crate::access::{FoldLists, Neighbors};
use outcrop_types::{VertexId, WeightType, index_from, length_from, number_from};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Maximum length of pinned lists: longer ones are read sequentially anyway, and share no pages with others.
pub(super) const MOST_ENTRIES: usize = 1 << 18;

/// Collected entries of a list; emptied if there are more than [`MOST_ENTRIES`].
#[derive(Default)]
pub(super) struct Entries {
    pub ids: Vec<VertexId>,
    pub weights: Vec<f64>,
    pub too_many: bool,
}

impl Entries {
    /// Returns the maximum memory of `workers` concurrent lists, in bytes: vectors are at least half full.
    pub(super) const fn bytes(workers: usize, arcs: u64, weights: Option<WeightType>) -> u64 {
        let entries = if arcs < length_from(MOST_ENTRIES) { arcs } else { length_from(MOST_ENTRIES) };
        let held = 4 + if weights.is_some() { 8 } else { 0 };
        // Plus the bytes in which the list is written.
        length_from(workers) * entries * (2 * held + 4 + WeightType::bytes_of(weights))
    }

    pub(super) fn push(&mut self, piece: Neighbors<'_>) -> ControlFlow<()> {
        if self.ids.len() + piece.len() > MOST_ENTRIES {
            *self = Self { too_many: true, ..Self::default() };
            return ControlFlow::Break(());
        }
        self.ids.extend_from_slice(piece.ids());
        // Default: lists without weights have none.
        self.weights.extend_from_slice(piece.weights().unwrap_or_default());
        ControlFlow::Continue(())
    }
}

/// Passes on each list once it is complete.
pub(super) struct EachList<F>(pub F);

impl<F: Fn(VertexId, Entries) + Sync> FoldLists for EachList<F> {
    type Fold = Entries;

    fn begin(&self, _: VertexId) -> Entries {
        Entries::default()
    }

    fn neighbors(&self, _: VertexId, entries: &mut Entries, piece: Neighbors<'_>) -> ControlFlow<()> {
        entries.push(piece)
    }

    fn end(&self, vertex: VertexId, entries: Entries) {
        (self.0)(vertex, entries);
    }
}

/// Records the number of bytes of each list; 0 for a list that is too long.
pub(super) struct Measure<'m> {
    pub encoding: ListEncoding,
    pub lengths: &'m [AtomicU32],
}

impl Measure<'_> {
    pub(super) fn note(&self, vertex: VertexId, entries: &Entries) {
        let length = if entries.too_many { 0 } else { self.encoding.encoded_len(&entries.ids) };
        if let Some(slot) = self.lengths.get(index_from(u64::from(vertex))) {
            slot.store(number_from(length), Relaxed);
        }
    }
}

/// Gathers lists at their positions in a buffer.
pub(super) struct Gather<'g> {
    pub encoding: ListEncoding,
    /// Start of the list of each vertex, in words of 4 bytes.
    pub starts: &'g [AtomicU32],
    pub into: Mutex<&'g mut [u8]>,
    /// Bytes of all gathered lists.
    pub gathered: AtomicU64,
}

impl Gather<'_> {
    pub(super) fn put(&self, vertex: VertexId, entries: &Entries) {
        let mut list = Vec::with_capacity(self.encoding.encoded_len(&entries.ids));
        self.encoding.encode(&entries.ids, &entries.weights, &mut list);
        let start = self.starts.get(index_from(u64::from(vertex))).map_or(u32::MAX, |start| start.load(Relaxed));
        let start = index_from(u64::from(start) * 4);
        let mut into = self.into.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = into.get_mut(start..start + list.len()) {
            slot.copy_from_slice(&list);
            self.gathered.fetch_add(length_from(list.len()), Relaxed);
        }
    }
}
