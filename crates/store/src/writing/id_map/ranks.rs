//! Ranks of the numbers that IDs have while edges are read.

use super::ranked_bitmap::RankedBitmap;
use outcrop_types::{index_from, length_from};

/// Ranks of numbered IDs.
pub(in crate::writing) enum Ranks {
    /// The numbers are the IDs.
    Bitmap(RankedBitmap),
    /// Rank of each number.
    Table(Vec<u32>),
}

impl Ranks {
    /// Returns a number that all numbers are less than.
    pub(in crate::writing) fn numbers(&self) -> u64 {
        match self {
            Self::Bitmap(ranks) => ranks.ids(),
            Self::Table(ranks) => length_from(ranks.len()),
        }
    }

    /// Returns the rank of a number.
    #[inline]
    pub(in crate::writing) fn rank(&self, number: u32) -> u32 {
        match self {
            Self::Bitmap(ranks) => ranks.rank(number),
            Self::Table(ranks) => ranks[index_from(u64::from(number))],
        }
    }
}
