//! Lists in the static cache.

use super::lists::ChunkedLists;
use super::requested_lists::RequestedLists;
use super::task::ChunkedVisit;
use crate::layout::chunked::index::Place;
use crate::read::{SERIAL_ENTRIES, SERIAL_MEMBERS};
use outcrop_types::{BitSet, Result, VertexId, VertexRange, index_from};

impl ChunkedLists {
    /// Counts the chunks per level with a list outside the static cache. The marks are the same as those of a select.
    pub(super) fn count_paged_chunks(&self) -> Result<Vec<u64>> {
        let marks = BitSet::empty(self.table.len());
        let queue = self.queue(VertexRange::new(0, self.format.vertices));
        self.file.workers.run(false, &|_| {
            while let Some(morsel) = queue.take()? {
                for vertex in morsel.iter().filter(|vertex| !self.holds(*vertex)) {
                    if let Place::Chunk(chunk) = self.index.place(vertex) {
                        _ = marks.insert(chunk);
                    }
                }
            }
            Ok(())
        })?;
        // Lists that span several chunks are never pinned, but only their first chunk belongs to a vertex.
        self.table.chains().iter().flatten().for_each(|chunk| _ = marks.insert(*chunk));
        let mut counts = vec![0; self.entry.levels.len()];
        for chunk in marks.iter() {
            if let Some(count) = counts.get_mut(usize::from(self.table.kind(chunk).level)) {
                *count += 1;
            }
        }
        Ok(counts)
    }

    /// Returns true if the list of `vertex` is in the static cache.
    #[inline]
    fn holds(&self, vertex: VertexId) -> bool {
        self.file.statics.as_ref().is_some_and(|statics| statics.contains(vertex))
    }

    /// Counts lists read from chunks, if there is a static cache.
    pub(super) fn count_paged_lists(&self, lists: u64) {
        if self.file.statics.is_some() {
            self.file.statistics.count_static(0, lists);
        }
    }

    /// Returns the number of members below which a sparse set is not worth waking the workers for.
    pub(super) fn little_members(&self) -> usize {
        let lists = self.file.statics.as_ref().map(|statics| SERIAL_ENTRIES / statics.mean_entries().max(1));
        lists.map_or(SERIAL_MEMBERS, |lists| index_from(lists).min(SERIAL_MEMBERS))
    }
}

impl ChunkedVisit<'_> {
    /// Returns true if the list of `vertex` must be read from chunk `number`.
    #[inline]
    pub(super) fn wants(&self, number: u32, vertex: VertexId) -> bool {
        let everything = matches!(self.wanted, RequestedLists::Range { marks: None, .. });
        (everything || !self.chunked.holds(vertex)) && self.wanted.list(number, vertex)
    }
}
