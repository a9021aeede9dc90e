//! Stream-vbyte encoding of fewer than 128 differences of one to four bytes each: first two bits per length, four
//! lengths per byte, then the bytes.

mod few;
mod scalar;
mod tail;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "vector instructions, whose loads and stores go through pointers")]
mod x86_64;

#[cfg(test)]
mod tests;

pub(super) use tail::{LEAD, Tail};

use super::ascending::Malformed;
use outcrop_types::VertexId;
use std::ops::ControlFlow;
use tail::ROOM;

/// Appends the differences of `ids`, each to the previous one.
pub(super) fn encode(previous: VertexId, ids: &[VertexId], into: &mut Vec<u8>) {
    let controls = into.len();
    into.resize(controls + ids.len().div_ceil(4), 0);
    let mut previous = previous;
    for (position, id) in ids.iter().enumerate() {
        let delta = id.wrapping_sub(previous);
        let (code, width) = code_and_width(delta);
        into.extend(delta.to_le_bytes().into_iter().take(width));
        if let Some(control) = into.get_mut(controls + position / 4) {
            *control |= code << (2 * (position % 4));
        }
        previous = *id;
    }
}

/// Returns the number of bytes that [`encode`] appends.
pub(super) fn encoded_len(previous: VertexId, ids: &[VertexId]) -> usize {
    let before = std::iter::once(&previous).chain(ids);
    let data: usize = ids.iter().zip(before).map(|(id, before)| code_and_width(id.wrapping_sub(*before)).1).sum();
    ids.len().div_ceil(4) + data
}

/// Returns the length code of a difference, and the length in bytes.
const fn code_and_width(delta: u32) -> (u8, usize) {
    match delta {
        0..0x100 => (0, 1),
        0x100..0x1_0000 => (1, 2),
        0x1_0000..0x100_0000 => (2, 3),
        _ => (3, 4),
    }
}

/// Decodes into the start of `into`; returns the last ID, or the one before an empty tail.
#[inline]
pub(super) fn decode(tail: Tail<'_>, into: &mut [VertexId; ROOM]) -> Result<VertexId, Malformed> {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86_64::Kernel::detect() {
        return kernel.decode(tail, into);
    }
    scalar::decode(tail, into)
}

/// Appends the ID before the tail and those of the tail to `into`; on error, `into` may end in other values.
#[inline]
pub(super) fn append(tail: Tail<'_>, into: &mut Vec<VertexId>) -> Result<(), Malformed> {
    if tail.deltas == 0 && tail.length == 0 {
        into.push(tail.previous);
        return Ok(());
    }
    if (1..=few::MOST).contains(&tail.deltas)
        && let Some(ids) = few::decode(tail)
    {
        // Copying all of them needs no function call.
        into.extend_from_slice(&ids?);
        into.truncate(into.len() - (few::MOST - tail.deltas));
        return Ok(());
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86_64::Kernel::detect() {
        return kernel.append(tail, into);
    }
    let mut ids = [tail.previous; 1 + ROOM];
    scalar::decode(tail, ids.last_chunk_mut().ok_or(Malformed)?)?;
    into.extend_from_slice(ids.get(..=tail.deltas).ok_or(Malformed)?);
    Ok(())
}

/// Passes the ID before the tail and those of the tail to `take`, all at once, if they are below `limit`.
#[inline]
pub(super) fn decode_list(
    tail: Tail<'_>,
    limit: u32,
    mut take: impl FnMut(&[VertexId]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Malformed> {
    let mut below = |ids: &[VertexId]| match ids.last() {
        Some(last) if *last < limit => Ok(take(ids)),
        _ => Err(Malformed),
    };
    if tail.deltas == 0 && tail.length == 0 {
        return below(&[tail.previous]);
    }
    if (1..=few::MOST).contains(&tail.deltas)
        && let Some(ids) = few::decode(tail)
    {
        return below(&ids?[..=tail.deltas]);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = x86_64::Kernel::detect() {
        return below(kernel.decode_list(tail, &mut x86_64::Space::new())?);
    }
    let mut ids = [tail.previous; 1 + ROOM];
    scalar::decode(tail, ids.last_chunk_mut().ok_or(Malformed)?)?;
    below(ids.get(..=tail.deltas).ok_or(Malformed)?)
}
