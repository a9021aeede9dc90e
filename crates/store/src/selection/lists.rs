//! Pinned lists: the first lists of a selection, in memory, so that visits of their vertices read no page.

use super::encoding::{ListEncoding, plain};
use super::file::with_remedy;
use super::format::ENTRY_BYTES;
use crate::access::{Packer, Reads, Workers};
use outcrop_io::StaticCache;
use outcrop_types::{Error, Result, VertexId, VertexRange, length_from};
use std::path::PathBuf;

/// Number of vertices whose lists are verified together.
const BLOCK: u32 = 1 << 14;

/// Lists of preselected vertices of one direction, pinned in memory.
#[derive(Debug)]
pub struct StaticLists {
    pub(super) cache: StaticCache,
    pub(super) encoding: ListEncoding,
    pub(super) path: PathBuf,
    pub(super) mean_entries: u64,
    pub(super) reads: Reads,
}

impl StaticLists {
    /// Returns the memory of all lists of a selection of `lists` lists with `bytes` ([`super::SelectionInfo`]), in a
    /// graph of `vertices` vertices.
    pub fn bytes_for(vertices: u32, lists: u32, bytes: u64) -> u64 {
        let lists = u64::from(lists);
        StaticCache::bytes_for(vertices, lists, bytes.saturating_sub(ENTRY_BYTES * lists))
    }

    /// Packs the list of `vertex` if it is pinned; returns true if it is. Plain lists are packed without a check, since
    /// [`StaticLists::verify_plain`] has verified them.
    #[inline]
    pub(crate) fn pack(&self, vertex: VertexId, packer: &mut Packer<'_>) -> Result<bool> {
        let Some((bytes, length)) = self.cache.get(vertex) else { return Ok(false) };
        if let ListEncoding::Plain { weights, .. } = self.encoding {
            let list = bytes.get(..length).and_then(|bytes| plain(bytes, weights).ok());
            packer.list(vertex, list.ok_or_else(|| self.damaged(vertex))?)?;
            return Ok(true);
        }
        packer.begin(vertex);
        let packed = self.encoding.decode(bytes, length, |piece| packer.piece(piece));
        _ = packed.map_err(|_| self.damaged(vertex))?;
        packer.end()?;
        Ok(true)
    }

    /// Returns true if the list of `vertex` is pinned.
    #[inline]
    pub(crate) fn contains(&self, vertex: VertexId) -> bool {
        self.cache.contains(vertex)
    }

    /// Returns the entries and bytes of the list of `vertex`, if it is pinned.
    #[inline]
    pub(crate) fn size_of(&self, vertex: VertexId) -> Option<(u64, u64)> {
        let (bytes, length) = self.cache.get(vertex)?;
        Some((self.encoding.count(bytes, length), length_from(length)))
    }

    /// Calls `with` with each vertex of `range` whose list is pinned, in ascending order.
    pub(crate) fn for_each_in(&self, range: VertexRange, with: impl FnMut(VertexId)) {
        self.cache.for_each_member(range.start, range.end, with);
    }

    /// Returns the number of lists.
    pub const fn lists(&self) -> u64 {
        self.cache.members()
    }

    /// Returns the memory in use, in bytes.
    pub const fn bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// Returns the approximate mean number of entries per list.
    pub(crate) const fn mean_entries(&self) -> u64 {
        self.mean_entries
    }

    /// Returns the reads made while loading.
    pub(crate) const fn reads(&self) -> Reads {
        self.reads
    }

    /// Checks that plain lists of IDs and weights are valid and have the length given by `degree`, so that they can be
    /// passed without decoding.
    ///
    /// # Errors
    ///
    /// Returns an error if they are invalid.
    pub(crate) fn verify_plain(&self, workers: &Workers, degree: impl Fn(VertexId) -> u32 + Sync) -> Result<()> {
        let ListEncoding::Plain { vertices, .. } = self.encoding else { return Ok(()) };
        let wrong = workers.map_blocks(vertices, BLOCK, |range| {
            let mut wrong = None;
            self.for_each_in(range, |vertex| {
                if !self.is_plain(vertex, degree(vertex)) {
                    wrong = Some(vertex);
                }
            });
            wrong
        });
        workers.cancellation().check()?;
        wrong.into_iter().flatten().next().map_or(Ok(()), |vertex| Err(self.damaged(vertex)))
    }

    fn is_plain(&self, vertex: VertexId, degree: u32) -> bool {
        let Some((bytes, length)) = self.cache.get(vertex) else { return false };
        let right = self.encoding.decode(bytes, length, |_| std::ops::ControlFlow::Continue(())).is_ok();
        right && self.encoding.count(bytes, length) == u64::from(degree)
    }

    #[cold]
    fn damaged(&self, vertex: VertexId) -> Error {
        let message = format!("checksum is valid but the list of vertex {vertex} is malformed");
        with_remedy(Error::corrupt(&self.path, message))
    }
}
