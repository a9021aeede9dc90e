//! `packed`: the first ID, then differences in blocks of 128 with a common bit width, then a stream-vbyte tail.

use super::ascending::{Malformed, ascends};
use super::leb128;
use super::stream_vbyte::{self, Tail};
use bitpacking::{BitPacker, BitPacker4x};
use outcrop_types::{VertexId, index_from};
use std::ops::ControlFlow;

/// Differences per block.
const BLOCK: usize = BitPacker4x::BLOCK_LEN;
/// Up to this width, the differences of a block sum to less than 2^32, so that the last ID shows whether any exceeded
/// it.
const NARROW: u8 = 25;
/// Start of blocks in the buffer of [`Long`]; the first ID precedes it.
const LEAD: usize = stream_vbyte::LEAD;

/// Appends the encoding of ascending `ids`.
pub(super) fn encode(ids: &[VertexId], into: &mut Vec<u8>) {
    let Some((first, others)) = ids.split_first() else { return };
    leb128::encode(u64::from(*first), into);
    encode_rest(*first, others, into);
}

/// Appends the encoding of `others`, the IDs after `previous`.
pub(super) fn encode_rest(mut previous: VertexId, others: &[VertexId], into: &mut Vec<u8>) {
    let packer = BitPacker4x::new();
    let blocks = others.chunks_exact(BLOCK);
    let tail = blocks.remainder();
    for block in blocks {
        let width = packer.num_bits_sorted(previous, block);
        into.push(width);
        let begin = into.len();
        into.resize(begin + BitPacker4x::compressed_block_size(width), 0);
        packer.compress_sorted(previous, block, &mut into[begin..], width);
        previous = last_of(block, previous);
    }
    stream_vbyte::encode(previous, tail, into);
}

/// Returns the number of bytes of the encoding of `ids`.
pub(super) fn encoded_len(ids: &[VertexId]) -> usize {
    let Some((first, others)) = ids.split_first() else { return 0 };
    leb128::encoded_len(u64::from(*first)) + rest_len(*first, others)
}

/// Returns the number of bytes of the encoding of `others`, the IDs after `previous`.
pub(super) fn rest_len(mut previous: VertexId, others: &[VertexId]) -> usize {
    let (packer, mut length) = (BitPacker4x::new(), 0);
    let blocks = others.chunks_exact(BLOCK);
    let tail = blocks.remainder();
    for block in blocks {
        length += 1 + BitPacker4x::compressed_block_size(packer.num_bits_sorted(previous, block));
        previous = last_of(block, previous);
    }
    length + stream_vbyte::encoded_len(previous, tail)
}

fn last_of(block: &[VertexId], otherwise: VertexId) -> VertexId {
    block.last().copied().unwrap_or(otherwise)
}

/// Returns the first ID and the encoding of the others; `count` is not 0.
#[inline]
fn split(bytes: &[u8], length: usize, count: u32) -> Result<Tail<'_>, Malformed> {
    let (first, bytes, length) = leb128::split(bytes, length)?;
    let previous = u32::try_from(first).map_err(|_| Malformed)?;
    Ok(Tail { bytes, length, deltas: index_from(u64::from(count)).wrapping_sub(1), previous })
}

