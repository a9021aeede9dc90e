//! Lists that are held beside the page cache.

use super::adjacency::CsrAdjacency;
use crate::access::{Neighbours, Visit};
use crate::selection::StaticLists;
use outcrop_types::{Result, VertexId, index_from, length_from};

impl CsrAdjacency {
    /// From now on the lists that are in `statics` come from there.
    ///
    /// # Errors
    /// They are not lists of this layout; interruption.
    pub fn use_static(&mut self, statics: StaticLists) -> Result<()> {
        statics.verify_plain(&self.workers, |vertex| self.index.degree(vertex))?;
        self.paged_units = self.units_beside(&statics);
        let reads = statics.reads();
        self.statistics.count_loading(reads.bytes, reads.requests);
        self.statics = Some(statics);
        Ok(())
    }

    /// The lists that are held beside the page cache.
    pub const fn static_lists(&self) -> Option<&StaticLists> {
        self.statics.as_ref()
    }

    /// How many entries the list of `vertex` has.
    #[inline]
    pub(crate) fn degree(&self, vertex: VertexId) -> u32 {
        self.index.degree(vertex)
    }

    /// How many units have an entry that is in no list of `statics`.
    fn units_beside(&self, statics: &StaticLists) -> u64 {
        let (mut units, mut counted) = (0, 0);
        for vertex in (0..self.index.vertices()).filter(|vertex| !statics.contains(*vertex)) {
            let list = self.geometry.units(&self.index.list(vertex));
            units += list.end.saturating_sub(list.start.max(counted));
            counted = counted.max(list.end);
        }
        units
    }

    /// Folds the list of `vertex` where it is held; whether it is. It comes in the same pieces as from units, so that sums are the same.
    #[inline]
    pub(super) fn fold_static<V: Visit>(&self, vertex: VertexId, visit: &V) -> bool {
        let Some(held) = self.statics.as_ref().and_then(|statics| statics.plain(vertex)) else { return false };
        let mut fold = visit.begin(vertex);
        let list = self.index.list(vertex);
        let mut slot = list.start;
        while slot < list.end {
            let (_, first) = self.geometry.place(slot);
            let count = (self.geometry.entries() - length_from(first)).min(list.end - slot);
            let piece = part(held, index_from(slot - list.start), index_from(count));
            if visit.neighbours(vertex, &mut fold, piece).is_break() {
                break;
            }
            slot += count;
        }
        visit.end(vertex, fold);
        true
    }
}

/// `count` neighbours from position `first` on.
fn part(list: Neighbours<'_>, first: usize, count: usize) -> Neighbours<'_> {
    let ids = list.ids().get(first..first + count).unwrap_or_default();
    Neighbours::new(ids, list.weights().and_then(|weights| weights.get(first..first + count)))
}
