//! Rounds of speculation and repair, whatever carries colours from vertex to vertex.

use crate::IdOrder;
use crate::models::messages::Purpose;
use outcrop_types::{SplitMix64, VertexId};

/// Colours that a vertex looks at together: those of a window, one bit each.
const WINDOW: u32 = u64::BITS;

/// An order that is drawn by rank among the original ids, so that the order of a store does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Order<'r> {
    ranks: IdOrder<'r>,
    seed: u64,
    numbers: SplitMix64,
}

impl<'r> Order<'r> {
    /// Creates the order of `seed`.
    pub const fn new(ranks: IdOrder<'r>, seed: u64) -> Self {
        Self { ranks, seed, numbers: SplitMix64::new(seed, Purpose::Colours.of(0)) }
    }

    /// A number that is smaller for vertices that come before; no two have the same.
    #[inline]
    pub fn of(&self, vertex: VertexId) -> u64 {
        self.numbers.at(u64::from(self.ranks.of(vertex)))
    }

    /// A number from 0 to `most` that `vertex` draws in `round`.
    pub fn draw(&self, vertex: VertexId, round: u32, most: u32) -> u32 {
        let draws = SplitMix64::new(self.seed, Purpose::Colours.of(u64::from(round) + 1));
        draws.up_to(u64::from(self.ranks.of(vertex)), most)
    }
}

/// State of a vertex. A word of 32 bits holds it: the status in the upper two, a colour below. A vertex has only passed
/// over colours that neighbours have, so that a graph with 2^30 colours would have 2^59 edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Permanent color.
    Coloured(u32),
    /// Proposed color.
    Proposed(u32),
    /// No proposal; the vertex searches for a color from this one on.
    Waiting(u32),
    /// No proposal; the vertex has just advanced to the colors from this one on.
    Moved(u32),
}

const STATUS: u32 = 30;

impl State {
    /// State that every vertex begins with.
    pub const BEGIN: Self = Self::Waiting(0);

    /// The state that `word` holds.
    #[inline]
    pub const fn from_word(word: u32) -> Self {
        let colour = word & ((1 << STATUS) - 1);
        match word >> STATUS {
            0 => Self::Coloured(colour),
            1 => Self::Proposed(colour),
            2 => Self::Waiting(colour),
            _ => Self::Moved(colour),
        }
    }

    /// Word that holds it: of a coloured vertex the colour.
    #[inline]
    pub const fn word(self) -> u32 {
        match self {
            Self::Coloured(colour) => colour,
            Self::Proposed(colour) => 1 << STATUS | colour,
            Self::Waiting(colour) => 2 << STATUS | colour,
            Self::Moved(colour) => 3 << STATUS | colour,
        }
    }

    /// True if the vertex has its colour.
    #[inline]
    pub const fn is_coloured(self) -> bool {
        matches!(self, Self::Coloured(_))
    }

    /// The first colour of the window that the vertex looks at.
    #[inline]
    const fn window(self) -> u32 {
        match self {
            Self::Coloured(colour) | Self::Proposed(colour) | Self::Waiting(colour) | Self::Moved(colour) => {
                colour / WINDOW * WINDOW
            }
        }
    }

    /// The bit of `colour` in the window; 0 for colours outside.
    #[inline]
    pub fn bit(self, colour: u32) -> u64 {
        // Default: colours outside of the window are not looked at.
        1_u64.checked_shl(colour.wrapping_sub(self.window())).unwrap_or(0)
    }
}

/// Knowledge of a vertex about its neighbours in a round. Two of them are joined by `or`, so that repeated edges make
/// no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Colours of the window that neighbours have.
    pub coloured: u64,
    /// Colours of the window that neighbours before the vertex try.
    pub tried: u64,
    /// `CONFLICT`, and below it the sketch of rivals.
    pub marks: u32,
}

/// The colour that the vertex tries is not free.
const CONFLICT: u32 = 1 << 31;

/// Bits of the sketch: bit `b` is that of rivals whose number ends with `b` zeros (Flajolet and Martin, 1985).
const SKETCH: u32 = 31;

/// Rivals for each colour that a vertex draws from, as powers of two: in the first rounds, and from the last of several
/// steps on. Vertices that are left late are neighbours of each other; where they draw from few colours, one of them is
/// coloured in a round.
const RIVALS: [u32; 2] = [8, 1];

/// Rounds after which half as many rivals make another colour.
const STEP: u32 = 3;

impl Heard {
    /// A neighbour has `colour`.
    #[inline]
    pub fn coloured(&mut self, own: State, colour: u32) {
        self.coloured |= own.bit(colour);
        self.compare(own, colour);
    }

    /// A neighbour that comes before, with `number` in the order, tries `colour`.
    #[inline]
    pub fn proposed(&mut self, own: State, number: u64, colour: u32) {
        self.tried |= own.bit(colour);
        self.compare(own, colour);
        self.rival(number);
    }

    /// A neighbour that comes before, with `number` in the order, has no colour yet.
    #[inline]
    pub fn rival(&mut self, number: u64) {
        self.marks |= 1 << number.trailing_zeros().min(SKETCH - 1);
    }

    #[inline]
    fn compare(&mut self, own: State, colour: u32) {
        self.marks |= if own == State::Proposed(colour) { CONFLICT } else { 0 };
    }

    /// Colours of the window to draw from.
    const fn free(self) -> u64 {
        !(self.coloured | self.tried)
    }

    /// The most free colours to draw from: as many as are known to be taken, and one.
    const fn most(self, own: State) -> u32 {
        own.window() + (!self.free()).count_ones() + 1
    }

    /// True if the vertex keeps `colour`, which it has tried: neither does a neighbour have it or one before try it,
    /// nor are many below it free.
    fn keeps(self, own: State, colour: u32) -> bool {
        let below = self.free() & (own.bit(colour) - 1);
        self.marks & CONFLICT == 0 && below.count_ones() < self.most(own)
    }

    /// Number of free colours to draw from: one more for about every 256 rivals, later for fewer. Nothing is known in
    /// the first round.
    fn choices(self, own: State, round: u32) -> u32 {
        let [first, last] = RIVALS;
        let rivals = first.saturating_sub(round / STEP).max(last);
        let sketch = self.marks & ((1 << SKETCH) - 1);
        let most = if round == 0 { WINDOW } else { self.most(own) };
        (1 + (1 << sketch.count_ones() >> rivals)).min(self.free().count_ones()).min(most)
    }
}

/// The state of `vertex` after `round`, of one in which it was in `state` and heard this.
pub fn next(order: &Order<'_>, (vertex, state): (VertexId, State), round: u32, heard: Heard) -> State {
    match state {
        State::Coloured(_) => state,
        State::Moved(from) => State::Waiting(from),
        State::Proposed(colour) if heard.keeps(state, colour) => State::Coloured(colour),
        State::Proposed(_) | State::Waiting(_) if heard.free() != 0 => {
            let skipped = order.draw(vertex, round, heard.choices(state, round) - 1);
            State::Proposed(state.window() + place_in(heard.free(), skipped))
        }
        State::Proposed(_) | State::Waiting(_) if heard.coloured == u64::MAX => State::Moved(state.window() + WINDOW),
        State::Proposed(_) | State::Waiting(_) => State::Waiting(state.window()),
    }
}

/// Place of the first bit that is set, after `skipped` others.
fn place_in(free: u64, skipped: u32) -> u32 {
    (0..skipped).fold(free, |free, _| free & free.wrapping_sub(1)).trailing_zeros()
}
