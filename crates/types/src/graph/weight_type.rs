//! Types of weights on disk; in memory, weights are `f64`.

use crate::{Error, length_from};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::str::FromStr;

/// Weight type of a store, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightType {
    /// Integers below 2^8.
    U8,
    /// Integers below 2^16.
    U16,
    /// Integers below 2^32.
    U32,
    /// Single-precision floating-point numbers.
    F32,
    /// Double-precision floating-point numbers: every weight.
    F64,
}

impl WeightType {
    /// Every type, from the narrowest to the widest; integers before floats of the same size.
    pub const ALL: [Self; 5] = [Self::U8, Self::U16, Self::U32, Self::F32, Self::F64];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the number of bytes of a weight.
    #[inline]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Returns the number of bytes of an entry's weight, in lists with this weight type or without weights.
    #[inline]
    pub const fn bytes_of(weights: Option<Self>) -> u64 {
        match weights {
            None => 0,
            Some(weights) => weights.bytes(),
        }
    }

    /// Returns the number of this type nearest to `weight`.
    #[inline]
    pub fn nearest(self, weight: f64) -> f64 {
        match self {
            Self::U8 => f64::from(weight as u8),
            Self::U16 => f64::from(weight as u16),
            Self::U32 => f64::from(weight as u32),
            Self::F32 => f64::from(weight as f32),
            Self::F64 => weight,
        }
    }

    /// Returns `weight` as stored with this type: single precision rounds, integer types do not. Returns `None` if the
    /// type cannot store it or it is not finite.
    #[inline]
    pub fn kept(self, weight: f64) -> Option<f64> {
        let rounds = matches!(self, Self::F32 | Self::F64);
        Some(self.nearest(weight)).filter(|kept| kept.is_finite() && (rounds || kept.to_bits() == weight.to_bits()))
    }

    /// Returns true if this type represents `weight` exactly; -0 is not an integer.
    #[inline]
    pub fn holds(self, weight: f64) -> bool {
        self.nearest(weight).to_bits() == weight.to_bits()
    }

    /// Appends `weights` in this type.
    pub fn narrow(self, weights: &[f64], into: &mut Vec<u8>) {
        match self {
            Self::U8 => into.extend(weights.iter().map(|weight| *weight as u8)),
            Self::U16 => weights.iter().for_each(|weight| into.extend((*weight as u16).to_le_bytes())),
            Self::U32 => weights.iter().for_each(|weight| into.extend((*weight as u32).to_le_bytes())),
            Self::F32 => weights.iter().for_each(|weight| into.extend((*weight as f32).to_le_bytes())),
            Self::F64 => weights.iter().for_each(|weight| into.extend(weight.to_le_bytes())),
        }
    }

    /// Returns a weight in this type, in the first [`WeightType::bytes`] bytes.
    #[inline]
    pub fn narrowed(self, weight: f64) -> [u8; 8] {
        match self {
            Self::U8 | Self::U16 | Self::U32 => (weight as u64).to_le_bytes(),
            Self::F32 => u64::from((weight as f32).to_bits()).to_le_bytes(),
            Self::F64 => weight.to_le_bytes(),
        }
    }

    /// Appends the consecutive weights in `bytes` as `f64`; ignores an incomplete weight at the end.
    #[inline]
    pub fn widen(self, bytes: &[u8], into: &mut Vec<f64>) {
        match self {
            Self::U8 => into.extend(bytes.iter().map(|byte| f64::from(*byte))),
            Self::U16 => into.extend(bytes.as_chunks().0.iter().map(|bytes| f64::from(u16::from_le_bytes(*bytes)))),
            Self::U32 => into.extend(bytes.as_chunks().0.iter().map(|bytes| f64::from(u32::from_le_bytes(*bytes)))),
            Self::F32 => into.extend(bytes.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)))),
            Self::F64 => into.extend(bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes))),
        }
    }

    /// Returns true if all weights in `bytes` are finite.
    #[inline]
    pub fn are_finite(self, bytes: &[u8]) -> bool {
        match self {
            Self::U8 | Self::U16 | Self::U32 => true,
            Self::F32 => bytes.as_chunks().0.iter().all(|bytes| f32::from_le_bytes(*bytes).is_finite()),
            Self::F64 => bytes.as_chunks().0.iter().all(|bytes| f64::from_le_bytes(*bytes).is_finite()),
        }
    }

    /// Returns the number of bytes of `entries` weights.
    #[inline]
    pub const fn bytes_for(self, entries: usize) -> u64 {
        self.bytes() * length_from(entries)
    }
}

/// Choice of the weight type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightChoice {
    /// Narrowest type that represents all weights.
    #[default]
    Auto,
    /// Given type.
    As(WeightType),
}

impl WeightChoice {
    /// Returns the requested type, if any.
    pub const fn requested(self) -> Option<WeightType> {
        match self {
            Self::Auto => None,
            Self::As(kind) => Some(kind),
        }
    }
}

impl FromStr for WeightChoice {
    type Err = Error;

    /// Parses `auto` or the name of a type.
    fn from_str(text: &str) -> Result<Self, Error> {
        let named = WeightType::ALL.into_iter().find(|kind| kind.name() == text).map(Self::As);
        named.or((text == "auto").then_some(Self::Auto)).ok_or_else(|| {
            Error::Usage(format!("unknown weight type {text:?}; expected auto, f64, f32, u8, u16 or u32"))
        })
    }
}

/// Tracker of the types that represent all of some weights.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct WeightTypes {
    /// True for each of [`WeightType::ALL`] except the last if it represents all weights.
    hold: [bool; 4],
    /// Sum of absolute values, serialized as its bits.
    #[serde(serialize_with = "to_bits", deserialize_with = "from_bits")]
    total: f64,
}

