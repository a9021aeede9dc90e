//! Random choice of the next vertex of a walk.

use super::walk_targets::WalkTargets;
use super::walker::{Errand, NOWHERE, Tried};
use crate::models::messages::Purpose;
use outcrop_types::{SplitMix64, VertexId};

/// Maximum number of candidates of a second-order step.
pub const MOST_CANDIDATES: u32 = 1 << 12;

/// Parameters that determine the next vertex of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Random seed.
    pub seed: u64,
    /// Probability of returning to the start, 0 to 1.
    pub restart: f64,
    /// Return parameter of node2vec, positive; 1 for first-order walks.
    pub p: f64,
    /// Parameter `q` of node2vec (in-out), positive; 1 for first-order walks.
    pub q: f64,
}

impl Choice {
    /// Returns true if the next vertex depends on the previous one.
    pub fn is_of_second_order(&self) -> bool {
        self.p != 1.0 || self.q != 1.0
    }

    /// Decides if a walk that came from `before` may proceed to `candidate`; `drawn` is a random number from 0 to 1.
    fn verdict(&self, before: VertexId, candidate: VertexId, drawn: f64) -> Verdict {
        let (to_return, outwards) = (1.0 / self.p, 1.0 / self.q);
        let bar = drawn * to_return.max(outwards).max(1.0);
        match (candidate == before, bar < to_return, bar < 1.0, bar < outwards) {
            (true, true, ..) | (false, _, true, true) => Verdict::Yes,
            (true, false, ..) | (false, _, false, false) => Verdict::No,
            (false, _, if_edge, _) => Verdict::Asks { if_edge },
        }
    }
}

enum Verdict {
    Yes,
    No,
    /// Depends on the edge from the candidate to the previous vertex: accepted if its existence equals `if_edge`.
    Asks {
        if_edge: bool,
    },
}

/// Random numbers of each candidate.
#[derive(Clone, Copy)]
enum Draw {
    Restart,
    Candidate,
    Bias,
}

/// Random numbers of a step.
struct Drawn {
    numbers: SplitMix64,
    step: u32,
}

impl Drawn {
    const fn of(seed: u64, tried: &Tried) -> Self {
        Self { numbers: SplitMix64::new(seed, Purpose::Steps.of(tried.walk as u64)), step: tried.step }
    }

    const fn position(&self, candidate: u32, draw: Draw) -> u64 {
        (self.step as u64) << 32 | (candidate as u64) << 2 | draw as u64
    }

    /// Returns a number from 0 to `most`.
    fn up_to(&self, most: u32, candidate: u32, draw: Draw) -> u32 {
        self.numbers.up_to(self.position(candidate, draw), most)
    }

    /// Returns a number from 0 (inclusive) to 1 (exclusive).
    fn unit(&self, candidate: u32, draw: Draw) -> f64 {
        (self.numbers.at(self.position(candidate, draw)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns the target of a walk, and its errand; `None` if it returns to its start, or cannot proceed.
pub(super) fn draw(choice: &Choice, targets: &WalkTargets<'_>, tried: &Tried) -> Option<(VertexId, Errand)> {
    let drawn = Drawn::of(choice.seed, tried);
    if tried.candidate == 0 && drawn.unit(0, Draw::Restart) < choice.restart {
        return None;
    }
    for candidate in tried.candidate..MOST_CANDIDATES {
        let position = |most| drawn.up_to(most, candidate, Draw::Candidate);
        let target = targets.draw(position, || drawn.unit(candidate, Draw::Candidate))?;
        let is_last = candidate + 1 == MOST_CANDIDATES;
        let verdict = match tried.before {
            NOWHERE => Verdict::Yes,
            _ if is_last => Verdict::Yes,
            before => choice.verdict(before, target, drawn.unit(candidate, Draw::Bias)),
        };
        match verdict {
            Verdict::Yes => return Some((target, Errand::Arrived)),
            Verdict::Asks { if_edge } => return Some((target, Errand::Asks { if_edge, candidate })),
            Verdict::No => {}
        }
    }
    None
}
