//! LEB128 encoding of numbers: seven bits per byte, lowest first; the highest bit marks continuation.

use super::ascending::Malformed;
use outcrop_types::{VertexId, index_from};

/// Maximum number of bytes of a number, which has at most 35 bits.
const MOST: usize = 5;
/// Continuation bits of these bytes.
const FOLLOWED: u64 = 0x80_8080_8080;

/// Returns the number of bytes of `number`, which has at most 35 bits.
pub(crate) const fn encoded_len(number: u64) -> usize {
    match number {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => MOST,
    }
}

/// Appends `number`.
pub(crate) fn encode(mut number: u64, into: &mut Vec<u8>) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        into.push(if number == 0 { low & 0x7f } else { low | 0x80 });
        if number == 0 {
            return;
        }
    }
}

/// Decodes the ID at the start of `bytes`, as [`decode`] does.
#[inline]
pub(crate) fn decode_id(bytes: &[u8]) -> Result<(VertexId, usize), Malformed> {
    let (number, taken) = decode(bytes)?;
    u32::try_from(number).map(|id| (id, taken)).map_err(|_| Malformed)
}

/// Decodes the number at the start of `bytes`; returns it and its number of bytes. Reads zeros past the end of `bytes`.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Result<(u64, usize), Malformed> {
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
    if canonical { Ok((value, index_from(u64::from(last) + 1))) } else { Err(Malformed) }
}

/// Decodes the number at the start of `length` bytes of `bytes`; returns it, the other bytes, and their length.
#[inline]
pub(super) fn split(bytes: &[u8], length: usize) -> Result<(u64, &[u8], usize), Malformed> {
    let (number, taken) = decode(bytes)?;
    match (bytes.get(taken..), length.checked_sub(taken)) {
        (Some(bytes), Some(length)) => Ok((number, bytes, length)),
        _ => Err(Malformed),
    }
}

/// Returns the first bytes of `bytes` as a number, padded with zeros.
#[cold]
pub(super) fn padded(bytes: &[u8]) -> u64 {
    bytes.iter().take(MOST).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_returns() {
        let edges = [0, 7, 14, 21, 28, 32].map(|bits| 1_u64 << bits);
        let numbers = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).chain([(1 << 35) - 1]);
        for number in numbers {
            let mut bytes = Vec::new();
            encode(number, &mut bytes);
            assert_eq!(bytes.len(), encoded_len(number));
            assert_eq!(decode(&bytes), Ok((number, bytes.len())));
            let length = bytes.len();
            bytes.extend([0xff; 8]);
            assert_eq!(decode(&bytes), Ok((number, length)));
            let id = u32::try_from(number).map_err(|_| Malformed);
            assert_eq!(decode_id(&bytes), id.map(|id| (id, length)));
        }
    }

    #[test]
    fn what_is_too_long_or_too_large_is_refused() {
        let refused: [&[u8]; 4] = [
            &[0x80, 0],
            &[0xff, 0xff, 0x80, 0x00],
            &[0x80, 0x80, 0x80, 0x80, 0x80],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ];
        for bytes in refused {
            assert_eq!(decode(bytes), Err(Malformed), "{bytes:x?}");
            assert_eq!(decode(&[bytes, &[0; 8]].concat()), Err(Malformed), "{bytes:x?}");
        }
    }
}
