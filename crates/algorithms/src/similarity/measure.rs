//! Measures of similarity.

use crate::params::{Param, choices};

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

choices!(Measure:
    "jaccard" => Self::Jaccard,
    "overlap" => Self::Overlap,
    "cosine" => Self::Cosine,
    "common" => Self::CommonNeighbors,
    "adamic-adar" => Self::AdamicAdar,
    "resource-allocation" => Self::ResourceAllocation,
);

/// Measure of a run.
pub(super) static MEASURE: Param<Measure> =
    Param::word("measure", "jaccard", "Measure of similarity").shown_as("MEASURE");

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

/// Sum of the terms of common neighbors of a vertex, in integers of 62 bits, so that the order of terms makes no
/// difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    measure: Measure,
    scale: f64,
}

impl Sums {
    /// Creates the sums of a vertex with `neighbors` neighbors.
    pub(super) fn new(measure: Measure, neighbors: u32) -> Self {
        let greatest = Measure::GREATEST_TERM * (f64::from(neighbors) + 1.0);
        Self { measure, scale: (61.0 - greatest.log2().ceil()).exp2() }
    }

    /// Returns the term of a common neighbor with `count` in-neighbors.
    pub(super) fn term(self, count: u32) -> u64 {
        (self.measure.term(count) * self.scale) as u64
    }

    /// Returns the value of a sum of terms.
    pub(super) fn of(self, sum: u64) -> f64 {
        sum as f64 / self.scale
    }
}
