//! Neighbour lists as bytes and back (`docs/format/codec.md`).
//!
//! Every decoder is safe on any bytes: what it hands over ascends and lies below the limit, or it says [`Malformed`].

mod alternating;
mod ascending;
mod common_bits;
pub(crate) mod leb128;
mod packed;
mod raw32;
mod stream_vbyte;

#[cfg(test)]
mod speed;
#[cfg(test)]
mod tests;

pub use ascending::Malformed;
pub use common_bits::common_bits;

use outcrop_types::VertexId;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Encoding of neighbour ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// Four bytes each, read in place.
    Raw32,
    /// Differences, in as few bits as the largest of 128 needs; the last of them in one to four bytes each.
    Packed,
    /// Differences, seven bits a byte; the highest bit tells one number's bytes from the next one's.
    Alternating,
}

impl Codec {
    /// The name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw32 => "raw32",
            Self::Packed => "packed",
            Self::Alternating => "alternating",
        }
    }

    /// Appends the encoding of `ids`, which ascend (repeats are allowed); an empty list is no bytes.
    pub fn encode(self, ids: &[VertexId], into: &mut Vec<u8>) {
        match self {
            Self::Raw32 => raw32::encode(ids, into),
            Self::Packed => packed::encode(ids, into),
            Self::Alternating => alternating::encode(ids, into),
        }
    }

    /// Length in bytes of the encoding, without writing it.
    pub fn encoded_len(self, ids: &[VertexId]) -> usize {
        match self {
            Self::Raw32 => size_of_val(ids),
            Self::Packed => packed::encoded_len(ids),
            Self::Alternating => alternating::encoded_len(ids),
        }
    }

    /// Hands over the `count` ids that the first `length` bytes of `bytes` encode, in order, in blocks, until `take`
    /// breaks.
    ///
    /// Bytes behind `length` may be there and may be looked at, but mean nothing; `packed` is quickest where there are
    /// at least 544 of them. `raw32` asks that `bytes` is aligned to 4.
    ///
    /// # Errors
    /// [`Malformed`] where the bytes are no encoding of exactly `count` ascending ids below `limit` that takes exactly
    /// `length` bytes. All ids of a block are checked before it is handed over; after a break the rest is not checked.
    #[inline]
    pub fn decode(
        self,
        bytes: &[u8],
        length: usize,
        count: u32,
        limit: u32,
        take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        if length > bytes.len() || (count == 0) != (length == 0) {
            return Err(Malformed);
        }
        match self {
            _ if count == 0 => Ok(ControlFlow::Continue(())),
            Self::Raw32 => raw32::decode(bytes, length, count, limit, take),
            Self::Packed => packed::decode(bytes, length, count, limit, take),
            Self::Alternating => alternating::decode(bytes, length, count, limit, take),
        }
    }
}
