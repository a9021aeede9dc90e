//! Walk in progress, and its representation in messages.

use crate::UNREACHED;
use outcrop_engine::Plain;
use outcrop_types::VertexId;

/// Marker for the missing previous vertex of a walk at its start.
pub(super) const NOWHERE: VertexId = UNREACHED;

/// Walk that arrives at a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walker {
    /// Number of the walk.
    pub(super) walk: u32,
    /// Number of steps if it stays here.
    pub(super) step: u32,
    pub(super) errand: Errand,
    pub(super) start: VertexId,
    /// Previous vertex.
    pub(super) from: VertexId,
    /// Vertex before that; only set for walks that ask or were refused.
    pub(super) before: VertexId,
}

/// Purpose of the arrival of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// Arrival of the walk at this vertex.
    Arrived,
    /// Test for an edge from here to the vertex before the last; the walk stays if the outcome equals `if_edge`.
    Asks { if_edge: bool, candidate: u32 },
    /// Return of the walk after a refusal, to try its next candidate.
    Refused { next: u32 },
}

/// Walk at a vertex that it will leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tried {
    pub(super) walk: u32,
    /// Number of the step to try; the first is 1.
    pub(super) step: u32,
    /// Candidate of the step to try next.
    pub(super) candidate: u32,
    pub(super) start: VertexId,
    /// Previous vertex.
    pub(super) before: VertexId,
}

impl Walker {
    pub(super) const fn starting(walk: u32, start: VertexId) -> Self {
        Self { walk, step: 0, errand: Errand::Arrived, start, from: NOWHERE, before: NOWHERE }
    }

    /// Returns the walk after it was accepted here.
    pub(super) const fn arrived(self) -> Self {
        Self { errand: Errand::Arrived, before: NOWHERE, ..self }
    }

    /// Returns the walk after it was refused here; it goes back to the vertex it came from.
    pub(super) const fn refused(self, candidate: u32) -> Self {
        Self { errand: Errand::Refused { next: candidate + 1 }, from: NOWHERE, ..self }
    }

    /// Returns the walk before its next step, or before it retries the refused one.
    pub(super) const fn trying(self) -> Tried {
        let Self { walk, step, errand, start, from, before } = self;
        match errand {
            Errand::Refused { next } => Tried { walk, step, candidate: next, start, before },
            _ => Tried { walk, step: step.saturating_add(1), candidate: 0, start, before: from },
        }
    }
}

impl Tried {
    /// Returns the walk on its way from the vertex `from`.
    pub(super) const fn towards(self, errand: Errand, from: VertexId) -> Walker {
        let Self { walk, step, start, before, .. } = self;
        Walker { walk, step, errand, start, from, before }
    }

    /// Returns the walk on its way back to its start.
    pub(super) const fn at_start(self) -> Walker {
        Walker { step: self.step, ..Walker::starting(self.walk, self.start) }
    }
}

/// Message that contains a walk.
pub trait Carried: Plain {
    /// Packs `walker`.
    fn pack(walker: Walker) -> Self;

    /// Unpacks a walker.
    fn unpack(self) -> Walker;
}

/// Number, step and start; first-order walks do not store previous vertices.
pub type FirstOrder = [u32; 3];

impl Carried for FirstOrder {
    #[inline]
    fn pack(walker: Walker) -> Self {
        [walker.walk, walker.step, walker.start]
    }

    #[inline]
    fn unpack(self) -> Walker {
        let [walk, step, start] = self;
        Walker { step, ..Walker::starting(walk, start) }
    }
}

/// Number, step, errand, start and the two previous vertices.
pub type SecondOrder = [u32; 6];

/// Errands in the lowest two bits; the number of a candidate above.
const ARRIVED: u32 = 0;
const REFUSED: u32 = 1;
const ASKS_IF_NONE: u32 = 2;
const ASKS_IF_EDGE: u32 = 3;

impl Carried for SecondOrder {
    #[inline]
    fn pack(walker: Walker) -> Self {
        let errand = match walker.errand {
            Errand::Arrived => ARRIVED,
            Errand::Refused { next } => next << 2 | REFUSED,
            Errand::Asks { if_edge: false, candidate } => candidate << 2 | ASKS_IF_NONE,
            Errand::Asks { if_edge: true, candidate } => candidate << 2 | ASKS_IF_EDGE,
        };
        [walker.walk, walker.step, errand, walker.start, walker.from, walker.before]
    }

    #[inline]
    fn unpack(self) -> Walker {
        let [walk, step, errand, start, from, before] = self;
        let candidate = errand >> 2;
        let errand = match errand & 3 {
            ARRIVED => Errand::Arrived,
            REFUSED => Errand::Refused { next: candidate },
            kind => Errand::Asks { if_edge: kind == ASKS_IF_EDGE, candidate },
        };
        Walker { walk, step, errand, start, from, before }
    }
}
