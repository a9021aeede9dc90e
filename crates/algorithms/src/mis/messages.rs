//! Maximal independent set.
//!
//! Definition: in the graph taken as undirected, without loops, a set of vertices of which no two are neighbors, and to
//! which none can be added. It depends only on the seed.
//!
//! Paper: Luby, SIAM Journal on Computing 15, 1986, algorithm A. In each round all undecided vertices choose random
//! numbers; those with a smaller one than all their undecided neighbors join the set, and their neighbors are excluded.
//! A program of MultiLogVC (Matam, Hashemi, Annavaram, 2021, section VII).
//!
//! Returns: `in_set` u32, 1 for members of the set and 0 for others, never null.
//!
//! Memory: 4 bytes per vertex in memory or on disk, and in stores of another order the ranks (4 bytes) in memory.
//! Messages: a number (8 bytes), one per edge and direction from undecided vertices in each round, and once from
//! members; they are combined. A round is two supersteps; the expected number of rounds is about log n.
//!
//! Passes over the edges: the lists of undecided vertices once per round, those of members once more.
//!
//! Deviations: numbers are chosen from 2^64 instead of n^4, and are distinct.

use super::round::{MEMBER, OUTSIDE, Round, UNDECIDED};
use crate::IdOrder;
use crate::models::Place;
use crate::models::messages::{MessageWork, requirements, send_to_others};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, VertexId, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place) -> MessageWork {
    MessageWork::new(requirements::<Luby<'_>>(place, Directions::Both), 4)
}

/// Computes the set for `seed`.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn mis(engine: &MessageEngine<'_>, ranks: IdOrder<'_>, seed: u64) -> Result<Outcome> {
    let mut states = engine.values(|_| UNDECIDED)?;
    let all = VertexSet::all(engine.vertices());
    let ran = engine.run(&Luby { ranks, seed }, &mut states, &all, u32::MAX)?;
    Ok(Outcome::new(vec![Column::new("in_set", states.into())], ran.supersteps))
}

/// Program of rounds. In even supersteps, undecided vertices learn of new members, and those without an adjacent member
/// send their random number; in odd ones they receive the smallest adjacent number, and those with a smaller one become
/// members and announce it.
#[derive(Clone, Copy, Debug)]
pub struct Luby<'r> {
    /// Ranks of vertices among the original IDs.
    pub ranks: IdOrder<'r>,
    /// Random seed.
    pub seed: u64,
}

impl Luby<'_> {
    /// Returns the unique random number of `vertex` in the round of `superstep`.
    fn number(&self, vertex: VertexId, superstep: u32) -> u64 {
        Round::new(self.ranks, self.seed, superstep / 2).number(vertex)
    }
}

impl MessageProgram for Luby<'_> {
    type Value = u32;
    /// Number, or any value from a new member.
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
