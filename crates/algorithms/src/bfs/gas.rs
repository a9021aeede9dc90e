//! Breadth-first search on edge values.
//!
//! Definition: as in `edge_map.rs`, with the same results.
//!
//! Paper: Vora, Xu, Gupta, USENIX ATC 2016, table 1 (aggregation: min): a vertex whose distance has fallen writes it
//! with its own number to its out-edges; of the edges with the smallest distance, the source that is first in store
//! order becomes the predecessor.
//!
//! Returns: `distance` u32 in edges and, if requested, `predecessor` as an original ID; null if unreached, and for the
//! sources' predecessors.
//!
//! Memory: 8 bytes per vertex in memory or on disk, and 4 per column at the end; with predecessors, in stores of
//! another order the ranks (4 bytes) in memory. Edges: a distance and the source (8 bytes).
//!
//! Passes over the edges: those of reached vertices once, and again if a distance falls again; that happens only with
//! delays.
//!
//! Deviations: with delays a distance may initially be too large. The result is the same; the number of iterations is
//! the same or larger.

use crate::models::Place;
use crate::models::gas::{GasWork, requirements};
use crate::models::interval::nodes;
use crate::outcome::{Column, Outcome};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasVertex, OutEdge, Totals};
use outcrop_types::{Result, VertexId};

/// Returns the needs of the program.
pub const fn work(place: Place, predecessors: bool) -> GasWork {
    GasWork::new(requirements::<Levels>(place, Directions::Out), if predecessors { 8 } else { 4 })
}

/// Searches from `sources` until nothing new is found, and returns predecessors if `ranks` are given.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn bfs(engine: &GasEngine<'_>, sources: &[VertexId], ranks: Option<IdOrder<'_>>) -> Result<Outcome> {
    let ran = engine.run(&Levels::new(sources), u32::MAX)?;
    let distances = engine.project(&ran.values, |[distance, _]: BfsState| distance)?;
    let mut columns = vec![Column::new("distance", distances.into())];
    if let Some(ranks) = ranks {
        let predecessors = engine.project(&ran.values, |[_, predecessor]: BfsState| ranks.of_reached(predecessor))?;
        columns.push(Column::new("predecessor", nodes(predecessors)));
    }
    Ok(Outcome::new(columns, ran.iterations))
}

/// Distance and predecessor: the smaller pair is better.
pub type BfsState = [u32; 2];

/// Program of decreasing distances.
#[derive(Clone, Debug)]
pub struct Levels {
    /// Sources, ascending.
    sources: Vec<VertexId>,
}

impl Levels {
    /// Creates the program for a search from `sources`.
    pub fn new(sources: &[VertexId]) -> Self {
        let mut sources = sources.to_vec();
        sources.sort_unstable();
        Self { sources }
    }
}

impl GasProgram for Levels {
    type Value = BfsState;
    /// Offer to the target.
    type Edge = BfsState;
    type Sum = BfsState;
    type Change = u32;

    const AGGREGATION: Aggregation = Aggregation::Min;
    const TAKES_ARRIVALS: bool = true;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (BfsState, Option<u32>) {
        match self.sources.binary_search(&vertex.id) {
            Ok(_) => ([0, UNREACHED], Some(0)),
            Err(_) => ([UNREACHED; 2], None),
        }
    }

    #[inline]
    fn gather(&self, sum: Option<BfsState>, offered: BfsState) -> BfsState {
        sum.map_or(offered, |sum| sum.min(offered))
    }

    #[inline]
    fn apply(&self, _: GasVertex, old: &BfsState, sum: Option<BfsState>) -> BfsState {
        sum.map_or(*old, |sum| sum.min(*old))
    }

    #[inline]
    fn change(&self, _: GasVertex, [before, _]: &BfsState, [now, _]: &mut BfsState, _: &mut Totals) -> Option<u32> {
        (*now < *before).then_some(*now)
    }

    #[inline]
    fn scatter(&self, vertex: GasVertex, _: &BfsState, distance: u32, _: OutEdge<BfsState>) -> BfsState {
        [distance + 1, vertex.id]
    }

    fn initial_change(&self, _: GasVertex, [distance, _]: &BfsState) -> Option<u32> {
        (*distance != UNREACHED).then_some(*distance)
    }
}
