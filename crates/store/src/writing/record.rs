//! Records that builds sort: list entries, edges, and IDs.

use crate::arc_hash::ArcHash;
use crate::sort::{Record, SortKey};
use bytemuck::{Pod, Zeroable};
use outcrop_types::{Direction, VertexId};

/// List entry without a weight: `neighbor` in the list of `vertex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Arc(u64);

/// List entry with a weight.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WeightedArc {
    neighbor: VertexId,
    vertex: VertexId,
    weight: f64,
}

/// Common interface of both kinds of list entries.
pub(crate) trait ArcRecord: Record<Key = u64> {
    /// Creates the entry of `neighbor` in the list of `vertex`; entries without weights ignore `weight`.
    fn new(vertex: VertexId, neighbor: VertexId, weight: f64) -> Self;
    /// Returns vertex, neighbor and weight.
    fn parts(self) -> (VertexId, VertexId, f64);
    /// True if entries have weights.
    const WEIGHTED: bool;

    /// Returns the hash of the arc of this entry in a list of `direction`.
    #[inline]
    fn hash(self, direction: Direction) -> ArcHash {
        let (vertex, neighbor, weight) = self.parts();
        let weight = Self::WEIGHTED.then_some(weight);
        match direction {
            Direction::Out => ArcHash::of(vertex, neighbor, weight),
            Direction::In => ArcHash::of(neighbor, vertex, weight),
        }
    }
}

const fn join(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

const fn split(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

impl Record for Arc {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        self.0
    }
}

impl ArcRecord for Arc {
    const WEIGHTED: bool = false;

    #[inline]
    fn new(vertex: VertexId, neighbor: VertexId, _: f64) -> Self {
        Self(join(vertex, neighbor))
    }

    #[inline]
    fn parts(self) -> (VertexId, VertexId, f64) {
        let (vertex, neighbor) = split(self.0);
        (vertex, neighbor, 1.0)
    }
}

impl Record for WeightedArc {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        join(self.vertex, self.neighbor)
    }
}

impl ArcRecord for WeightedArc {
    const WEIGHTED: bool = true;

    #[inline]
    fn new(vertex: VertexId, neighbor: VertexId, weight: f64) -> Self {
        Self { neighbor, vertex, weight }
    }

    #[inline]
    fn parts(self) -> (VertexId, VertexId, f64) {
        (self.vertex, self.neighbor, self.weight)
    }
}

/// Fixed-size key of an original ID: an integer itself, or the 128-bit hash of a string.
pub(crate) trait IdKey: SortKey + Pod {
    /// Stores a rank in the width of a key, for the other endpoint of a [`KeyedEdge`].
    fn from_rank(rank: u32) -> Self;
    /// Returns the rank given to [`IdKey::from_rank`].
    fn to_rank(self) -> u32;
}

impl IdKey for u64 {
    fn from_rank(rank: u32) -> Self {
        Self::from(rank)
    }

    fn to_rank(self) -> u32 {
        self as u32
    }
}

impl IdKey for u128 {
    fn from_rank(rank: u32) -> Self {
        Self::from(rank)
    }

    fn to_rank(self) -> u32 {
        self as u32
    }
}

/// Key without other data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct UniqueKey<K>(pub K);

impl<K: IdKey> Record for UniqueKey<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.0
    }
}

/// Key and rank of an ID.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed)]
pub(crate) struct KeyedRank<K> {
    /// Key.
    pub key: K,
    /// Rank.
    pub rank: u32,
}

impl<K: IdKey> Record for KeyedRank<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.key
    }
}

/// Edge sorted by the endpoint to be looked up next.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed)]
pub(crate) struct KeyedEdge<K> {
    /// Endpoint to sort by.
    pub key: K,
    /// Other endpoint: a key, or a rank once it is known.
    pub other: K,
    /// Weight of the edge.
    pub weight: f64,
}

impl<K: IdKey> Record for KeyedEdge<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.key
    }
}
