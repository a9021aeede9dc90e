//! Order of coloring and states of vertices, independent of how colors are exchanged.

use crate::IdOrder;
use crate::models::messages::Purpose;
use outcrop_types::{SplitMix64, VertexId};

/// Number of colors in the window that a vertex examines at once, one bit each.
const WINDOW: u32 = u32::BITS;

/// Random order of the vertices that are removed together. It is by rank among the original IDs, so that the order of a
/// store does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Order<'r> {
    ranks: IdOrder<'r>,
    numbers: SplitMix64,
}

impl<'r> Order<'r> {
    /// Creates the order of `seed`.
    pub const fn new(ranks: IdOrder<'r>, seed: u64) -> Self {
        Self { ranks, numbers: SplitMix64::new(seed, Purpose::Colors.of(0)) }
    }

    /// Returns a unique number, which is smaller for vertices that are colored earlier.
    #[inline]
    pub fn of(&self, vertex: VertexId) -> u64 {
        self.numbers.at(u64::from(self.ranks.of(vertex)))
    }
}

/// Returns the largest degree of vertices that are removed from a graph of `vertices` vertices with `entries` list
/// entries: the average and a 32nd of it, so that there are at most 32 ln(n) groups.
pub fn removed_degree(entries: u64, vertices: u64) -> u64 {
    (entries + entries / 32) / vertices.max(1)
}

/// State of a vertex, stored in a word of 32 bits: the status in the upper two, a color below. A vertex only skips
/// colors that neighbors have, so a graph with 2^30 colors would have 2^59 edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Permanent color.
    Colored(u32),
    /// Part of the remaining graph.
    Left,
    /// Being removed.
    Removed,
    /// Removed and uncolored; neighbors have all colors below this one, the start of a window.
    Waiting(u32),
}

const STATUS: u32 = 30;

impl State {
    /// Returns the state stored in `word`.
    #[inline]
    pub const fn from_word(word: u32) -> Self {
        let color = word & ((1 << STATUS) - 1);
        match word >> STATUS {
            0 => Self::Colored(color),
            1 => Self::Left,
            2 => Self::Removed,
            _ => Self::Waiting(color),
        }
    }

    /// Returns the word that stores the state: for a colored vertex, the color.
    #[inline]
    pub const fn word(self) -> u32 {
        match self {
            Self::Colored(color) => color,
            Self::Left => 1 << STATUS,
            Self::Removed => 2 << STATUS,
            Self::Waiting(color) => 3 << STATUS | color,
        }
    }

    /// Returns true if the vertex has its color.
    #[inline]
    pub const fn is_colored(self) -> bool {
        matches!(self, Self::Colored(_))
    }

    /// Returns the bit of `color` in the window of a waiting vertex; 0 for colors outside.
    #[inline]
    pub fn bit(self, color: u32) -> u32 {
        let Self::Waiting(first) = self else { return 0 };
        // Default: colors outside of the window are ignored.
        1_u32.checked_shl(color.wrapping_sub(first)).unwrap_or(0)
    }

    /// Returns the next state of a waiting vertex without uncolored predecessors, whose neighbors have the colors
    /// `taken` of its window: the smallest free color, or the next window.
    pub const fn next(self, taken: u32) -> Self {
        match self {
            Self::Waiting(first) if taken == u32::MAX => Self::Waiting(first + WINDOW),
            Self::Waiting(first) => Self::Colored(first + taken.trailing_ones()),
            Self::Colored(_) | Self::Left | Self::Removed => self,
        }
    }
}
