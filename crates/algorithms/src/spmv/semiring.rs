//! Semirings: the term of an edge, and the combination of the terms of a vertex.

use outcrop_engine::{EngineContext, unrolled_sum};
use outcrop_types::{VertexId, counted};

/// Combination of the terms of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// Sum.
    #[default]
    Plus,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

/// Term of an edge, from its weight and the value of the neighbor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeTerm {
    /// Weight times the value of the neighbor.
    #[default]
    Times,
    /// Weight plus the value of the neighbor.
    Plus,
    /// Value of the neighbor.
    First,
}

/// Semiring. Without weights every edge weighs 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Semiring {
    /// Combination of terms.
    pub combine: Combine,
    /// Term of an edge.
    pub term: EdgeTerm,
}

impl Semiring {
    /// Adds a note if `sums` results are null because they exceed numbers of `bytes` bytes; only sums overflow, while a
    /// minimum or maximum is null if there are no terms.
    pub(super) fn note_overflow(self, engine: &EngineContext<'_>, sums: u64, bytes: u64) {
        if sums > 0 && self.combine == Combine::Plus {
            let (precision, advice) = if bytes == 4 { ("f32", "; use --precision f64") } else { ("f64", "") };
            let are = if sums == 1 { "is" } else { "are" };
            engine.note(&format!("{} {are} too large for {precision} and left empty{advice}", counted(sums, "value")));
        }
    }

    /// Returns the combination of no terms.
    pub const fn identity(self) -> f64 {
        match self.combine {
            Combine::Plus => 0.0,
            Combine::Min => f64::INFINITY,
            Combine::Max => f64::NEG_INFINITY,
        }
    }

    /// Combines two values.
    #[inline]
    pub fn join(self, one: f64, other: f64) -> f64 {
        match self.combine {
            Combine::Plus => one + other,
            Combine::Min => one.min(other),
            Combine::Max => one.max(other),
        }
    }

    /// Returns the term of an edge.
    #[inline]
    pub fn term(self, weight: f64, value: f64) -> f64 {
        match self.term {
            EdgeTerm::Times => weight * value,
            EdgeTerm::Plus => weight + value,
            EdgeTerm::First => value,
        }
    }

    /// Returns the combination over a piece of a list; `value` returns the value at a position, which belongs to a
    /// vertex.
    #[inline]
    pub fn over(self, ids: &[VertexId], weights: Option<&[f64]>, value: impl Fn(usize, VertexId) -> f64) -> f64 {
        match (self.term, weights) {
            (EdgeTerm::First, _) | (EdgeTerm::Times, None) => self.combined(ids, value),
            (EdgeTerm::Plus, None) => self.combined(ids, |place, vertex| 1.0 + value(place, vertex)),
            (EdgeTerm::Times, Some(weights)) => {
                self.combined(ids, |place, vertex| weights[place] * value(place, vertex))
            }
            (EdgeTerm::Plus, Some(weights)) => {
                self.combined(ids, |place, vertex| weights[place] + value(place, vertex))
            }
        }
    }

    #[inline]
    fn combined(self, ids: &[VertexId], term: impl Fn(usize, VertexId) -> f64) -> f64 {
        let terms = || ids.iter().enumerate().map(|(place, vertex)| term(place, *vertex));
        match self.combine {
            Combine::Plus => unrolled_sum(ids, &term),
            Combine::Min => terms().fold(f64::INFINITY, f64::min),
            Combine::Max => terms().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}
