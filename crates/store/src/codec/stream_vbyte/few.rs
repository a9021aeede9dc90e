//! Branchless decoder of tails of up to three differences, which are common in graphs: their lengths are unpredictable.

use super::tail::{Tail, canonical};
use crate::codec::ascending::Malformed;
use outcrop_types::{VertexId, length_from};

/// Maximum number of differences of these tails.
pub(super) const MOST: usize = 3;
/// Number of bytes read: one control byte, and four per difference.
const LOOKED_AT: usize = 1 + 4 * MOST;

/// Returns the ID before the tail and those of the tail, followed by arbitrary values; `None` if too few bytes are
/// readable. There are one to [`MOST`] differences.
#[inline]
pub(super) fn decode(tail: Tail<'_>) -> Option<Result<[VertexId; 1 + MOST], Malformed>> {
    let [control, data @ ..] = tail.bytes.first_chunk::<LOOKED_AT>()?;
    let codes = [control & 3, control >> 2 & 3, control >> 4 & 3].map(usize::from);
    let (second, third) = (codes[0] + 1, codes[0] + codes[1] + 2);
    let deltas = [delta(data, 0, codes[0])?, delta(data, second, codes[1])?, delta(data, third, codes[2])?];
    let mut sum = u64::from(tail.previous);
    let mut ids = [tail.previous; 1 + MOST];
    let mut last = sum;
    for (place, delta) in deltas.into_iter().enumerate() {
        sum += u64::from(delta);
        // Default: the true last sum is returned, and refused if it does not fit.
        ids[place + 1] = u32::try_from(sum).unwrap_or(u32::MAX);
        last = if place < tail.deltas { sum } else { last };
    }
    let taken = 1 + tail.deltas + codes[0] + codes[1] + codes[2];
    let right = canonical(*control, tail.deltas) && taken == tail.length && last <= u64::from(u32::MAX);
    Some(if right { Ok(ids) } else { Err(Malformed) })
}

#[inline]
fn delta(data: &[u8; 4 * MOST], begin: usize, code: usize) -> Option<u32> {
    let four = u32::from_le_bytes(*data.get(begin..)?.first_chunk()?);
    Some(four & (u32::MAX >> (24 - 8 * length_from(code))))
}
