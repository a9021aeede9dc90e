//! Results and their digests, for comparing runs.

use outcrop_algorithms::{AtomicFloat, UNREACHED};
use outcrop_types::VertexId;
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// Number of ranks in a digest.
const TOP: usize = 5;

/// One value per vertex.
pub enum Answer {
    /// Numbers of edges, or vertices.
    Counts(Vec<u32>),
    /// Sums of weights.
    Distances(Box<dyn Numbers>),
    /// Shares of 1.
    Ranks(Box<dyn Numbers>),
}

/// Numbers of either precision, in the representation of the algorithm.
pub trait Numbers: Send {
    /// Returns the number of values.
    fn count(&self) -> usize;
    /// Returns the value of a vertex.
    fn at(&self, place: usize) -> f64;
}

impl<F: AtomicFloat> Numbers for Vec<F> {
    fn count(&self) -> usize {
        self.len()
    }

    fn at(&self, place: usize) -> f64 {
        self[place].load()
    }
}

/// Returns all values in order.
pub fn all(numbers: &dyn Numbers) -> impl Iterator<Item = f64> {
    (0..numbers.count()).map(|place| numbers.at(place))
}

/// Digest of a result.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Digest {
    /// Digest of distances and components.
    Values {
        /// Number of vertices with a value.
        reached: usize,
        /// XXH3-64 of all values in little-endian bytes, in hexadecimal digits.
        xxh3: String,
    },
    /// Digest of ranks.
    Ranks {
        /// Sum of the ranks.
        sum: f64,
        /// Highest ranks, each with its vertex.
        top: Vec<(VertexId, f64)>,
    },
}

impl Answer {
    /// Returns the digest.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Counts(values) => {
                let reached = values.iter().filter(|value| **value != UNREACHED).count();
                of_bytes(reached, values.iter().map(|value| value.to_le_bytes()))
            }
            Self::Distances(values) => {
                let reached = all(values.as_ref()).filter(|value| value.is_finite()).count();
                of_bytes(reached, all(values.as_ref()).map(f64::to_le_bytes))
            }
            Self::Ranks(ranks) => of_ranks(ranks.as_ref()),
        }
    }
}

fn of_bytes<const N: usize>(reached: usize, values: impl Iterator<Item = [u8; N]>) -> Digest {
    let mut hash = Xxh3::new();
    values.for_each(|bytes| hash.update(&bytes));
    Digest::Values { reached, xxh3: format!("{:016x}", hash.digest()) }
}

fn of_ranks(ranks: &dyn Numbers) -> Digest {
    let mut top: Vec<(VertexId, f64)> = Vec::with_capacity(TOP + 1);
    for (vertex, rank) in (0..).zip(all(ranks)) {
        if top.len() < TOP || top.last().is_some_and(|(_, least)| rank > *least) {
            let place = top.partition_point(|(_, other)| *other >= rank);
            top.insert(place, (vertex, rank));
            top.truncate(TOP);
        }
    }
    Digest::Ranks { sum: all(ranks).sum(), top }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn the_highest_ranks_are_told_in_order_and_the_first_of_equals_first() {
        let ranks: Vec<AtomicU64> = [1.0, 7.0, 3.0, 7.0, 0.0, 2.0, 9.0].into_iter().map(AtomicFloat::new).collect();
        let told = vec![(6, 9.0), (1, 7.0), (3, 7.0), (2, 3.0), (5, 2.0)];
        assert_eq!(Answer::Ranks(Box::new(ranks)).digest(), Digest::Ranks { sum: 29.0, top: told });
    }

    #[test]
    fn a_digest_counts_what_was_reached() {
        let Digest::Values { reached, xxh3 } = Answer::Counts(vec![0, UNREACHED, 4]).digest() else { panic!() };
        assert_eq!((reached, xxh3.len()), (2, 16));
    }
}
