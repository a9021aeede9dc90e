//! Measures of similarity.

/// Measure of similarity of two vertices, from their sets of out-neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Common neighbors divided by the size of the union.
    Jaccard,
    /// Common neighbors divided by the size of the smaller set.
    Overlap,
    /// Common neighbors divided by the geometric mean of the sizes.
    Cosine,
    /// Number of common neighbors.
    CommonNeighbors,
    /// Sum of 1 / log(number of in-neighbors) of the common neighbors.
    AdamicAdar,
    /// Sum of 1 / (number of in-neighbors) of the common neighbors.
    ResourceAllocation,
}

impl Measure {
    /// Returns true if the measure depends on the sizes of both sets.
    pub(super) const fn needs_sizes(self) -> bool {
        matches!(self, Self::Jaccard | Self::Overlap | Self::Cosine)
    }

    /// Returns true if the term of a common neighbor depends on the number of its in-neighbors.
    pub(super) const fn needs_popularity(self) -> bool {
        matches!(self, Self::AdamicAdar | Self::ResourceAllocation)
    }

    /// Returns the term of a common neighbor with `count` in-neighbors, at most [`Measure::GREATEST_TERM`]. A common
    /// neighbor has two or more.
    pub(super) fn term(self, count: u32) -> f64 {
        let count = f64::from(count.max(2));
        match self {
            Self::AdamicAdar => count.ln().recip(),
            Self::ResourceAllocation => count.recip(),
            Self::Jaccard | Self::Overlap | Self::Cosine | Self::CommonNeighbors => 1.0,
        }
    }

    /// Upper bound of [`Measure::term`].
    pub(super) const GREATEST_TERM: f64 = 1.5;

    /// Returns the similarity of sets of these sizes whose common members have terms with this sum.
    pub(super) fn similarity(self, common: f64, [one, other]: [u32; 2]) -> f64 {
        let [one, other] = [one, other].map(f64::from);
        match self {
            Self::Jaccard => common / (one + other - common),
            Self::Overlap => common / one.min(other),
            Self::Cosine => common / (one * other).sqrt(),
            Self::CommonNeighbors | Self::AdamicAdar | Self::ResourceAllocation => common,
        }
    }
}
