//! Pieces of lists, as visitors see them and as stores encode their weights.

use outcrop_types::{VertexId, WeightType, index_from};
use std::ops::{ControlFlow, Range};

/// Piece of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'l> {
    ids: &'l [VertexId],
    weights: Option<&'l [f64]>,
}

impl<'l> Neighbors<'l> {
    /// Creates a piece of the neighbors `ids` with the weights at the same positions, if there are weights.
    #[inline]
    pub fn new(ids: &'l [VertexId], weights: Option<&'l [f64]>) -> Self {
        debug_assert!(weights.is_none_or(|weights| weights.len() == ids.len()));
        Self { ids, weights }
    }

    /// Returns the neighbors, ascending.
    #[inline]
    pub const fn ids(self) -> &'l [VertexId] {
        self.ids
    }

    /// Returns the weight of each neighbor, in a store with weights.
    #[inline]
    pub const fn weights(self) -> Option<&'l [f64]> {
        self.weights
    }

    /// Calls `take` with each neighbor and its weight (1 in a store without weights) until it returns `Break`.
    ///
    /// # Errors
    ///
    /// Never fails; returns `Break` if `take` does.
    #[inline]
    pub fn try_for_each(self, mut take: impl FnMut(VertexId, f64) -> ControlFlow<()>) -> ControlFlow<()> {
        match self.weights {
            None => self.ids.iter().try_for_each(|id| take(*id, 1.0)),
            Some(weights) => self.ids.iter().zip(weights).try_for_each(|(id, weight)| take(*id, *weight)),
        }
    }

    /// Returns the neighbors at these positions; empty if the positions are out of range.
    #[inline]
    pub(crate) fn part(self, positions: Range<usize>) -> Self {
        // Default: positions past the end are empty.
        let ids = self.ids.get(positions.clone()).unwrap_or_default();
        // Default: positions past the end are empty.
        Self { ids, weights: self.weights.map(|weights| weights.get(positions).unwrap_or_default()) }
    }

    /// Returns the number of neighbors in this piece.
    #[inline]
    pub const fn len(self) -> usize {
        self.ids.len()
    }

    /// Returns true if the piece is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.ids.is_empty()
    }
}

/// Weights in the encoding of a store.
#[derive(Clone, Copy, Debug)]
pub struct StoredWeights<'l> {
    kind: WeightType,
    bytes: &'l [u8],
}

impl<'l> StoredWeights<'l> {
    /// Creates the weights of type `kind` from consecutive, possibly unaligned values in `bytes`.
    #[inline]
    pub(crate) const fn new(kind: WeightType, bytes: &'l [u8]) -> Self {
        Self { kind, bytes }
    }

    /// Returns true if all weights are finite.
    #[inline]
    pub(crate) fn are_finite(self) -> bool {
        self.kind.are_finite(self.bytes)
    }

    /// Appends all weights as double-precision numbers.
    #[inline]
    pub(crate) fn widen(self, into: &mut Vec<f64>) {
        self.kind.widen(self.bytes, into);
    }

    /// Returns the weights without copying, if they need not be widened.
    #[inline]
    pub(crate) fn in_place(self) -> Option<&'l [f64]> {
        match self.kind {
            WeightType::F64 => bytemuck::try_cast_slice(self.bytes).ok(),
            _ => None,
        }
    }

    /// Returns the weights at these positions; empty if some are out of range.
    #[inline]
    pub(crate) fn part(self, positions: Range<usize>) -> Self {
        let each = index_from(self.kind.bytes());
        // Default: positions past the end are empty.
        let bytes = self.bytes.get(each * positions.start..each * positions.end).unwrap_or_default();
        Self { bytes, ..self }
    }

    /// Splits into the first `entries` weights and the rest.
    #[inline]
    pub(crate) fn split_at(self, entries: usize) -> (Self, Self) {
        let place = index_from(self.kind.bytes_for(entries));
        // Default: positions past the end are empty.
        let (now, later) = self.bytes.split_at_checked(place).unwrap_or_default();
        (Self { bytes: now, ..self }, Self { bytes: later, ..self })
    }
}

/// Piece of a vertex's list in the encoding of a store; the input of [`super::Packer`].
#[derive(Clone, Copy, Debug)]
pub struct StoredNeighbors<'l> {
    ids: &'l [VertexId],
    weights: Option<StoredWeights<'l>>,
}

impl<'l> StoredNeighbors<'l> {
    /// List without entries.
    pub(crate) const EMPTY: Self = Self { ids: &[], weights: None };

    /// Creates a piece of the neighbors `ids` with the weights at the same positions, if there are weights.
    #[inline]
    pub(crate) const fn new(ids: &'l [VertexId], weights: Option<StoredWeights<'l>>) -> Self {
        Self { ids, weights }
    }

    /// Returns the neighbors.
    #[inline]
    pub(crate) const fn ids(self) -> &'l [VertexId] {
        self.ids
    }

    /// Returns the weights of the neighbors.
    #[inline]
    pub(crate) const fn weights(self) -> Option<StoredWeights<'l>> {
        self.weights
    }

    /// Returns the number of neighbors.
    #[inline]
    pub(crate) const fn len(self) -> usize {
        self.ids.len()
    }

    /// Returns true if there are no neighbors.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the neighbors at these positions; empty if the positions are out of range.
    #[inline]
    pub(crate) fn part(self, positions: Range<usize>) -> Self {
        let weights = self.weights.map(|weights| weights.part(positions.clone()));
        // Default: positions past the end are empty.
        Self { ids: self.ids.get(positions).unwrap_or_default(), weights }
    }

    /// Returns the neighbors without weights.
    #[inline]
    pub(crate) const fn without_weights(self) -> Self {
        Self { weights: None, ..self }
    }
}

impl<'l> From<Neighbors<'l>> for StoredNeighbors<'l> {
    #[inline]
    fn from(list: Neighbors<'l>) -> Self {
        let weights = list.weights().map(|weights| StoredWeights::new(WeightType::F64, bytemuck::cast_slice(weights)));
        Self { ids: list.ids(), weights }
    }
}
