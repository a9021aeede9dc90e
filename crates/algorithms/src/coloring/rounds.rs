//! Rounds of speculation and repair, independent of how colors are exchanged.

use crate::IdOrder;
use crate::models::messages::Purpose;
use outcrop_types::{SplitMix64, VertexId};

/// Number of colors in the window that a vertex examines at once, one bit each.
const WINDOW: u32 = u64::BITS;

/// Random order by rank among the original IDs, so that the order of a store does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Order<'r> {
    ranks: IdOrder<'r>,
    seed: u64,
    numbers: SplitMix64,
}

impl<'r> Order<'r> {
    /// Creates the order of `seed`.
    pub const fn new(ranks: IdOrder<'r>, seed: u64) -> Self {
        Self { ranks, seed, numbers: SplitMix64::new(seed, Purpose::Colors.of(0)) }
    }

    /// Returns a unique number, which is smaller for earlier vertices.
    #[inline]
    pub fn of(&self, vertex: VertexId) -> u64 {
        self.numbers.at(u64::from(self.ranks.of(vertex)))
    }

    /// Returns a random number from 0 to `most` for `vertex` in `round`.
    pub fn draw(&self, vertex: VertexId, round: u32, most: u32) -> u32 {
        let draws = SplitMix64::new(self.seed, Purpose::Colors.of(u64::from(round) + 1));
        draws.up_to(u64::from(self.ranks.of(vertex)), most)
    }
}

/// State of a vertex, stored in a word of 32 bits: the status in the upper two, a color below. A vertex only skips
/// colors that neighbors have, so a graph with 2^30 colors would have 2^59 edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Permanent color.
    Colored(u32),
    /// Proposed color.
    Proposed(u32),
    /// No proposal; the vertex searches for a color from this one on.
    Waiting(u32),
    /// No proposal; the vertex has just advanced to the colors from this one on.
    Moved(u32),
}

const STATUS: u32 = 30;

impl State {
    /// Initial state of every vertex.
    pub const BEGIN: Self = Self::Waiting(0);

    /// Returns the state stored in `word`.
    #[inline]
    pub const fn from_word(word: u32) -> Self {
        let color = word & ((1 << STATUS) - 1);
        match word >> STATUS {
            0 => Self::Colored(color),
            1 => Self::Proposed(color),
            2 => Self::Waiting(color),
            _ => Self::Moved(color),
        }
    }

    /// Returns the word that stores the state: for a colored vertex, the color.
    #[inline]
    pub const fn word(self) -> u32 {
        match self {
            Self::Colored(color) => color,
            Self::Proposed(color) => 1 << STATUS | color,
            Self::Waiting(color) => 2 << STATUS | color,
            Self::Moved(color) => 3 << STATUS | color,
        }
    }

    /// Returns true if the vertex has its color.
    #[inline]
    pub const fn is_colored(self) -> bool {
        matches!(self, Self::Colored(_))
    }

    /// Returns the first color of the vertex's window.
    #[inline]
    const fn window(self) -> u32 {
        match self {
            Self::Colored(color) | Self::Proposed(color) | Self::Waiting(color) | Self::Moved(color) => {
                color / WINDOW * WINDOW
            }
        }
    }

    /// Returns the bit of `color` in the window; 0 for colors outside.
    #[inline]
    pub fn bit(self, color: u32) -> u64 {
        // Default: colors outside of the window are ignored.
        1_u64.checked_shl(color.wrapping_sub(self.window())).unwrap_or(0)
    }
}

/// Information of a vertex about its neighbors in a round. Values are combined by `or`, so duplicate edges make no
/// difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Colors of the window that neighbors have.
    pub colored: u64,
    /// Colors of the window that earlier neighbors propose.
    pub tried: u64,
    /// `CONFLICT`, and below it the sketch of rivals.
    pub marks: u32,
}

/// Flag: the proposed color is not free.
const CONFLICT: u32 = 1 << 31;

/// Number of bits of the sketch: bit `b` is set by rivals whose number ends with `b` zeros (Flajolet and Martin, 1985).
const SKETCH: u32 = 31;

/// Number of rivals per color to sample from, as powers of two: in the first rounds, and from the last of several steps
/// on. The last uncolored vertices are neighbors of each other; if they sample from few colors, one of them is colored
/// per round.
const RIVALS: [u32; 2] = [8, 1];

/// Number of rounds after which the number of rivals per color halves.
const STEP: u32 = 3;

impl Heard {
    /// Records that a neighbor has `color`.
    #[inline]
    pub fn colored(&mut self, own: State, color: u32) {
        self.colored |= own.bit(color);
        self.compare(own, color);
    }

    /// Records that an earlier neighbor with `number` in the order proposes `color`.
    #[inline]
    pub fn proposed(&mut self, own: State, number: u64, color: u32) {
        self.tried |= own.bit(color);
        self.compare(own, color);
        self.rival(number);
    }

    /// Records that an earlier neighbor with `number` in the order is uncolored.
    #[inline]
    pub fn rival(&mut self, number: u64) {
        self.marks |= 1 << number.trailing_zeros().min(SKETCH - 1);
    }

    #[inline]
    fn compare(&mut self, own: State, color: u32) {
        self.marks |= if own == State::Proposed(color) { CONFLICT } else { 0 };
    }

    /// Returns the free colors of the window.
    const fn free(self) -> u64 {
        !(self.colored | self.tried)
    }

    /// Returns the maximum number of free colors to sample from: one more than the number known to be taken.
    const fn most(self, own: State) -> u32 {
        own.window() + (!self.free()).count_ones() + 1
    }

    /// Returns true if the vertex keeps its proposed `color`: no neighbor has it, no earlier neighbor proposes it, and
    /// not many colors below it are free.
    fn keeps(self, own: State, color: u32) -> bool {
        let below = self.free() & (own.bit(color) - 1);
        self.marks & CONFLICT == 0 && below.count_ones() < self.most(own)
    }

    /// Returns the number of free colors to sample from: one more per about 256 rivals, in later rounds per fewer. In
    /// the first round nothing is known.
    fn choices(self, own: State, round: u32) -> u32 {
        let [first, last] = RIVALS;
        let rivals = first.saturating_sub(round / STEP).max(last);
        let sketch = self.marks & ((1 << SKETCH) - 1);
        let most = if round == 0 { WINDOW } else { self.most(own) };
        (1 + (1 << sketch.count_ones() >> rivals)).min(self.free().count_ones()).min(most)
    }
}

/// Returns the state of `vertex` after `round`, given its state and the information received in that round.
pub fn next(order: &Order<'_>, vertex: VertexId, state: State, round: u32, heard: Heard) -> State {
    match state {
        State::Colored(_) => state,
        State::Moved(from) => State::Waiting(from),
        State::Proposed(color) if heard.keeps(state, color) => State::Colored(color),
        State::Proposed(_) | State::Waiting(_) if heard.free() != 0 => {
            let skipped = order.draw(vertex, round, heard.choices(state, round) - 1);
            State::Proposed(state.window() + place_in(heard.free(), skipped))
        }
        State::Proposed(_) | State::Waiting(_) if heard.colored == u64::MAX => State::Moved(state.window() + WINDOW),
        State::Proposed(_) | State::Waiting(_) => State::Waiting(state.window()),
    }
}

/// Returns the position of the first set bit after skipping `skipped` others.
fn place_in(free: u64, skipped: u32) -> u32 {
    (0..skipped).fold(free, |free, _| free & free.wrapping_sub(1)).trailing_zeros()
}
