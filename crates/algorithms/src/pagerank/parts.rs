//! Rank in two parts: sent and unsent.

use crate::probability::fixed62::probability_of;
use outcrop_engine::VertexArray;
use outcrop_types::Result;

/// Sent part of a rank, as the bits of an f64, and the unsent amount.
pub type Parts = [u64; 2];

pub(super) const fn parts(sent: f64, unsent: i64) -> Parts {
    [sent.to_bits(), unsent.cast_unsigned()]
}

pub(super) const fn sent([sent, _]: Parts) -> f64 {
    f64::from_bits(sent)
}

pub(super) const fn unsent([_, unsent]: Parts) -> i64 {
    unsent.cast_signed()
}

/// Returns the rank of a vertex, before all are scaled to sum to 1.
pub fn rank(parts: Parts) -> f64 {
    sent(parts) + probability_of(unsent(parts))
}

/// Returns the sum of all ranks, added sequentially.
pub(super) fn sum_of_ranks(values: &VertexArray<Parts>) -> Result<f64> {
    let mut sum = 0.0;
    values.for_each_block(|block| block.iter().for_each(|parts| sum += rank(*parts)))?;
    Ok(sum)
}