fn to_bits<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number.to_bits().serialize(serializer)
}

fn from_bits<'d, D: Deserializer<'d>>(deserializer: D) -> Result<f64, D::Error> {
    u64::deserialize(deserializer).map(f64::from_bits)
}

impl Default for WeightTypes {
    fn default() -> Self {
        Self { hold: [true; 4], total: 0.0 }
    }
}

impl WeightTypes {
    /// Adds a weight.
    #[inline]
    pub fn take(&mut self, weight: f64) {
        self.total += weight.abs();
        // All other types represent the integers of the narrower types.
        for (hold, kind) in self.hold.iter_mut().zip(WeightType::ALL) {
            *hold = *hold && kind.holds(weight);
            if *hold && kind <= WeightType::U16 {
                break;
            }
        }
    }

    /// Returns the narrowest type that represents all weights.
    pub fn narrowest(&self) -> WeightType {
        let held = WeightType::ALL.into_iter().zip(self.hold).find(|(_, hold)| *hold);
        held.map_or(WeightType::F64, |(kind, _)| kind)
    }

    /// Returns the narrowest type that is known to represent the sum of any subset of the weights.
    pub fn narrowest_of_sums(&self) -> WeightType {
        match self.narrowest() {
            WeightType::F32 | WeightType::F64 => WeightType::F64,
            // Integers: no sum exceeds the total.
            _ => WeightType::ALL[..3].iter().copied().find(|kind| kind.holds(self.total)).unwrap_or(WeightType::F64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_back_from_every_type_that_holds_them() {
        let weights =
            [0.0, -0.0, 1.0, 255.0, 256.0, 65_535.0, 65_536.0, 16_777_217.0, 4_294_967_295.0, 4_294_967_296.0];
        let more = [0.5, -1.0, 0.1, 1e39, f64::MIN_POSITIVE, f64::MAX, 1_700_000_000_123.0];
        for kind in WeightType::ALL {
            let held: Vec<f64> = weights.into_iter().chain(more).filter(|weight| kind.holds(*weight)).collect();
            let (mut bytes, mut again) = (Vec::new(), Vec::new());
            kind.narrow(&held, &mut bytes);
            assert_eq!(length_from(bytes.len()), kind.bytes_for(held.len()));
            let width = usize::try_from(kind.bytes()).unwrap();
            assert_eq!(held.iter().flat_map(|w| kind.narrowed(*w)[..width].to_vec()).collect::<Vec<_>>(), bytes);
            assert!(kind.are_finite(&bytes));
            kind.widen(&bytes, &mut again);
            assert_eq!(
                again.into_iter().map(f64::to_bits).collect::<Vec<_>>(),
                held.iter().map(|w| w.to_bits()).collect::<Vec<_>>()
            );
        }
        let narrowest = |weight: f64| WeightType::ALL.into_iter().find(|kind| kind.holds(weight)).map(WeightType::name);
        let found = [0.0, 256.0, 16_777_217.0, -1.0, 0.5, 0.1, 4_294_967_296.0, -0.0, 1e39].map(narrowest);
        let expected = ["u8", "u16", "u32", "f32", "f32", "f64", "f32", "f32", "f64"].map(Some);
        assert_eq!(found, expected);
        assert!(WeightType::ALL.into_iter().all(|kind| !kind.holds(f64::NAN) || kind >= WeightType::F32));
    }

    #[test]
    fn the_narrowest_type_that_holds_all_is_found() {
        let of = |weights: &[f64]| {
            let mut types = WeightTypes::default();
            weights.iter().for_each(|weight| types.take(*weight));
            (types.narrowest().name(), types.narrowest_of_sums().name())
        };
        assert_eq!(of(&[]), ("u8", "u8"));
        assert_eq!(of(&[1.0, 255.0]), ("u8", "u16"));
        assert_eq!(of(&[1.0, 256.0, 65_535.0]), ("u16", "u32"));
        assert_eq!(of(&[16_777_217.0, 3.0]), ("u32", "u32"));
        assert_eq!(of(&[4_294_967_295.0, 1.0]), ("u32", "f64"));
        assert_eq!(of(&[0.5, 3.0]), ("f32", "f64"));
        assert_eq!(of(&[-3.0]), ("f32", "f64"));
        assert_eq!(of(&[16_777_217.0, 0.5]), ("f64", "f64"));
        assert_eq!(of(&[1e39]), ("f64", "f64"));
        assert_eq!(of(&[1_700_000_000_123.0]), ("f64", "f64"));
    }

    #[test]
    fn single_precision_rounds_and_whole_numbers_do_not() {
        assert_eq!(WeightType::F32.kept(16_777_217.0), Some(16_777_216.0));
        assert_eq!(WeightType::F64.kept(16_777_217.0), Some(16_777_217.0));
        for (kind, weight) in
            [(WeightType::F32, 1e39), (WeightType::U8, 256.0), (WeightType::U16, 0.5), (WeightType::U32, -1.0)]
        {
            assert_eq!(kind.kept(weight), None);
        }
        assert!(WeightType::ALL.into_iter().all(|kind| kind.kept(f64::NAN).is_none() && kind.kept(7.0) == Some(7.0)));
    }

    #[test]
    fn what_is_no_number_is_found() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for kind in [WeightType::F32, WeightType::F64] {
                let mut bytes = Vec::new();
                kind.narrow(&[1.0, bad], &mut bytes);
                assert!(!kind.are_finite(&bytes));
            }
        }
    }
}
