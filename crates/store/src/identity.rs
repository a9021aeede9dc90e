//! Identity of a graph: what it is called over all stores that take each other's place, and a hash of every update that
//! made it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// Hash of all updates of a graph up to one of them. Each hashes the one before it, so that two histories with the same
/// head are the same.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Head(u128);

impl Head {
    /// The head before the first update of the graph that `origin` names.
    pub(crate) fn start(origin: &str) -> Self {
        Self(xxh3_128(origin.as_bytes()))
    }

    /// The head after another update, which made `generation` and whose content has this `digest`.
    #[must_use]
    pub(crate) fn after(self, generation: u64, digest: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.0.to_le_bytes());
        bytes[16..24].copy_from_slice(&generation.to_le_bytes());
        bytes[24..].copy_from_slice(&digest.to_le_bytes());
        Self(xxh3_128(&bytes))
    }

    /// The head as two numbers, the lower half first.
    pub(crate) const fn halves(self) -> (i64, i64) {
        ((self.0 as u64).cast_signed(), ((self.0 >> 64) as u64).cast_signed())
    }

    /// The reverse of [`Head::halves`].
    pub(crate) const fn from_halves((low, high): (i64, i64)) -> Self {
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

/// Identity of a graph at one point of its history. A merge writes other files and leaves it as it is; two copies of a
/// store that were updated differently have different identities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphIdentity {
    /// Name of the graph over all stores that took each other's place: the `uuid` of the first.
    pub lineage: String,
    /// Number of its updates.
    pub generation: u64,
    /// Hash of all of them.
    pub head: Head,
}
