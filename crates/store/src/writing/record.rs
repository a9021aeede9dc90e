//! Records that builds sort: list entries, and edges and ids on their way to them.

use crate::arc_hash::ArcHash;
use crate::sort::{Record, SortKey};
use bytemuck::{Pod, Zeroable};
use outcrop_types::{Direction, VertexId};

/// A list entry without a weight: `neighbour` in the list of `vertex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Arc(u64);

/// A list entry with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WeightedArc {
    neighbour: VertexId,
    vertex: VertexId,
    weight: f64,
}

/// Common interface of both kinds of list entries.
pub trait ArcRecord: Record<Key = u64> {
    /// `neighbour` in the list of `vertex`; the weight is forgotten by entries without one.
    fn new(vertex: VertexId, neighbour: VertexId, weight: f64) -> Self;
    /// Vertex, neighbour and weight.
    fn parts(self) -> (VertexId, VertexId, f64);
    /// True if entries have weights.
    const WEIGHTED: bool;

    /// Hash of the arc that this entry is, in a list of `direction`.
    #[inline]
    fn hash(self, direction: Direction) -> ArcHash {
        let (vertex, neighbour, weight) = self.parts();
        let weight = Self::WEIGHTED.then_some(weight);
        match direction {
            Direction::Out => ArcHash::of(vertex, neighbour, weight),
            Direction::In => ArcHash::of(neighbour, vertex, weight),
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
    fn new(vertex: VertexId, neighbour: VertexId, _: f64) -> Self {
        Self(join(vertex, neighbour))
    }

    #[inline]
    fn parts(self) -> (VertexId, VertexId, f64) {
        let (vertex, neighbour) = split(self.0);
        (vertex, neighbour, 1.0)
    }
}

impl Record for WeightedArc {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        join(self.vertex, self.neighbour)
    }
}

impl ArcRecord for WeightedArc {
    const WEIGHTED: bool = true;

    #[inline]
    fn new(vertex: VertexId, neighbour: VertexId, weight: f64) -> Self {
        Self { neighbour, vertex, weight }
    }

    #[inline]
    fn parts(self) -> (VertexId, VertexId, f64) {
        (self.vertex, self.neighbour, self.weight)
    }
}

/// An id that stands for one of the user's: a whole number itself, or the 128-bit hash of a text.
pub trait IdKey: SortKey + Pod {
    /// The other kind of endpoint beside a key in a [`KeyedEdge`], as wide as the key.
    fn from_rank(rank: u32) -> Self;
    /// The rank that [`IdKey::from_rank`] took.
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

/// A key alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct UniqueKey<K>(pub K);

impl<K: IdKey> Record for UniqueKey<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.0
    }
}

/// A key and the rank that its id has.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed)]
pub struct KeyedRank<K> {
    /// The key.
    pub key: K,
    /// The rank.
    pub rank: u32,
}

impl<K: IdKey> Record for KeyedRank<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.key
    }
}

/// An edge, sorted by the endpoint that is looked up next.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed)]
pub struct KeyedEdge<K> {
    /// The endpoint that it is sorted by.
    pub key: K,
    /// The other endpoint: a key, or a rank once that is known.
    pub other: K,
    /// The edge's weight.
    pub weight: f64,
}

impl<K: IdKey> Record for KeyedEdge<K> {
    type Key = K;

    #[inline]
    fn key(&self) -> K {
        self.key
    }
}
