//! Visitor that collects a few short lists, whose lengths it learns from the lists themselves: the degrees of scattered
//! vertices would be as many reads as their lists.

use super::batch::{Entries, Members};
use crate::lists::KeptRanks;
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_types::{VertexId, VertexSet, length_from};
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

/// Memory per entry in bytes, without its weight: it may be a piece of its own, with a vertex and positions.
const ENTRY_BYTES: u64 = 4 + 24;

/// Visitor that collects lists with at most `most` entries together.
pub(super) struct Collecting {
    most: usize,
    taken: Mutex<Taken>,
}

/// Pieces of lists in the order in which workers read them.
#[derive(Default)]
struct Taken {
    /// Vertices with the positions of their entries.
    pieces: Vec<(VertexId, Range<usize>)>,
    ids: Vec<VertexId>,
    weights: Option<Vec<f64>>,
    /// True if the lists have too many entries.
    full: bool,
}

impl Collecting {
    pub(super) fn new(most: u32, weighted: bool) -> Self {
        let most = most as usize;
        let (pieces, ids) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let weights = weighted.then(|| Vec::with_capacity(most));
        Self { most, taken: Mutex::new(Taken { pieces, ids, weights, full: false }) }
    }

    /// Returns the memory for `most` entries, in bytes.
    pub(super) fn bytes(most: u32, weighted: bool) -> u64 {
        u64::from(most) * (ENTRY_BYTES + if weighted { 8 } else { 0 })
    }

    /// Returns the lists of the members of `set`, and their neighbors as ranks with their weights; `None` if there are
    /// too many entries.
    pub(super) fn into_lists(self, set: &VertexSet, ranks: Option<&KeptRanks>) -> Option<(Members, Entries)> {
        let mut taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        if taken.full {
            return None;
        }
        // Stable: the pieces of a list are in its order.
        taken.pieces.sort_by_key(|(vertex, _)| *vertex);
        let mut neighbors = Vec::with_capacity(taken.ids.len());
        let mut weights = taken.weights.is_some().then(|| Vec::with_capacity(taken.ids.len()));
        let mut members = Members { vertices: Vec::with_capacity(set.len()), offsets: vec![0] };
        let mut pieces = taken.pieces.iter().peekable();
        set.for_each(|member| {
            while let Some((_, places)) = pieces.next_if(|(vertex, _)| *vertex == member) {
                let ids = taken.ids[places.clone()].iter();
                neighbors.extend(ids.map(|id| ranks.map_or(*id, |ranks| ranks.rank(*id))));
                weights.iter_mut().zip(&taken.weights).for_each(|(to, from)| to.extend(&from[places.clone()]));
            }
            members.vertices.push(member);
            members.offsets.push(length_from(neighbors.len()));
        });
        Some((members, (neighbors, weights)))
    }
}

impl FoldLists for Collecting {
    type Fold = ();

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) {}

    fn neighbors(&self, vertex: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let start = taken.ids.len();
        if taken.full || piece.len() > self.most - start {
            taken.full = true;
            return ControlFlow::Break(());
        }
        taken.ids.extend(piece.ids());
        if let Some(weights) = &mut taken.weights {
            match piece.weights() {
                Some(found) => weights.extend(found),
                None => weights.resize(start + piece.len(), 1.0),
            }
        }
        taken.pieces.push((vertex, start..start + piece.len()));
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}
