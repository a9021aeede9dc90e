//! `runs`: the first ID, then either as in `packed`, or runs of consecutive IDs. Runs are the intervals of Boldi and
//! Vigna, The WebGraph Framework I, WWW 2004, section 4; their first bytes are together, as in `stream-vbyte`, so that
//! decoding a run does not wait for the previous one.

use super::ascending::Malformed;
use super::stream_vbyte::Tail;
use super::{leb128, packed};
use outcrop_types::{VertexId, index_from, length_from};
use std::ops::ControlFlow;

/// Number of IDs of a run that its first byte represents, or fewer. Also the number of IDs that are written together.
const SHORT: usize = 8;
/// Number of bits of the first byte of a run that contain the lowest bits of the difference.
const LOW_BITS: u32 = 3;
/// Maximum number of further bytes with the other bits of the difference.
const MOST_BYTES: usize = 3;
/// Differences from here on are not represented in runs.
const TOO_LARGE: u32 = 1 << (LOW_BITS + 8 * MOST_BYTES as u32);
/// Masks for each number of further bytes.
const MASKS: [u32; MOST_BYTES + 1] = [0, 0xff, 0xffff, 0xff_ffff];

/// Appends the encoding of ascending `ids`.
pub(super) fn encode(ids: &[VertexId], into: &mut Vec<u8>) {
    let Some((first, others)) = ids.split_first() else { return };
    let (count, _) = choose(*first, others);
    leb128::encode(head(*first, count.is_some()), into);
    let Some(count) = count else { return packed::encode_rest(*first, others, into) };
    leb128::encode(count, into);
    into.extend(runs(*first, others).map(|(difference, length)| {
        let [low, ..] = (difference << 5).to_le_bytes();
        ((length.min(SHORT) - 1) | (further_bytes(difference) << 3)) as u8 | low
    }));
    for (difference, length) in runs(*first, others) {
        into.extend_from_slice(&(difference >> LOW_BITS).to_le_bytes()[..further_bytes(difference)]);
        if let Some(more) = length.checked_sub(SHORT) {
            leb128::encode(length_from(more), into);
        }
    }
}

/// Returns the number of bytes of the encoding of `ids`.
pub(super) fn encoded_len(ids: &[VertexId]) -> usize {
    let Some((first, others)) = ids.split_first() else { return 0 };
    leb128::encoded_len(head(*first, false)) + choose(*first, others).1
}

/// Returns the first number of a list: the first ID, and in the lowest bit whether runs follow.
fn head(first: VertexId, as_runs: bool) -> u64 {
    u64::from(first) << 1 | u64::from(as_runs)
}

/// Returns the number of runs of `others`, or `None` if they follow `first` as in `packed`, and the number of bytes.
/// Decoding a run takes as long as a few packed IDs, so runs must save a byte each, and have two IDs on average.
fn choose(first: VertexId, others: &[VertexId]) -> (Option<u64>, usize) {
    let packed = packed::rest_len(first, others);
    let (mut count, mut bytes) = (0, 0);
    for (difference, length) in runs(first, others) {
        let more = length.checked_sub(SHORT).map_or(0, |more| leb128::encoded_len(length_from(more)));
        count += 1;
        bytes += 1 + further_bytes(difference) + more;
        if difference >= TOO_LARGE || bytes + count > packed || 2 * count > others.len() {
            return (None, packed);
        }
    }
    match bytes + leb128::encoded_len(length_from(count)) {
        bytes if bytes + count <= packed && count > 0 => (Some(length_from(count)), bytes),
        _ => (None, packed),
    }
}

/// Iterates over the runs of `ids`, which follow `previous`: the difference of the first ID to the one before, and the
/// length.
fn runs(mut previous: VertexId, ids: &[VertexId]) -> impl Iterator<Item = (u32, usize)> {
    ids.chunk_by(|id, next| id.checked_add(1) == Some(*next)).map(move |run| {
        let difference = run[0].wrapping_sub(previous);
        previous = run[run.len() - 1];
        (difference, run.len())
    })
}

/// Returns the number of bytes for the bits of `difference` that are not in the first byte.
const fn further_bytes(difference: u32) -> usize {
    ((u32::BITS - (difference >> LOW_BITS).leading_zeros()) as usize).div_ceil(8)
}

/// Returns whether runs follow the first ID, that ID, and the encoding of the others; `count` is not 0.
#[inline]
fn split(bytes: &[u8], length: usize, count: u32) -> Result<(bool, Tail<'_>), Malformed> {
    let (head, bytes, length) = leb128::split(bytes, length)?;
    let previous = u32::try_from(head >> 1).map_err(|_| Malformed)?;
    let deltas = index_from(u64::from(count)).wrapping_sub(1);
    Ok((head & 1 == 1, Tail { bytes, length, deltas, previous }))
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
    match split(bytes, length, count)? {
        (true, rest) => decode_runs(rest, limit, take),
        (false, rest) => packed::decode_rest(rest, limit, take),
    }
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
    match split(bytes, length, count)? {
        (true, rest) => decode_runs(rest, limit, packed::extend(into)).map(drop),
        (false, rest) => packed::append_rest(rest, limit, into),
    }
}

