//! Encodings of neighbor lists (`docs/format/codec.md`).
//!
//! Every decoder is safe on arbitrary bytes: it returns either ascending IDs below the limit, or [`Malformed`].

mod alternating;
mod ascending;
mod common_bits;
pub(crate) mod leb128;
mod packed;
mod raw32;
mod runs;
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

/// Encoding of neighbor IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// Four bytes per ID, read in place.
    Raw32,
    /// Differences in blocks of 128 with the bit width of the largest; the remaining ones in one to four bytes each.
    Packed,
    /// Per list, as [`Self::Packed`], or runs of consecutive IDs if these are much shorter.
    Runs,
    /// Differences with seven bits per byte; the highest bit alternates between numbers.
    Alternating,
}

impl Codec {
    /// Appends the encoding of `ids`, which must ascend (duplicates are allowed); an empty list has no bytes.
    #[doc(hidden)]
    pub fn encode(self, ids: &[VertexId], into: &mut Vec<u8>) {
        match self {
            Self::Raw32 => raw32::encode(ids, into),
            Self::Packed => packed::encode(ids, into),
            Self::Runs => runs::encode(ids, into),
            Self::Alternating => alternating::encode(ids, into),
        }
    }

    /// Returns the length of the encoding in bytes, without encoding.
    pub(crate) fn encoded_len(self, ids: &[VertexId]) -> usize {
        match self {
            Self::Raw32 => size_of_val(ids),
            Self::Packed => packed::encoded_len(ids),
            Self::Runs => runs::encoded_len(ids),
            Self::Alternating => alternating::encoded_len(ids),
        }
    }

    /// Passes the `count` IDs encoded in the first `length` bytes of `bytes` to `take`, in order and in blocks, until
    /// `take` breaks.
    ///
    /// `bytes` may extend beyond `length`; the decoder may read these bytes but ignores their values. `packed` is
    /// fastest with at least 544 of them. `raw32` requires that `bytes` is aligned to 4.
    ///
    /// # Errors
    ///
    /// Returns [`Malformed`] if the bytes are not an encoding of exactly `count` ascending IDs below `limit` in exactly
    /// `length` bytes. All IDs of a block are checked before it is passed on; after a break, the rest is not checked.
    #[doc(hidden)]
    #[inline]
    pub fn decode(
        self,
        bytes: &[u8],
        length: usize,
        count: u32,
        limit: u32,
        take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        check_lengths(bytes, length, count)?;
        match self {
            _ if count == 0 => Ok(ControlFlow::Continue(())),
            Self::Raw32 => raw32::decode(bytes, length, count, limit, take),
            Self::Packed => packed::decode(bytes, length, count, limit, take),
            Self::Runs => runs::decode(bytes, length, count, limit, take),
            Self::Alternating => alternating::decode(bytes, length, count, limit, take),
        }
    }

    /// Appends the IDs that [`Codec::decode`] passes on to `into`, without another copy of short lists in `packed`.
    ///
    /// # Errors
    ///
    /// Returns [`Malformed`] as [`Codec::decode`] does; `into` is then unchanged.
    #[inline]
    pub(crate) fn append(
        self,
        bytes: &[u8],
        length: usize,
        count: u32,
        limit: u32,
        into: &mut Vec<VertexId>,
    ) -> Result<(), Malformed> {
        check_lengths(bytes, length, count)?;
        let before = into.len();
        let appended = match self {
            _ if count == 0 => Ok(()),
            Self::Packed => packed::append(bytes, length, count, limit, into),
            Self::Runs => runs::append(bytes, length, count, limit, into),
            Self::Raw32 | Self::Alternating => self.decode(bytes, length, count, limit, packed::extend(into)).map(drop),
        };
        if appended.is_err() {
            into.truncate(before);
        }
        appended
    }
}

/// Checks that `bytes` contain `length` bytes, which are none exactly if the list is empty.
#[inline]
const fn check_lengths(bytes: &[u8], length: usize, count: u32) -> Result<(), Malformed> {
    if length > bytes.len() || (count == 0) != (length == 0) { Err(Malformed) } else { Ok(()) }
}
