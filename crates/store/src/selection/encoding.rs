//! Encoding of a list in a selection, which is that of the layout.

use crate::access::{StoredNeighbors, StoredWeights};
use crate::codec::{Codec, Malformed};
use crate::layout::LayoutKind;
use crate::layout::chunked::ListFormat;
use crate::layout::compact::{Carried, ListBytes};
use crate::layout::sliding::no_static_cache;
use crate::store::Store;
use outcrop_types::{Direction, Error, Result, VertexId, WeightType, index_from, length_from};
use std::ops::ControlFlow;

/// Encoding of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListEncoding {
    /// IDs of four bytes each, then the weights: the layout `csr`.
    Plain {
        /// Type of the weights, if there are any.
        weights: Option<WeightType>,
        /// Exclusive upper bound of the IDs.
        vertices: u32,
    },
    /// Encoding of lists in chunks.
    Chunk(ListFormat),
    /// Encoding of the `compact` layout.
    Bytes(ListBytes),
}

impl ListEncoding {
    /// Returns the encoding of the lists of `direction` in the layout that runs read.
    ///
    /// # Errors
    /// The store has no such lists, or none that can be pinned individually.
    pub(super) fn of(store: &Store, direction: Direction) -> Result<Self> {
        let manifest = store.manifest();
        let (weights, vertices) = (manifest.weights(), manifest.graph.vertices);
        let none = || Error::corrupt(store.folder(), format!("it has no {}-lists", direction.name()));
        match manifest.layout() {
            LayoutKind::Chunked => manifest.chunked(direction).map(|entry| {
                let codec = entry.settings.codec;
                Self::Chunk(ListFormat { codec, weights, vertices })
            }),
            LayoutKind::Compact => {
                let bytes = |codec| Self::Bytes(ListBytes { codec, weights, vertices });
                manifest.compact(direction).map(|entry| bytes(entry.codec))
            }
            LayoutKind::Csr => manifest.csr(direction).map(|_| Self::Plain { weights, vertices }),
            LayoutKind::Sliding => return Err(no_static_cache()),
        }
        .ok_or_else(none)
    }

    /// Returns the number in the header.
    pub(super) const fn number(self) -> u32 {
        match self {
            Self::Plain { .. } => 0,
            Self::Chunk(ListFormat { codec: Codec::Raw32, .. }) => 1,
            Self::Chunk(ListFormat { codec: Codec::Packed, .. }) => 2,
            Self::Chunk(ListFormat { codec: Codec::Alternating, .. }) => 3,
            Self::Bytes(ListBytes { codec: Codec::Raw32, .. }) => 4,
            Self::Bytes(ListBytes { codec: Codec::Packed, .. }) => 5,
            Self::Bytes(ListBytes { codec: Codec::Alternating, .. }) => 6,
            Self::Chunk(ListFormat { codec: Codec::Runs, .. }) => 7,
            Self::Bytes(ListBytes { codec: Codec::Runs, .. }) => 8,
        }
    }

    /// Returns the type of the weights, if there are any.
    pub(super) const fn weights(self) -> Option<WeightType> {
        match self {
            Self::Plain { weights, .. }
            | Self::Chunk(ListFormat { weights, .. })
            | Self::Bytes(ListBytes { weights, .. }) => weights,
        }
    }

    /// Returns the number of bytes that [`ListEncoding::encode`] appends.
    pub(super) fn encoded_len(self, ids: &[VertexId]) -> usize {
        match self {
            Self::Plain { weights, .. } => ids.len() * index_from(4 + WeightType::bytes_of(weights)),
            Self::Chunk(format) => format.encoded_len(ids),
            Self::Bytes(format) => format.encoded_len(ids),
        }
    }

    /// Appends a list; `weights` is empty if there are none.
    pub(super) fn encode(self, ids: &[VertexId], weights: &[f64], into: &mut Vec<u8>) {
        match self {
            Self::Plain { weights: kind, .. } => {
                into.extend_from_slice(bytemuck::cast_slice(ids));
                kind.into_iter().for_each(|kind| kind.narrow(weights, into));
            }
            Self::Chunk(format) => format.encode(ids, weights, into),
            Self::Bytes(format) => format.encode(ids, weights, into),
        }
    }

    /// Passes the entries of the list in the first `length` of `bytes` to `take`, in blocks, until `take` breaks.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a list of existing vertices.
    #[inline]
    pub(super) fn decode(
        self,
        bytes: &[u8],
        length: usize,
        mut take: impl FnMut(StoredNeighbors<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        match self {
            Self::Plain { weights, vertices } => {
                let list = plain(bytes.get(..length).ok_or(Malformed)?, weights)?;
                let below = list.ids().last().is_none_or(|last| *last < vertices);
                let finite = list.weights().is_none_or(StoredWeights::are_finite);
                match list.is_empty() {
                    _ if !below || !finite || !list.ids().is_sorted() => Err(Malformed),
                    true => Ok(ControlFlow::Continue(())),
                    false => Ok(take(list)),
                }
            }
            Self::Chunk(format) => format.decode(bytes, length, take),
            Self::Bytes(format) => {
                format.decode(bytes, length, true, &mut Carried::default(), take).map(|(_, flow)| flow)
            }
        }
    }

    /// Returns the declared number of entries of the list in the first `length` of `bytes`.
    #[inline]
    pub(super) fn count(self, bytes: &[u8], length: usize) -> u64 {
        match self {
            Self::Plain { weights, .. } => length_from(length) / (4 + WeightType::bytes_of(weights)),
            Self::Chunk(format) => format.count(bytes, length).map_or(0, u64::from),
            Self::Bytes(format) => format.count(bytes, length),
        }
    }
}

/// Returns the IDs and weights of a plain list.
#[inline]
pub(super) fn plain(bytes: &[u8], weights: Option<WeightType>) -> Result<StoredNeighbors<'_>, Malformed> {
    let each = index_from(4 + WeightType::bytes_of(weights));
    if !bytes.len().is_multiple_of(each) {
        return Err(Malformed);
    }
    let (ids, rest) = bytes.split_at_checked(bytes.len() / each * 4).ok_or(Malformed)?;
    let ids = bytemuck::try_cast_slice(ids).map_err(|_| Malformed)?;
    Ok(StoredNeighbors::new(ids, weights.map(|kind| StoredWeights::new(kind, rest))))
}
