//! Walks that follow weighted edges: the share of an edge is proportional to its weight among the out-edges of its
//! source.

use crate::AtomicFloat;
use crate::weights::{Refused, RefusedEdge, is_summand};
use outcrop_engine::{Engine, Gather, unrolled_sum};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, Error, Result, VertexId, VertexValues};
use std::sync::atomic::AtomicU64;

/// Out-edges of a vertex as seen by walks: their number, or the sum of their weights.
pub trait OutEdges: Copy + Send + Sync + 'static {
    /// True if weights count.
    const WEIGHTED: bool;

    /// Type of the share per edge or unit of weight if ranks are stored as `F`: that of a tiny weight may be huge.
    type Share<F: AtomicFloat>: AtomicFloat;

    /// Returns true if walks follow no edge.
    fn is_none(self) -> bool;

    /// Returns the divisor for the share per edge or unit of weight: 1 if there are none.
    fn divisor(self) -> f64;

    /// Returns the share per edge or unit of weight of an `amount` of probability; there must be edges.
    fn share(self, amount: i64) -> i64;

    /// Returns the amount along an edge of `weight`, given the share.
    fn along(share: i64, weight: f64) -> i64;
}

/// Number of out-edges of equal weight.
impl OutEdges for u32 {
    const WEIGHTED: bool = false;
    type Share<F: AtomicFloat> = F;

    #[inline]
    fn is_none(self) -> bool {
        self == 0
    }

    #[inline]
    fn divisor(self) -> f64 {
        f64::from(self.max(1))
    }

    #[inline]
    fn share(self, amount: i64) -> i64 {
        amount / i64::from(self)
    }

    #[inline]
    fn along(share: i64, _: f64) -> i64 {
        share
    }
}

/// Total weight of the out-edges; the share per unit of weight is stored as the bits of a number.
impl OutEdges for f64 {
    const WEIGHTED: bool = true;
    type Share<F: AtomicFloat> = AtomicU64;

    #[inline]
    fn is_none(self) -> bool {
        self == 0.0
    }

    #[inline]
    fn divisor(self) -> f64 {
        if self == 0.0 { 1.0 } else { self }
    }

    #[inline]
    fn share(self, amount: i64) -> i64 {
        (amount as Self / self).to_bits().cast_signed()
    }

    #[inline]
    fn along(share: i64, weight: f64) -> i64 {
        (Self::from_bits(share.cast_unsigned()) * weight) as i64
    }
}

/// Sum of the weights of a list that arrives in pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightSum {
    sum: f64,
    /// First neighbor with a refused weight, and the weight.
    refused: Option<(VertexId, f64)>,
}

impl WeightSum {
    /// Creates an empty sum.
    pub(crate) const fn new() -> Self {
        Self { sum: 0.0, refused: None }
    }

    /// Adds a piece.
    #[inline]
    pub(crate) fn add(&mut self, ids: &[VertexId], weights: Option<&[f64]>) {
        let Some(weights) = weights else {
            self.sum += ids.len() as f64;
            return;
        };
        let is_refused = |weight: &f64| !is_summand(*weight);
        if self.refused.is_none() && weights.iter().any(is_refused) {
            self.refused = ids.iter().copied().zip(weights.iter().copied()).find(|(_, weight)| is_refused(weight));
        }
        self.sum += unrolled_sum(ids, |place, _| weights[place]);
    }

    /// Returns the sum; `refused` receives an invalid edge from `source`.
    #[inline]
    pub(crate) fn of(self, source: VertexId, refused: &Refused) -> f64 {
        if let Some((target, weight)) = self.refused {
            refused.note(source, target, weight);
        }
        self.sum
    }
}

/// Returns the sum of the weights of a whole list of `source`; `refused` receives an invalid edge.
pub(crate) fn sum_of(list: Neighbors<'_>, source: VertexId, refused: &Refused) -> f64 {
    let mut sum = WeightSum::new();
    sum.add(list.ids(), list.weights());
    sum.of(source, refused)
}

/// Fold that stores the sums of weights of lists.
pub(crate) struct SumWeights<'s> {
    pub(crate) sums: &'s VertexValues<AtomicU64>,
    pub(crate) refused: &'s Refused,
}

impl Gather for SumWeights<'_> {
    type Sum = WeightSum;

    fn begin(&self, _: VertexId) -> WeightSum {
        WeightSum::new()
    }

    #[inline]
    fn gather(&self, sum: &mut WeightSum, piece: Neighbors<'_>) {
        sum.add(piece.ids(), piece.weights());
    }

    #[inline]
    fn apply(&self, vertex: VertexId, sum: WeightSum) {
        AtomicFloat::store(&self.sums[vertex as usize], sum.of(vertex, self.refused));
    }
}

/// Returns the sums of the weights of all out-lists, computed in one pass; 0 unless weights are `on`.
///
/// # Errors
///
/// Returns the error that `refuse` creates from an edge with an invalid weight, or an error if a read fails or the data
/// is damaged, if the budget is too small, or if the run is interrupted.
pub(crate) fn sums_of_all(
    engine: &Engine<'_>,
    on: bool,
    refuse: impl FnOnce(RefusedEdge) -> Error,
) -> Result<VertexValues<f64>> {
    let refused = Refused::new();
    let sums = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
    if on {
        engine.gather_along(Direction::Out, &SumWeights { sums: &sums, refused: &refused })?;
    }
    refused.check(refuse)?;
    Ok(sums.map(AtomicU64::into_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: &[f64]) -> (f64, Option<RefusedEdge>) {
        let (ids, refused): (Vec<u32>, _) = ((10..).take(weights.len()).collect(), Refused::new());
        let sum = sum_of(Neighbors::new(&ids, Some(weights)), 3, &refused);
        (sum, refused.edge())
    }

    #[test]
    fn weights_add_up_and_those_that_must_not_be_are_told() {
        assert_eq!(sum(&[0.5, 0.0, 2.0]), (2.5, None));
        assert_eq!(sum(&[]), (0.0, None));
        assert_eq!(sum(&[1e-280, 1e270]), (1e270, None));
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e-281, 1e271] {
            let edge = sum(&[1.0, wrong, -7.0]).1.unwrap();
            assert!((edge.source, edge.target) == (3, 11) && edge.weight.to_bits() == wrong.to_bits(), "{edge:?}");
        }
    }

    #[test]
    fn parts_of_an_amount_come_to_it() {
        let amount = 1 << 60;
        assert_eq!(u32::along(3_u32.share(amount), 5.0), amount / 3);
        for weights in [vec![0.1, 0.2, 0.7], vec![3.0, 0.0, 1e-9], vec![1e-280, 1e-280], vec![1e270, 1e269]] {
            let share = sum(&weights).0.share(amount);
            let parts: i64 = weights.iter().map(|weight| f64::along(share, *weight)).sum();
            assert!(parts.abs_diff(amount) < 1 << 10, "{parts} of {amount}");
        }
    }
}
