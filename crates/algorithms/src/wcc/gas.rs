//! Weakly connected components on edge values.
//!
//! Definition: as in `edge_map.rs`, with the same results.
//!
//! Paper: Vora, Xu, Gupta, USENIX ATC 2016, table 1 (aggregation: min): a vertex whose label has fallen writes it to
//! its edges in both directions; labels start as ranks.
//!
//! Returns: `component`, an original ID, never null.
//!
//! Memory: 4 bytes per vertex in memory or on disk, and in stores of another order the ranks (4 bytes) in memory.
//! Edges: a label (4 bytes).
//!
//! Passes over the edges: those of a vertex once, and again for each iteration in which its label falls.
//!
//! Deviations: none; with delays the result is the same, and the number of iterations is the same or larger.

use crate::IdOrder;
use crate::models::Place;
use crate::models::gas::{GasWork, requirements};
use crate::models::interval::nodes;
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasVertex, OutEdge, Totals};
use outcrop_types::Result;

/// Returns the needs of the program.
pub const fn work(place: Place) -> GasWork {
    GasWork::new(requirements::<Smallest<'_>>(place, Directions::Both), 0)
}

/// Propagates labels until nothing changes.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn wcc(engine: &GasEngine<'_>, ranks: IdOrder<'_>) -> Result<Outcome> {
    let ran = engine.run(&Smallest { ranks }, u32::MAX)?;
    Ok(Outcome::new(vec![Column::new("component", nodes(ran.values))], ran.iterations))
}

/// Program that takes the smallest label.
#[derive(Clone, Copy, Debug)]
pub struct Smallest<'r> {
    /// Ranks of vertices among the original IDs.
    pub ranks: IdOrder<'r>,
}

impl GasProgram for Smallest<'_> {
    type Value = u32;
    type Edge = u32;
    type Sum = u32;
    type Change = u32;

    const AGGREGATION: Aggregation = Aggregation::Min;
    const TAKES_ARRIVALS: bool = true;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (u32, Option<u32>) {
        let label = self.ranks.of(vertex.id);
        (label, Some(label))
    }

    #[inline]
    fn gather(&self, sum: Option<u32>, label: u32) -> u32 {
        sum.map_or(label, |sum| sum.min(label))
    }

    #[inline]
    fn apply(&self, _: GasVertex, old: &u32, sum: Option<u32>) -> u32 {
        sum.map_or(*old, |sum| sum.min(*old))
    }

    #[inline]
    fn change(&self, _: GasVertex, old: &u32, new: &mut u32, _: &mut Totals) -> Option<u32> {
        (*new < *old).then_some(*new)
    }

    #[inline]
    fn scatter(&self, _: GasVertex, _: &u32, label: u32, _: OutEdge<u32>) -> u32 {
        label
    }

    fn initial_change(&self, _: GasVertex, label: &u32) -> Option<u32> {
        Some(*label)
    }
}
