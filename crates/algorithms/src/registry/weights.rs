//! Use of the weights of a weighted store.

use super::Algorithm;

/// Use that an algorithm makes of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// They count.
    Used,
    /// They count where the parameter `weighted` asks for it.
    OnRequest,
    /// There is a weighted form, with other answers, which is not computed.
    Ignored,
    /// There is no weighted form that readers would expect.
    Meaningless,
}

impl Algorithm {
    /// Use of the weights of a weighted store. Those are [`Weights::Ignored`] whose namesakes in NetworkX take a `weight` (PageRank,
    /// betweenness, clustering, distances and eccentricities), and the two models of physics, whose edges have couplings and conductances.
    pub const fn weights(self) -> Weights {
        match self {
            Self::Sssp | Self::Spmv | Self::Walks => Weights::Used,
            Self::LabelPropagation => Weights::OnRequest,
            Self::PageRank
            | Self::PersonalizedPageRank
            | Self::Betweenness
            | Self::Clustering
            | Self::Radii
            | Self::Diameter
            | Self::Radius
            | Self::Eccentricity
            | Self::Distances
            | Self::Beliefs
            | Self::Heat => Weights::Ignored,
            Self::Bfs
            | Self::Wcc
            | Self::Scc
            | Self::KCore
            | Self::Triangles
            | Self::Coloring
            | Self::IndependentSet => Weights::Meaningless,
        }
    }
}
