//! `alternating`: the first ID, then differences, in bytes of seven bits whose highest bit is the same in all bytes of
//! one number and flipped in the next number, so that no number needs a terminator (LOSC, section 3.4).

use super::ascending::Malformed;
use outcrop_types::VertexId;
use std::ops::ControlFlow;

/// Number of IDs per block of output.
const BLOCK: usize = 256;
/// Alternating bit.
const PARITY: u8 = 0x80;
/// Maximum number of bytes of a number.
const MOST: usize = 5;

/// Appends the encoding of ascending `ids`.
pub(super) fn encode(ids: &[VertexId], into: &mut Vec<u8>) {
    let (mut previous, mut parity) = (0, 0);
    for id in ids {
        let difference = id.wrapping_sub(previous);
        let groups = groups_of(difference);
        into.extend((0..groups).rev().map(|group| parity | group_of(difference, group)));
        (previous, parity) = (*id, parity ^ PARITY);
    }
}

/// Returns the number of bytes of the encoding of `ids`.
pub(super) fn encoded_len(ids: &[VertexId]) -> usize {
    let mut previous = 0;
    let bytes_of = |id: &VertexId| groups_of(id.wrapping_sub(std::mem::replace(&mut previous, *id)));
    ids.iter().map(bytes_of).sum()
}

/// Returns the number of bytes of `number`.
const fn groups_of(number: u32) -> usize {
    match number {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => MOST,
    }
}

/// Returns bits `7 * group` to `7 * group + 6` of `number`.
const fn group_of(number: u32, group: usize) -> u8 {
    let [low, ..] = (number >> (7 * group)).to_le_bytes();
    low & !PARITY
}

/// See [`super::Codec::decode`]; `count` is not 0.
#[inline]
pub(super) fn decode(
    bytes: &[u8],
    length: usize,
    count: u32,
    limit: u32,
    mut take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Malformed> {
    let mut rest = Rest { bytes: bytes.get(..length).ok_or(Malformed)?, previous: 0, parity: 0, limit };
    let (mut ids, mut left) = ([0; BLOCK], count);
    while left > 0 {
        let now = ids.len().min(usize::try_from(left).unwrap_or(BLOCK));
        let (block, _) = ids.split_at_mut(now);
        block.iter_mut().try_for_each(|slot| rest.next().map(|id| *slot = id))?;
        left -= u32::try_from(now).unwrap_or(left);
        if left == 0 && !rest.bytes.is_empty() {
            return Err(Malformed);
        }
        if take(block).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Undecoded rest of a list.
struct Rest<'b> {
    bytes: &'b [u8],
    previous: VertexId,
    /// Highest bit of the bytes of the next number.
    parity: u8,
    limit: u32,
}

impl Rest<'_> {
    /// Returns the next ID. A number ends at a flip of the bit, or with the list.
    #[inline]
    fn next(&mut self) -> Result<VertexId, Malformed> {
        let (first, mut rest) = self.bytes.split_first().ok_or(Malformed)?;
        let mut difference = u64::from(first ^ self.parity);
        // Otherwise, two consecutive numbers had the same bit, or the number is too long.
        if difference >= u64::from(PARITY) {
            return Err(Malformed);
        }
        while let Some((byte, later)) = rest.split_first()
            && (byte ^ self.parity) & PARITY == 0
        {
            // A leading 0 is redundant; refusing it also bounds the length of a number.
            if difference == 0 || difference > u64::from(u32::MAX) {
                return Err(Malformed);
            }
            difference = difference << 7 | u64::from(byte & !PARITY);
            rest = later;
        }
        let id = u64::from(self.previous) + difference;
        let id = u32::try_from(id).ok().filter(|id| *id < self.limit).ok_or(Malformed)?;
        (self.bytes, self.previous, self.parity) = (rest, id, self.parity ^ PARITY);
        Ok(id)
    }
}
