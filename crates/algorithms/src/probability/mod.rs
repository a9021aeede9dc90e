//! Probability that flows along edges, as PageRank and personalised PageRank share it.

pub(crate) mod fixed62;
pub mod out_weights;

/// Rounds until the part `left` is left of a probability that falls by `alpha` in each, at most `most`.
pub(crate) fn rounds_until(left: f64, alpha: f64, most: u32) -> u32 {
    let rounds = (left.ln() / alpha.ln()).ceil();
    if rounds.is_finite() { (rounds as u32).max(1).min(most) } else { most }
}
