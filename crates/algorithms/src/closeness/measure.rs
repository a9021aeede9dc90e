//! Centralities by distance, as sums over the vertices that reach a vertex.

use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::Engine;
use outcrop_types::{Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::AtomicU64;

/// Centrality by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Inverse of the mean distance.
    Closeness {
        /// True to multiply by the fraction of vertices that reach the vertex (Wasserman and Faust, 1994).
        scaled: bool,
    },
    /// Sum of the inverses of the distances.
    Harmonic,
}

/// Vertices that reach a vertex, other than itself.
pub(super) struct Reached {
    /// Number of vertices.
    pub(super) count: f64,
    /// Number of vertices that each stands for.
    pub(super) weight: f64,
}

impl Measure {
    /// Returns the term of a vertex at `distance` edges, at least 1.
    #[inline]
    pub(super) fn term(self, distance: u32) -> f64 {
        match self {
            Self::Closeness { .. } => f64::from(distance),
            Self::Harmonic => 1.0 / f64::from(distance),
        }
    }

    /// Returns the centrality from the sum of terms, in a graph with `others` other vertices.
    fn value(self, sum: f64, reached: &Reached, others: f64) -> f64 {
        match self {
            Self::Harmonic => sum * reached.weight,
            Self::Closeness { .. } if sum <= 0.0 => 0.0,
            Self::Closeness { scaled: false } => reached.count / sum,
            Self::Closeness { scaled: true } => {
                reached.count / sum * (reached.count * reached.weight / others).min(1.0)
            }
        }
    }

    /// Returns true if centralities depend on the number of vertices.
    pub(super) const fn counts(self) -> bool {
        matches!(self, Self::Closeness { .. })
    }

    /// Turns sums of terms into centralities.
    pub(super) fn outcome(
        self,
        engine: &Engine<'_>,
        sums: VertexValues<AtomicU64>,
        iterations: u32,
        reached: impl Fn(VertexId) -> Reached + Sync,
    ) -> Result<Outcome> {
        let others = f64::from(engine.vertices()) - 1.0;
        engine.vertex_map(&VertexSet::all(engine.vertices()), |vertex| {
            let sum: &AtomicU64 = &sums[vertex as usize];
            AtomicFloat::store(sum, self.value(AtomicFloat::load(sum), &reached(vertex), others));
        });
        let name = if self == Self::Harmonic { "harmonic" } else { "closeness" };
        let values = Values::Float64(sums.map(AtomicU64::into_plain));
        Ok(Outcome::new(vec![Column::new(name, values)], iterations))
    }
}
