//! Identity of a graph: a name shared by all stores that replace each other, and a hash of every update.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// Hash of all updates of a graph up to one of them. Each hash includes the previous one, so two histories with the
/// same head are equal.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Head(u128);

impl Head {
    /// Returns the head before the first update of the graph named `origin`.
    pub(crate) fn start(origin: &str) -> Self {
        Self(xxh3_128(origin.as_bytes()))
    }

    /// Returns the head after another update, which produced `generation` and whose content has this `digest`.
    #[must_use]
    pub(crate) fn after(self, generation: u64, digest: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.0.to_le_bytes());
        bytes[16..24].copy_from_slice(&generation.to_le_bytes());
        bytes[24..].copy_from_slice(&digest.to_le_bytes());
        Self(xxh3_128(&bytes))
    }

    /// Returns the head as two numbers, the lower half first.
    pub(crate) const fn halves(self) -> (i64, i64) {
        ((self.0 as u64).cast_signed(), ((self.0 >> 64) as u64).cast_signed())
    }

    /// Inverse of [`Head::halves`].
    pub(crate) const fn from_halves(low: i64, high: i64) -> Self {
        Self(low.cast_unsigned() as u128 | (high.cast_unsigned() as u128) << 64)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

impl fmt::Debug for Head {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Serialize for Head {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = u128::from_str_radix(&text, 16).ok().filter(|_| text.len() == 32);
        number.map(Self).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not an update hash")))
    }
}

/// Identity of a graph at one point of its history. A merge writes other files but keeps the identity; two copies of a
/// store with different updates have different identities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphIdentity {
    /// Name of the graph in all stores that replaced each other: the `uuid` of the first.
    pub lineage: String,
    /// Number of updates.
    pub generation: u64,
    /// Hash of all updates.
    pub head: Head,
}
