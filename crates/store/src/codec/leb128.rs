//! LEB128 encoding of the first ID of a list: seven bits per byte, lowest first; the highest bit marks continuation.

use super::ascending::Malformed;
use outcrop_types::{VertexId, index_from};

/// Maximum number of bytes of an ID.
const MOST: usize = 5;
/// Continuation bits of these bytes.
const FOLLOWED: u64 = 0x80_8080_8080;

/// Returns the number of bytes of `id`.
pub(crate) const fn encoded_len(id: VertexId) -> usize {
    match id {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => MOST,
    }
}

/// Appends `id`.
pub(crate) fn encode(mut id: VertexId, into: &mut Vec<u8>) {
    loop {
        let [low, ..] = id.to_le_bytes();
        id >>= 7;
        into.push(if id == 0 { low & 0x7f } else { low | 0x80 });
        if id == 0 {
            return;
        }
    }
}

/// Decodes the ID at the start of `bytes`; returns it and its number of bytes. Reads zeros past the end of `bytes`.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Result<(VertexId, usize), Malformed> {
    let word = bytes.first_chunk().map_or_else(|| padded(bytes), |word| u64::from_le_bytes(*word));
    // Branchless, since lengths vary from list to list and a branch misprediction costs more than all of this.
    let ends = !word & FOLLOWED;
    if ends == 0 {
        return Err(Malformed);
    }
    let last = ends.trailing_zeros() / 8;
    let word = word & (u64::MAX >> (56 - 8 * last));
    let low = (word & 0x7f) | (word >> 1 & 0x7f << 7) | (word >> 2 & 0x7f << 14);
    let value = low | (word >> 3 & 0x7f << 21) | (word >> 4 & 0x7f << 28);
    let canonical = last == 0 || value >> (7 * last) != 0;
    match u32::try_from(value) {
        Ok(id) if canonical => Ok((id, index_from(u64::from(last) + 1))),
        _ => Err(Malformed),
    }
}

#[cold]
fn padded(bytes: &[u8]) -> u64 {
    bytes.iter().take(MOST).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_returns() {
        let edges = [0, 7, 14, 21, 28].map(|bits| 1_u32 << bits);
        let ids = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).chain([u32::MAX - 1, u32::MAX]);
        for id in ids {
            let mut bytes = Vec::new();
            encode(id, &mut bytes);
            assert_eq!(bytes.len(), encoded_len(id));
            assert_eq!(decode(&bytes), Ok((id, bytes.len())));
            let length = bytes.len();
            bytes.extend([0xff; 8]);
            assert_eq!(decode(&bytes), Ok((id, length)));
        }
    }

    #[test]
    fn what_is_too_long_or_too_large_is_refused() {
        let refused: [&[u8]; 5] = [
            &[0x80, 0],
            &[0xff, 0xff, 0x80, 0x00],
            &[0xff, 0xff, 0xff, 0xff, 0x10],
            &[0x80, 0x80, 0x80, 0x80, 0x80],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ];
        for bytes in refused {
            assert_eq!(decode(bytes), Err(Malformed), "{bytes:x?}");
            assert_eq!(decode(&[bytes, &[0; 8]].concat()), Err(Malformed), "{bytes:x?}");
        }
    }
}
