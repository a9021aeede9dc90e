//! Probability that flows along edges, as PageRank and personalised PageRank share it.

pub(crate) mod fixed62;
pub mod out_weights;
