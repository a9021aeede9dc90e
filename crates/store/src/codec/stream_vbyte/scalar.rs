//! Scalar decoder: the fallback without vector instructions, and the reference for the vector decoders.

use super::tail::{ROOM, Tail, canonical};
use crate::codec::ascending::Malformed;
use outcrop_types::VertexId;

/// See [`super::decode`].
pub(super) fn decode(tail: Tail<'_>, into: &mut [VertexId; ROOM]) -> Result<VertexId, Malformed> {
    let bytes = tail.bytes.get(..tail.length).ok_or(Malformed)?;
    let (controls, mut data) = bytes.split_at_checked(tail.deltas.div_ceil(4)).ok_or(Malformed)?;
    let places = into.get_mut(..tail.deltas).ok_or(Malformed)?;
    let mut last = tail.previous;
    for (places, control) in places.chunks_mut(4).zip(controls) {
        let mut codes = *control;
        for place in places {
            let (delta, rest) = data.split_at_checked(usize::from(codes & 3) + 1).ok_or(Malformed)?;
            let delta = delta.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            last = last.checked_add(delta).ok_or(Malformed)?;
            *place = last;
            (data, codes) = (rest, codes >> 2);
        }
    }
    let tidy = controls.last().is_none_or(|control| canonical(*control, tail.deltas));
    if tidy && data.is_empty() { Ok(last) } else { Err(Malformed) }
}
