//! Descending score, such as PageRank: the most important vertices come first.

use outcrop_types::{Permutation, VertexId};
use std::cmp::Reverse;

/// Orders vertices by descending score, ties by lower number. Takes 8 bytes per vertex in addition to the scores, which
/// may be `f32` or `f64`.
pub fn by_score<S: Copy + Into<f64>>(scores: &[S]) -> Permutation {
    let mut vertices: Vec<VertexId> = (0..).take(scores.len()).collect();
    vertices.sort_unstable_by_key(|vertex| (Reverse(ordered(scores[*vertex as usize].into())), *vertex));
    Permutation::from_order(&vertices)
}

/// Returns bits that compare like the numbers (IEEE 754, totalOrder).
const fn ordered(score: f64) -> i64 {
    let bits = score.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_scores_come_first_and_ties_keep_their_order() {
        assert_eq!(by_score(&[0.1_f32, 0.5, -1.0, 0.5, f32::INFINITY]).as_slice(), [3, 1, 4, 2, 0]);
        assert_eq!(by_score(&[-2.0_f64, -1.0, 0.0]).as_slice(), [2, 1, 0]);
        assert!(by_score::<f64>(&[]).is_empty());
    }
}
