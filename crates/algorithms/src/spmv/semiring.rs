//! Semirings: what a neighbour's value becomes along an edge, and how those of a vertex come together.

use outcrop_engine::{Shell, unrolled_sum};
use outcrop_types::{VertexId, counted};

/// Way that the terms of a vertex are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// Their sum.
    #[default]
    Plus,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// Term of an edge, of its weight and the value of the neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeTerm {
    /// The weight times the value of the neighbour.
    #[default]
    Times,
    /// The weight plus the value of the neighbour.
    Plus,
    /// The value of the neighbour alone.
    First,
}

/// Combination of terms. Without weights every edge weighs 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Semiring {
    /// Way that terms come together.
    pub combine: Combine,
    /// Term of an edge.
    pub term: EdgeTerm,
}

impl Semiring {
    /// Notes that so many `sums` are not finite in the precision of numbers of so many `bytes`, which makes them empty;
    /// least and greatest values are so where there is none.
    pub(super) fn note_overflow(self, engine: &Shell<'_>, sums: u64, bytes: u64) {
        if sums > 0 && self.combine == Combine::Plus {
            let (precision, advice) = if bytes == 4 { ("f32", "; use --precision f64") } else { ("f64", "") };
            let are = if sums == 1 { "is" } else { "are" };
            engine.note(&format!("{} {are} too large for {precision} and left empty{advice}", counted(sums, "value")));
        }
    }

    /// The combination of no terms.
    pub const fn identity(self) -> f64 {
        match self.combine {
            Combine::Plus => 0.0,
            Combine::Min => f64::INFINITY,
            Combine::Max => f64::NEG_INFINITY,
        }
    }

    /// Two combinations as one.
    #[inline]
    pub fn join(self, one: f64, other: f64) -> f64 {
        match self.combine {
            Combine::Plus => one + other,
            Combine::Min => one.min(other),
            Combine::Max => one.max(other),
        }
    }

    /// The term of an edge.
    #[inline]
    pub fn term(self, weight: f64, value: f64) -> f64 {
        match self.term {
            EdgeTerm::Times => weight * value,
            EdgeTerm::Plus => weight + value,
            EdgeTerm::First => value,
        }
    }

    /// The combination over a piece of a list; `value` is asked for the value at a position, which is that of a vertex.
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