/// See [`super::Codec::decode`]; `count` is not 0.
#[inline]
pub(super) fn decode(
    bytes: &[u8],
    length: usize,
    count: u32,
    limit: u32,
    take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Malformed> {
    decode_rest(split(bytes, length, count)?, limit, take)
}

/// See [`super::Codec::append`]; `count` is not 0.
#[inline]
pub(super) fn append(
    bytes: &[u8],
    length: usize,
    count: u32,
    limit: u32,
    into: &mut Vec<VertexId>,
) -> Result<(), Malformed> {
    append_rest(split(bytes, length, count)?, limit, into)
}

/// Appends the first ID, `rest.previous`, and the IDs of `rest` to `into`, as in [`super::Codec::append`].
#[inline]
pub(super) fn append_rest(rest: Tail<'_>, limit: u32, into: &mut Vec<VertexId>) -> Result<(), Malformed> {
    if rest.deltas >= BLOCK {
        return decode_rest(rest, limit, extend(into)).map(drop);
    }
    stream_vbyte::append(rest, into)?;
    if into.last().is_some_and(|last| *last < limit) { Ok(()) } else { Err(Malformed) }
}

/// Returns a function that appends IDs to `into`.
pub(super) fn extend(into: &mut Vec<VertexId>) -> impl FnMut(&[VertexId]) -> ControlFlow<()> {
    |ids| {
        into.extend_from_slice(ids);
        ControlFlow::Continue(())
    }
}

/// Passes the first ID, `rest.previous`, and the IDs of `rest` to `take`, as in [`super::Codec::decode`].
#[inline]
pub(super) fn decode_rest(
    rest: Tail<'_>,
    limit: u32,
    take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Malformed> {
    if rest.previous >= limit {
        return Err(Malformed);
    }
    if rest.deltas < BLOCK {
        return stream_vbyte::decode_list(rest, limit, take);
    }
    let Tail { bytes, length, deltas, previous } = rest;
    let long = Long { bytes, length, deltas, previous, limit };
    // Clearing an unused part of the buffer would cost lists of a few hundred IDs a fifth of their time.
    if deltas < 2 * BLOCK {
        long.hand_over(&mut [0; LEAD + 2 * BLOCK], take)
    } else {
        long.hand_over(&mut [0; LEAD + 4 * BLOCK], take)
    }
}

/// Undecoded rest of a list that has blocks.
struct Long<'b> {
    bytes: &'b [u8],
    length: usize,
    deltas: usize,
    previous: VertexId,
    limit: u32,
}

impl Long<'_> {
    /// Decodes everything through `buffer`.
    #[inline]
    fn hand_over(
        mut self,
        buffer: &mut [VertexId],
        mut take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        let mut from = LEAD - 1;
        buffer[from] = self.previous;
        loop {
            let to = self.fill(buffer)?;
            let flow = take(&buffer[from..to]);
            if flow.is_break() || self.deltas == 0 {
                return Ok(flow);
            }
            from = LEAD;
        }
    }

    /// Decodes the blocks that fit `buffer` from `LEAD` on, and the tail; returns the end.
    fn fill(&mut self, buffer: &mut [VertexId]) -> Result<usize, Malformed> {
        let (places, _) = buffer.split_at_mut(LEAD).1.as_chunks_mut::<BLOCK>();
        let mut to = LEAD;
        for place in places {
            let decoded = self.deltas.min(BLOCK);
            if decoded == BLOCK {
                self.block(place)?
            } else {
                self.tail(place)?
            }
            to += decoded;
            if self.deltas == 0 {
                break;
            }
        }
        if self.deltas == 0 && self.length != 0 { Err(Malformed) } else { Ok(to) }
    }

    #[inline]
    fn block(&mut self, place: &mut [VertexId; BLOCK]) -> Result<(), Malformed> {
        let width = *self.bytes.first().ok_or(Malformed)?;
        let taken = 1 + BitPacker4x::compressed_block_size(width);
        let (Some(packed), Some(rest)) = (self.bytes.get(1..taken), self.length.checked_sub(taken)) else {
            return Err(Malformed);
        };
        if width > 32 {
            return Err(Malformed);
        }
        BitPacker4x::new().decompress_sorted(self.previous, packed, place, width);
        let last = place[BLOCK - 1];
        let rises = if width <= NARROW { self.previous <= last } else { ascends(self.previous, place) };
        if !rises || last >= self.limit {
            return Err(Malformed);
        }
        self.bytes = &self.bytes[taken..];
        (self.length, self.deltas, self.previous) = (rest, self.deltas - BLOCK, last);
        Ok(())
    }

    #[inline]
    fn tail(&mut self, place: &mut [VertexId; BLOCK]) -> Result<(), Malformed> {
        let tail = Tail { bytes: self.bytes, length: self.length, deltas: self.deltas, previous: self.previous };
        let last = stream_vbyte::decode(tail, place)?;
        if last >= self.limit {
            return Err(Malformed);
        }
        (self.length, self.deltas) = (0, 0);
        Ok(())
    }
}
