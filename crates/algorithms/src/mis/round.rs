//! States and random numbers of the rounds, independent of how they are exchanged.

use crate::IdOrder;
use crate::models::messages::Purpose;
use outcrop_types::{SplitMix64, VertexId};

/// State of a vertex outside the set.
pub const OUTSIDE: u32 = 0;

/// State of a member of the set.
pub const MEMBER: u32 = 1;

/// Initial state of every vertex; at the end no vertex has it.
pub const UNDECIDED: u32 = 2;

/// Random numbers of a round, by rank among the original IDs, so that the order of a store does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r> {
    ranks: IdOrder<'r>,
    numbers: SplitMix64,
}

impl<'r> Round<'r> {
    /// Creates the numbers of round `number`.
    pub const fn new(ranks: IdOrder<'r>, seed: u64, number: u32) -> Self {
        Self { ranks, numbers: SplitMix64::new(seed, Purpose::Rounds.of(number as u64)) }
    }

    /// Returns the number of `vertex`, unique in the round.
    #[inline]
    pub fn number(&self, vertex: VertexId) -> u64 {
        self.numbers.at(u64::from(self.ranks.of(vertex)))
    }
}