/// Passes the first ID, `rest.previous`, and the IDs of the runs to `take`, as in [`super::Codec::decode`].
#[inline]
fn decode_runs(
    rest: Tail<'_>,
    limit: u32,
    take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Malformed> {
    let Tail { bytes, length, deltas, previous } = rest;
    let (runs, bytes, length) = leb128::split(bytes, length)?;
    let (firsts, further) = bytes.split_at_checked(index_from(runs)).ok_or(Malformed)?;
    let length = length.checked_sub(firsts.len()).ok_or(Malformed)?;
    if previous >= limit {
        return Err(Malformed);
    }
    // The first ID is a run that has begun.
    let left = deltas + 1;
    let rest = Rest { firsts, further, taken: 0, length, left, next: previous, run: 1, limit };
    // Clearing a buffer for long lists would cost short ones most of their time.
    match left {
        0..=16 => rest.hand_over(&mut [0; 16 + SHORT], take),
        17..=64 => rest.hand_over(&mut [0; 64 + SHORT], take),
        65..=256 => rest.hand_over(&mut [0; 256 + SHORT], take),
        _ => rest.hand_over(&mut [0; 512 + SHORT], take),
    }
}

/// Undecoded rest of a list.
struct Rest<'b> {
    /// First bytes of the runs that have not begun.
    firsts: &'b [u8],
    /// Further bytes of all runs.
    further: &'b [u8],
    /// Number of further bytes that are decoded.
    taken: usize,
    /// Number of further bytes of the list.
    length: usize,
    /// Number of IDs of the list that are not in a block yet.
    left: usize,
    /// Next ID of the current run; at its end, the number after its last ID.
    next: VertexId,
    /// Number of IDs of the current run that are not in a block yet.
    run: usize,
    limit: u32,
}

impl Rest<'_> {
    /// Decodes everything through `buffer`, of which the last `SHORT` IDs are not part of a block.
    #[inline]
    fn hand_over(
        mut self,
        buffer: &mut [VertexId],
        mut take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Malformed> {
        loop {
            let to = self.fill(buffer)?;
            let ended = self.firsts.is_empty() && self.taken == self.length;
            if self.taken > self.length || (self.left == 0 && !ended) {
                return Err(Malformed);
            }
            let flow = take(&buffer[..to]);
            if flow.is_break() || self.left == 0 {
                return Ok(flow);
            }
        }
    }

    /// Decodes as many IDs as fit; returns their number.
    #[inline]
    fn fill(&mut self, buffer: &mut [VertexId]) -> Result<usize, Malformed> {
        let room = buffer.len() - SHORT;
        let mut to = 0;
        loop {
            let now = self.run.min(room - to);
            let mut next = self.next;
            // One pass for almost all runs. IDs past the end of the run are overwritten.
            for lanes in buffer[to..].as_chunks_mut::<SHORT>().0 {
                *lanes = std::array::from_fn(|lane| next.wrapping_add(lane as u32));
                next = next.wrapping_add(SHORT as u32);
                if next.wrapping_sub(self.next) >= now as u32 {
                    break;
                }
            }
            self.next = self.next.wrapping_add(now as u32);
            to += now;
            self.run -= now;
            self.left -= now;
            if self.left == 0 || to == room {
                return Ok(to);
            }
            self.begin_run()?;
        }
    }

    #[inline]
    fn begin_run(&mut self) -> Result<(), Malformed> {
        let (first, firsts) = self.firsts.split_first().ok_or(Malformed)?;
        self.firsts = firsts;
        let first = u32::from(*first);
        let bytes = index_from(u64::from(first >> 3 & 3));
        let further = self.further.get(self.taken..).ok_or(Malformed)?;
        let word =
            further.first_chunk().map_or_else(|| leb128::padded(further) as u32, |word| u32::from_le_bytes(*word));
        let difference = first >> 5 | (word & MASKS[bytes]) << LOW_BITS;
        self.taken += bytes;
        let mut run = index_from(u64::from(first & 7)) + 1;
        if run == SHORT {
            let (more, taken) = leb128::decode(self.further.get(self.taken..).ok_or(Malformed)?)?;
            run += index_from(more);
            self.taken += taken;
        }
        // The previous run has at least one ID, so that `next` is at least 1.
        let last = u64::from(self.next) + u64::from(difference) + length_from(run) - 2;
        if (last >= u64::from(self.limit)) | (run > self.left) {
            return Err(Malformed);
        }
        self.next = self.next.wrapping_add(difference).wrapping_sub(1);
        self.run = run;
        Ok(())
    }
}
