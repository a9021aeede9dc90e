//! Pieces of lists: as visitors see them, and with weights as they lie in a store.

use outcrop_types::{VertexId, WeightType, index_from};
use std::ops::{ControlFlow, Range};

/// A piece of a vertex's list.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours<'l> {
    ids: &'l [VertexId],
    weights: Option<&'l [f64]>,
}

impl<'l> Neighbours<'l> {
    /// The neighbours `ids`, each with the weight at the same position where there are weights.
    #[inline]
    pub fn new(ids: &'l [VertexId], weights: Option<&'l [f64]>) -> Self {
        debug_assert!(weights.is_none_or(|weights| weights.len() == ids.len()));
        Self { ids, weights }
    }

    /// The neighbours, ascending.
    #[inline]
    pub const fn ids(self) -> &'l [VertexId] {
        self.ids
    }

    /// The weight of each neighbour, in a store with weights.
    #[inline]
    pub const fn weights(self) -> Option<&'l [f64]> {
        self.weights
    }

    /// Calls `take` with each neighbour and its weight, which is 1 in a store without weights, until it breaks.
    ///
    /// # Errors
    /// None; `Break` is handed on.
    #[inline]
    pub fn try_for_each(self, mut take: impl FnMut(VertexId, f64) -> ControlFlow<()>) -> ControlFlow<()> {
        match self.weights {
            None => self.ids.iter().try_for_each(|id| take(*id, 1.0)),
            Some(weights) => self.ids.iter().zip(weights).try_for_each(|(id, weight)| take(*id, *weight)),
        }
    }

    /// The neighbours at these positions; none where there are not so many.
    #[inline]
    pub(crate) fn part(self, positions: Range<usize>) -> Self {
        // Default: positions behind the end hold none.
        let ids = self.ids.get(positions.clone()).unwrap_or_default();
        // Default: positions behind the end hold none.
        Self { ids, weights: self.weights.map(|weights| weights.get(positions).unwrap_or_default()) }
    }

    /// Number of neighbours in this piece.
    #[inline]
    pub const fn len(self) -> usize {
        self.ids.len()
    }

    /// True if the piece is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.ids.is_empty()
    }
}

/// Weights as a store keeps them.
#[derive(Clone, Copy, Debug)]
pub struct StoredWeights<'l> {
    kind: WeightType,
    bytes: &'l [u8],
}

impl<'l> StoredWeights<'l> {
    /// The weights of type `kind` that lie in `bytes` one after the other, aligned or not.
    #[inline]
    pub const fn new(kind: WeightType, bytes: &'l [u8]) -> Self {
        Self { kind, bytes }
    }

    /// True if all of them are numbers.
    #[inline]
    pub fn are_finite(self) -> bool {
        self.kind.are_finite(self.bytes)
    }

    /// Appends all of them.
    #[inline]
    pub fn widen(self, into: &mut Vec<f64>) {
        self.kind.widen(self.bytes, into);
    }

    /// The weights as they lie, where nothing needs to be widened.
    #[inline]
    pub fn in_place(self) -> Option<&'l [f64]> {
        match self.kind {
            WeightType::F64 => bytemuck::try_cast_slice(self.bytes).ok(),
            _ => None,
        }
    }

    /// Returns the weights at these positions; empty if some are out of range.
    #[inline]
    pub fn part(self, positions: Range<usize>) -> Self {
        let each = index_from(self.kind.bytes());
        // Default: positions behind the end hold none.
        let bytes = self.bytes.get(each * positions.start..each * positions.end).unwrap_or_default();
        Self { bytes, ..self }
    }

    /// The first `entries`, and the others.
    #[inline]
    pub fn split_at(self, entries: usize) -> (Self, Self) {
        let place = index_from(self.kind.bytes_for(entries));
        // Default: positions behind the end hold none.
        let (now, later) = self.bytes.split_at_checked(place).unwrap_or_default();
        (Self { bytes: now, ..self }, Self { bytes: later, ..self })
    }
}

/// A piece of a vertex's list as a store keeps it; what [`super::Packer`] takes.
#[derive(Clone, Copy, Debug)]
pub struct StoredNeighbours<'l> {
    ids: &'l [VertexId],
    weights: Option<StoredWeights<'l>>,
}

impl<'l> StoredNeighbours<'l> {
    /// A list without entries.
    pub const EMPTY: Self = Self { ids: &[], weights: None };

    /// The neighbours `ids`, each with the weight at the same position where there are weights.
    #[inline]
    pub const fn new(ids: &'l [VertexId], weights: Option<StoredWeights<'l>>) -> Self {
        Self { ids, weights }
    }

    /// The neighbours.
    #[inline]
    pub const fn ids(self) -> &'l [VertexId] {
        self.ids
    }

    /// Their weights.
    #[inline]
    pub const fn weights(self) -> Option<StoredWeights<'l>> {
        self.weights
    }

    /// Number of neighbours.
    #[inline]
    pub const fn len(self) -> usize {
        self.ids.len()
    }

    /// True if there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// The neighbours at these positions; none where there are not so many.
    #[inline]
    pub fn part(self, positions: Range<usize>) -> Self {
        let weights = self.weights.map(|weights| weights.part(positions.clone()));
        // Default: positions behind the end hold none.
        Self { ids: self.ids.get(positions).unwrap_or_default(), weights }
    }

    /// The neighbours alone.
    #[inline]
    pub const fn without_weights(self) -> Self {
        Self { weights: None, ..self }
    }
}

impl<'l> From<Neighbours<'l>> for StoredNeighbours<'l> {
    #[inline]
    fn from(list: Neighbours<'l>) -> Self {
        let weights = list.weights().map(|weights| StoredWeights::new(WeightType::F64, bytemuck::cast_slice(weights)));
        Self { ids: list.ids(), weights }
    }
}
