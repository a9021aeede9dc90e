//! Probability that flows along edges, shared by PageRank and personalized PageRank.

pub(crate) mod anderson;
pub(crate) mod fixed62;
pub(crate) mod out_weights;

/// Returns the number of rounds, at most `most`, until a probability that decays by `alpha` per round is at most
/// `left`.
pub(crate) fn rounds_until(left: f64, alpha: f64, most: u32) -> u32 {
    let rounds = (left.ln() / alpha.ln()).ceil();
    if rounds.is_finite() { (rounds as u32).max(1).min(most) } else { most }
}
