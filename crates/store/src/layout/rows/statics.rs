//! Lists that are held beside the page cache.

use super::adjacency::RowAdjacency;
use super::format::RowFormat;
use crate::access::Packer;
use crate::selection::StaticLists;
use outcrop_types::{Result, VertexId, VertexRange};

impl<F: RowFormat> RowAdjacency<F> {
    /// From now on the lists that are in `statics` come from there.
    ///
    /// # Errors
    /// The index cannot be read; interruption.
    pub fn hold(&mut self, statics: StaticLists) -> Result<()> {
        self.paged_units = self.units_beside(&statics)?;
        self.statistics.count_loading(statics.reads());
        self.statics = Some(statics);
        Ok(())
    }

    /// The lists that are held beside the page cache.
    pub const fn static_lists(&self) -> Option<&StaticLists> {
        self.statics.as_ref()
    }

    /// Counts the units with a position that is in no list of `statics`.
    fn units_beside(&self, statics: &StaticLists) -> Result<u64> {
        let (mut units, mut counted) = (0, 0);
        self.for_each_window_of(VertexRange::new(0, self.index.vertices()), &mut |index, vertices| {
            for vertex in vertices.iter().filter(|vertex| !statics.contains(*vertex)) {
                let list = self.format.units(&index.list(vertex));
                units += list.end.saturating_sub(list.start.max(counted));
                counted = counted.max(list.end);
            }
            Ok(())
        })?;
        Ok(units)
    }

    /// Packs the list of `vertex` where it is held; whether it is.
    #[inline]
    pub(super) fn pack_static(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<bool> {
        match &self.statics {
            Some(statics) => self.format.pack_static(statics, vertex, packer),
            None => Ok(false),
        }
    }
}
