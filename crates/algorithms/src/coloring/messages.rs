//! Greedy colouring.
//!
//! Definition: of the graph taken as undirected, loops ignored, neighbours have different colours. Vertices are coloured one after the
//! other in an order that is drawn with a seed, each with the smallest colour that no neighbour has: what greedy colouring in that order
//! gives. No vertex has a colour larger than its number of neighbours.
//! Paper: Jones and Plassmann, SIAM Journal on Scientific Computing 14, 1993: a vertex is coloured as soon as all its neighbours are that come
//! before it. The order is that of [`Order`]. A program of MultiLogVC (Matam, Hashemi, Annavaram, 2021, section VII).
//! Returns: `color` u32, never null; the first is 0.
//! Memory: 16 bytes a vertex in memory or on disk, and 4 for the result; in stores of another order the ranks (4 bytes) in memory.
//! Messages: a colour (8 bytes), one for every edge. Passes over the edges: two.
//! Deviations: only the colours below 64 are kept of what a vertex hears, in a bit mask. A vertex that finds all of these taken asks its
//! neighbours before it for their colours (8 bytes), is answered two supersteps later, and reads its lists once more. The result is the
//! same as if all were kept.

use crate::models::Place;
use crate::models::messages::{Purpose, Work, requirements};
use crate::outcome::{Column, Outcome};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Directions;
use outcrop_engine::messages::{Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, SplitMix64, VertexId, VertexSet};

/// Needs of the program.
pub const fn work(place: Place) -> Work {
    Work { requirements: requirements::<Greedy<'_>>(place, Directions::Both), value_bytes: 20 }
}

/// Colours all vertices in the order of `seed`.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, a full disk, interruption.
pub fn coloring(engine: &MessageEngine<'_>, ranks: IdOrder<'_>, seed: u64) -> Result<Outcome> {
    let mut states = engine.values(|_| BEGIN)?;
    let all = VertexSet::all(engine.vertices());
    let ran = engine.run(&Greedy { order: Order::new(ranks, seed) }, &mut states, &all, u32::MAX)?;
    let colours = engine.project(&states, |[colour, ..]: State| colour)?;
    Ok(Outcome::new(vec![Column::new("color", colours.into())], ran.supersteps))
}

/// An order that is drawn by rank among the original ids, so that the order of a store does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Order<'r> {
    ranks: IdOrder<'r>,
    numbers: SplitMix64,
}

impl<'r> Order<'r> {
    /// That of `seed`.
    pub const fn new(ranks: IdOrder<'r>, seed: u64) -> Self {
        Self { ranks, numbers: SplitMix64::new(seed, Purpose::Colours.of(0)) }
    }

    /// A number that is smaller for vertices that come before; no two have the same.
    #[inline]
    pub fn of(&self, vertex: VertexId) -> u64 {
        self.numbers.at(u64::from(self.ranks.of(vertex)))
    }
}

/// The colour, [`UNREACHED`] before there is one; how many neighbours before it the vertex still has to hear from, once for each edge, or
/// [`ASKING`]; two words of a mask of the colours that it has heard of.
pub type State = [u32; 4];

/// State that every vertex begins with.
pub const BEGIN: State = [UNREACHED, 0, 0, 0];

/// In place of a number of neighbours: the vertex has asked them all for their colours.
const ASKING: u32 = u32::MAX;

/// Kinds of messages, with a colour or the number of the vertex that asks.
const COLOUR: u32 = 0;
const QUESTION: u32 = 1;

/// Colours in the order of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Greedy<'r> {
    /// The order.
    pub order: Order<'r>,
}

impl Greedy<'_> {
    /// Calls `visit` with the neighbours that come before the vertex, or with the others, once for each edge.
    fn neighbours(&self, own: VertexId, edges: &Edges<'_>, before: bool, mut visit: impl FnMut(VertexId)) {
        let number = self.order.of(own);
        let lists = edges.out.ids().iter().chain(edges.into.ids()).copied();
        lists.filter(|id| *id != own && (self.order.of(*id) < number) == before).for_each(&mut visit);
    }

    /// Tells the neighbours that come later.
    fn tell(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let [colour, ..] = *vertex.value();
        self.neighbours(vertex.id(), edges, false, |later| vertex.send(later, [COLOUR, colour]));
    }

    /// Asks the neighbours that come before.
    fn ask(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let own = vertex.id();
        vertex.value_mut()[1] = ASKING;
        self.neighbours(own, edges, true, |before| vertex.send(before, [QUESTION, own]));
    }

    /// Counts the neighbours that come before; a vertex without any is coloured.
    fn count(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let mut count = 0;
        self.neighbours(vertex.id(), edges, true, |_| count += 1);
        *vertex.value_mut() = if count == 0 { [0; 4] } else { [UNREACHED, count, 0, 0] };
        if count == 0 {
            self.tell(vertex, edges);
        }
    }
}

/// Answers every vertex that asks.
fn answer(vertex: &mut Vertex<'_, Greedy<'_>>, colour: u32) -> Next {
    for place in 0..vertex.messages().len() {
        if let Some([QUESTION, asking]) = vertex.messages().get(place).copied() {
            vertex.send(asking, [COLOUR, colour]);
        }
    }
    Next::Done
}

/// Hears of the colours of neighbours; takes one after the last, if one below 64 is free.
fn hear(vertex: &mut Vertex<'_, Greedy<'_>>) -> Next {
    let [_, mut waiting, low, high] = *vertex.value();
    let mut mask = u64::from(high) << 32 | u64::from(low);
    for [_, colour] in vertex.messages() {
        waiting = waiting.saturating_sub(1);
        // Default: the mask holds colours below 64 only.
        mask |= 1_u64.checked_shl(*colour).unwrap_or(0);
    }
    let free = mask.trailing_ones();
    let colour = if waiting == 0 && free < u64::BITS { free } else { UNREACHED };
    *vertex.value_mut() = [colour, waiting, mask as u32, (mask >> 32) as u32];
    if waiting == 0 { Next::Compute } else { Next::Done }
}

/// Takes the smallest colour that no answer names.
fn choose(vertex: &mut Vertex<'_, Greedy<'_>>) -> Next {
    vertex.messages().sort_unstable();
    let free = vertex.messages().iter().fold(0, |free, [_, colour]| if *colour == free { free + 1 } else { free });
    *vertex.value_mut() = [free, 0, 0, 0];
    Next::Compute
}

impl MessageProgram for Greedy<'_> {
    type Value = State;
    /// A kind and a number.
    type Message = [u32; 2];
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        match *vertex.value() {
            _ if vertex.superstep().number == 0 => Next::Compute,
            [UNREACHED, ASKING, ..] => choose(vertex),
            [UNREACHED, ..] => hear(vertex),
            [colour, ..] => answer(vertex, colour),
        }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        match *vertex.value() {
            _ if vertex.superstep().number == 0 => self.count(vertex, edges),
            [UNREACHED, ..] => self.ask(vertex, edges),
            _ => self.tell(vertex, edges),
        }
    }
}
