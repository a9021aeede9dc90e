//! Selections in the form that the product accepts (BASC, section 5.1: Rand, HighD and LowD, and line 13 of Algorithm
//! 1).

use crate::opened::Opened;
use outcrop::{GivenSelection, Result, Selector};
use outcrop_placement::selection::{Candidates, GvsOptions, Preference, Requesters, Rounds, gvs};
use outcrop_types::{Direction, Silent, SplitMix64, VertexId};
use std::cmp::Reverse;
use std::sync::Arc;

/// Ranking of the lists of each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranking {
    /// Random, with this seed.
    Random(u64),
    /// Longest lists first.
    HighDegree,
    /// Shortest lists first.
    LowDegree,
    /// Greedy vertex selection with the lowest penalties first, as printed in line 13 of Algorithm 1.
    GvsLowest,
}

impl Ranking {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Random(_) => "random",
            Self::HighDegree => "high-degree",
            Self::LowDegree => "low-degree",
            Self::GvsLowest => "gvs-lowest",
        }
    }

    /// Ranks the lists of the store `opened`.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, if a read fails or finds damage, or on interruption.
    pub(crate) fn select(self, opened: &Opened) -> Result<Selector> {
        let into = if opened.store.manifest().graph.directed { self.rank(opened, Direction::In)? } else { Vec::new() };
        let out = self.rank(opened, Direction::Out)?;
        Ok(Selector::Given(Arc::new(GivenSelection { method: self.name(), out, into })))
    }

    fn rank(self, opened: &Opened, direction: Direction) -> Result<Vec<VertexId>> {
        let lengths = opened.degrees(direction)?;
        let mut vertices: Vec<VertexId> = (0..opened.vertices()).collect();
        let length = |vertex: &VertexId| lengths[*vertex as usize];
        match self {
            Self::Random(seed) => {
                let numbers = SplitMix64::new(seed, 0);
                vertices.sort_unstable_by_key(|vertex| (numbers.at(u64::from(*vertex)), *vertex));
            }
            Self::HighDegree => vertices.sort_unstable_by_key(|vertex| (Reverse(length(vertex)), *vertex)),
            Self::LowDegree => vertices.sort_unstable_by_key(|vertex| (length(vertex), *vertex)),
            Self::GvsLowest => {
                let requests = opened.degrees(direction.opposite())?;
                let (own, back) = (opened.lists(direction, u64::MAX)?, opened.lists(direction.opposite(), u64::MAX)?);
                let candidates = Candidates { lists: &own, lengths: &lengths, requests: &requests };
                let (rounds, entries) = (Rounds::OneByOne, lengths.iter().map(|length| u64::from(*length)).sum());
                let options = GvsOptions { entries, rounds, preference: Preference::Lowest };
                return gvs(&candidates, Requesters::Lists(&back), &options, &opened.workers, &opened.budget, &Silent);
            }
        }
        Ok(vertices)
    }
}
