//! Order-independent hash of all arcs of a store, for comparing out-lists, in-lists, and the input they were built
//! from.

use outcrop_types::VertexId;
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, SubAssign};

/// Sum of the hashes of arcs, modulo 2^64. The hash of an arc mixes its source, its target and the bits of its weight
/// (`docs/format/manifest.md`); duplicate arcs count with their multiplicity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArcHash(u64);

impl ArcHash {
    /// Returns the hash of one arc; `weight` is `None` in graphs without weights. It does not depend on the type of the
    /// weights on disk.
    #[inline]
    pub(crate) const fn of(source: VertexId, target: VertexId, weight: Option<f64>) -> Self {
        let ends = (source as u64) << 32 | target as u64;
        let ends = fold(ends ^ LEFT, ends.rotate_left(32) ^ RIGHT);
        match weight {
            None => Self(ends),
            Some(weight) => Self(fold(ends ^ LEFT, bits_of(weight) ^ RIGHT)),
        }
    }

    /// Returns the sum as an integer.
    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    /// Creates the hash with this sum.
    pub const fn from_sum(sum: u64) -> Self {
        Self(sum)
    }
}

/// Constants without a pattern, from wyhash.
const LEFT: u64 = 0xA076_1D64_78BD_642F;
const RIGHT: u64 = 0xE703_7ED1_A0B4_28DB;

/// Returns the bits of a weight: single precision if that represents it exactly, otherwise double precision.
#[inline]
const fn bits_of(weight: f64) -> u64 {
    let single = weight as f32;
    if single as f64 == weight { single.to_bits() as u64 } else { weight.to_bits() }
}

/// Folds both halves of the product. The multiplied value is part of both factors, so that arcs which exchange their
/// ends do not cancel out in a sum.
#[inline]
const fn fold(left: u64, right: u64) -> u64 {
    let product = left as u128 * right as u128;
    (product >> 64) as u64 ^ product as u64
}

impl AddAssign for ArcHash {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl SubAssign for ArcHash {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

impl From<ArcHash> for String {
    fn from(hash: ArcHash) -> Self {
        format!("{:016x}", hash.0)
    }
}

impl TryFrom<String> for ArcHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits =
            text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let sum = u64::from_str_radix(&text, 16).ok().filter(|_| digits);
        sum.map(Self).ok_or("an arc hash must have 16 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_an_arc_counts_and_the_order_of_arcs_does_not() {
        let arcs = [(1, 2, 0.5), (2, 1, 0.5), (1, 2, -0.5), (7, 7, 0.0), (7, 7, -0.0)];
        let sum = |arcs: &mut dyn Iterator<Item = (u32, u32, f64)>| {
            let mut sum = ArcHash::default();
            arcs.for_each(|(source, target, weight)| sum += ArcHash::of(source, target, Some(weight)));
            sum
        };
        let whole = sum(&mut arcs.into_iter());
        assert_eq!(whole, sum(&mut arcs.into_iter().rev()));
        for (place, (source, target, weight)) in arcs.into_iter().enumerate() {
            for bit in 0..128 {
                let mask = |word: u32| if bit / 32 == word { 1_u32 << (bit % 32) } else { 0 };
                let wide = u64::from(mask(3)) << 32 | u64::from(mask(2));
                let arc = (source ^ mask(0), target ^ mask(1), f64::from_bits(weight.to_bits() ^ wide));
                let mut changed = arcs;
                changed[place] = arc;
                assert_ne!(sum(&mut changed.into_iter()), whole, "bit {bit} of arc {place}");
            }
        }
        // Arcs that exchange their targets have the same sums of ends.
        for (a, b) in [((1, 2), (3, 4)), ((0, 0), (1, 1)), ((7, 9), (8, 10)), ((1 << 20, 5), (3, 1 << 21))] {
            let arcs =
                |turned| if turned { [(a.0, b.1, 1.0), (b.0, a.1, 1.0)] } else { [(a.0, a.1, 1.0), (b.0, b.1, 1.0)] };
            assert_ne!(sum(&mut arcs(false).into_iter()), sum(&mut arcs(true).into_iter()), "{a:?} {b:?}");
        }
        let mut less = whole;
        less -= ArcHash::of(7, 7, Some(0.0));
        assert_eq!(less, sum(&mut arcs.into_iter().filter(|arc| arc.0 != 7 || arc.2.is_sign_negative())));
    }

    #[test]
    fn a_hash_survives_its_text() {
        let hash = ArcHash::from_sum(0x0123_4567_89ab_cdef);
        assert_eq!(String::from(hash), "0123456789abcdef");
        assert_eq!(ArcHash::try_from(String::from(hash)), Ok(hash));
        for wrong in ["", "0123456789abcde", "0123456789ABCDEF", "+123456789abcdef", "0123456789abcdef0"] {
            assert!(ArcHash::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
