//! A maximal independent set.
//!
//! Definition: of the graph taken as undirected, loops ignored, a set of vertices of which no two are neighbours, and
//! to which none can be added. It is the same for the same seed. Paper: Luby, SIAM Journal on Computing 15, 1986,
//! algorithm A. In each round all undecided vertices draw numbers; those with a smaller one than all their undecided
//! neighbours join the set, and their neighbours never will. A program of MultiLogVC (Matam, Hashemi, Annavaram, 2021,
//! section VII). Returns: `in_set` u32, 1 for members of the set and 0 for others, never null. Memory: 4 bytes a vertex
//! in memory or on disk, and in stores of another order the ranks (4 bytes) in memory. Messages: a number (8 bytes),
//! one for every edge and direction from undecided vertices in each round, and from members once; they are combined. A
//! round is two supersteps; about log n of them are expected. Passes over the edges: the lists of undecided vertices
//! once a round, those of members once more. Deviations: numbers are drawn from 2^64 rather than n^4, and are all
//! different.

use crate::IdOrder;
use crate::models::Place;
use crate::models::messages::{Purpose, Work, requirements, send_to_others};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, SplitMix64, VertexId, VertexSet};

/// Needs of the program.
pub const fn work(place: Place) -> Work {
    Work::new(requirements::<Luby<'_>>(place, Directions::Both), 4)
}

/// Chooses the set of `seed`.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, a full disk, interruption.
pub fn mis(engine: &MessageEngine<'_>, ranks: IdOrder<'_>, seed: u64) -> Result<Outcome> {
    let mut states = engine.values(|_| UNDECIDED)?;
    let all = VertexSet::all(engine.vertices());
    let ran = engine.run(&Luby { ranks, seed }, &mut states, &all, u32::MAX)?;
    Ok(Outcome::new(vec![Column::new("in_set", states.into())], ran.supersteps))
}

/// The state of a vertex that is not in the set.
const OUTSIDE: u32 = 0;

/// The state of a member of the set.
const MEMBER: u32 = 1;

/// State that every vertex begins with; in the end none is in it.
pub const UNDECIDED: u32 = 2;

/// Round after round. In even supersteps undecided vertices hear of new members, and those that have none beside them
/// tell the number that they draw; in odd ones they hear of the smallest number beside them, and those with a smaller
/// one become members and tell so.
#[derive(Clone, Copy, Debug)]
pub struct Luby<'r> {
    /// Ranks of vertices among the original IDs.
    pub ranks: IdOrder<'r>,
    /// Random seed.
    pub seed: u64,
}

impl Luby<'_> {
    /// The number of `vertex` in the round to which `superstep` belongs; no two vertices draw the same.
    fn number(&self, vertex: VertexId, superstep: u32) -> u64 {
        let round = u64::from(superstep / 2);
        SplitMix64::new(self.seed, Purpose::Rounds.of(round)).at(u64::from(self.ranks.of(vertex)))
    }
}

impl MessageProgram for Luby<'_> {
    type Value = u32;
    /// A number, or anything from a new member.
    type Message = u64;
    type Record = ();

    const COMBINES: bool = true;

    #[inline]
    fn combine(&self, one: u64, other: u64) -> u64 {
        one.min(other)
    }

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        let superstep = vertex.superstep().number;
        let (known, draws) = (*vertex.value(), superstep.is_multiple_of(2));
        let heard = vertex.messages().iter().copied().min();
        let wins = || heard.is_none_or(|least| self.number(vertex.id(), superstep) < least);
        let state = match (known, draws) {
            (UNDECIDED, true) if heard.is_some() => OUTSIDE,
            (UNDECIDED, false) if wins() => MEMBER,
            _ => known,
        };
        *vertex.value_mut() = state;
        if state != UNDECIDED {
            vertex.deactivate();
        }
        match (known, state, draws) {
            (_, UNDECIDED, true) | (UNDECIDED, MEMBER, _) => Next::Compute,
            _ => Next::Done,
        }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let number = self.number(vertex.id(), vertex.superstep().number);
        send_to_others(vertex, edges, number);
    }
}
