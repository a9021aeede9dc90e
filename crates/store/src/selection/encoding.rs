//! How a list is written in a selection: as it is in the layout.

use crate::codec::{Codec, Malformed};
use crate::layout::LayoutKind;
use crate::layout::chunked::ListFormat;
use crate::layout::compact::{Carried, ListBytes};
use crate::layout::sliding::no_static_cache;
use crate::store::Store;
use outcrop_types::{Direction, Error, Result, VertexId, index_from, length_from};
use std::ops::ControlFlow;

/// How lists are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEncoding {
    /// The ids, four bytes each, then the weights: the `csr` layout.
    Plain {
        /// Whether entries have weights.
        weighted: bool,
        /// Ids are below this number.
        vertices: u32,
    },
    /// As in a chunk.
    Chunk(ListFormat),
    /// As in the `compact` layout.
    Bytes(ListBytes),
}

impl ListEncoding {
    /// That of the lists of `direction`, in the layout that runs read.
    ///
    /// # Errors
    /// The store has no such lists, or none that can be held one by one.
    pub fn of(store: &Store, direction: Direction) -> Result<Self> {
        let manifest = store.manifest();
        let (weighted, vertices) = (manifest.weighted, manifest.vertices);
        let none = || Error::corrupt(store.folder(), format!("it has no {} lists", direction.name()));
        match manifest.layout() {
            LayoutKind::Chunked => manifest.chunked(direction).map(|entry| {
                let codec = entry.settings.codec;
                Self::Chunk(ListFormat { codec, weighted, vertices })
            }),
            LayoutKind::Compact => {
                let bytes = |codec| Self::Bytes(ListBytes { codec, weighted, vertices });
                manifest.compact(direction).map(|entry| bytes(entry.codec))
            }
            LayoutKind::Csr => manifest.csr(direction).map(|_| Self::Plain { weighted, vertices }),
            LayoutKind::Sliding => return Err(no_static_cache()),
        }
        .ok_or_else(none)
    }

    /// The number in the header.
    pub const fn number(self) -> u32 {
        match self {
            Self::Plain { .. } => 0,
            Self::Chunk(ListFormat { codec: Codec::Raw32, .. }) => 1,
            Self::Chunk(ListFormat { codec: Codec::Packed, .. }) => 2,
            Self::Chunk(ListFormat { codec: Codec::Alternating, .. }) => 3,
            Self::Bytes(ListBytes { codec: Codec::Raw32, .. }) => 4,
            Self::Bytes(ListBytes { codec: Codec::Packed, .. }) => 5,
            Self::Bytes(ListBytes { codec: Codec::Alternating, .. }) => 6,
        }
    }

    /// Whether entries have weights.
    pub const fn weighted(self) -> bool {
        match self {
            Self::Plain { weighted, .. }
            | Self::Chunk(ListFormat { weighted, .. })
            | Self::Bytes(ListBytes { weighted, .. }) => weighted,
        }
    }

    /// Bytes that [`ListEncoding::encode`] appends.
    pub fn encoded_len(self, ids: &[VertexId]) -> usize {
        match self {
            Self::Plain { weighted, .. } => ids.len() * if weighted { 8 } else { 4 },
            Self::Chunk(format) => format.encoded_len(ids),
            Self::Bytes(format) => format.encoded_len(ids),
        }
    }

    /// Appends a list; without weights there are none.
    pub fn encode(self, ids: &[VertexId], weights: &[f32], into: &mut Vec<u8>) {
        match self {
            Self::Plain { .. } => {
                into.extend_from_slice(bytemuck::cast_slice(ids));
                into.extend_from_slice(bytemuck::cast_slice(weights));
            }
            Self::Chunk(format) => format.encode(ids, weights, into),
            Self::Bytes(format) => format.encode(ids, weights, into),
        }
    }

    /// Hands over the entries of the list in the first `length` of `bytes`, in blocks, until `take` breaks.
    ///
    /// # Errors
    /// The bytes are no list of vertices that exist.
    #[inline]
    pub fn decode(
        self,
        bytes: &[u8],
        length: usize,
        mut take: impl FnMut(&[VertexId], Option<&[f32]>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        match self {
            Self::Plain { weighted, vertices } => {
                let (ids, weights) = plain(bytes.get(..length).ok_or(Malformed)?, weighted)?;
                let below = ids.last().is_none_or(|last| *last < vertices);
                let finite = weights.is_none_or(|weights| weights.iter().all(|weight| weight.is_finite()));
                match ids.is_empty() {
                    _ if !below || !finite || !ids.is_sorted() => Err(Malformed),
                    true => Ok(ControlFlow::Continue(())),
                    false => Ok(take(ids, weights)),
                }
            }
            Self::Chunk(format) => format.decode(bytes, length, take),
            Self::Bytes(format) => {
                format.decode(bytes, length, true, &mut Carried::default(), take).map(|(_, flow)| flow)
            }
        }
    }

    /// How many entries the list in the first `length` of `bytes` says it has.
    #[inline]
    pub fn count(self, bytes: &[u8], length: usize) -> u64 {
        match self {
            Self::Plain { weighted, .. } => length_from(length) / if weighted { 8 } else { 4 },
            Self::Chunk(format) => format.count(bytes, length).map_or(0, u64::from),
            Self::Bytes(format) => format.count(bytes, length),
        }
    }
}

/// The ids and weights of a plain list.
#[inline]
pub fn plain(bytes: &[u8], weighted: bool) -> Result<(&[VertexId], Option<&[f32]>), Malformed> {
    if !weighted {
        return bytemuck::try_cast_slice(bytes).map(|ids| (ids, None)).map_err(|_| Malformed);
    }
    if !bytes.len().is_multiple_of(index_from(8)) {
        return Err(Malformed);
    }
    let (ids, weights) = bytes.split_at_checked(bytes.len() / 2).ok_or(Malformed)?;
    let ids = bytemuck::try_cast_slice(ids).map_err(|_| Malformed)?;
    Ok((ids, Some(bytemuck::try_cast_slice(weights).map_err(|_| Malformed)?)))
}
