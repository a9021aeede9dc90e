//! Weakly connected components, interval by interval.
//!
//! Definition: as in `edge_map.rs`, with the same results.
//!
//! Paper: LOSC (Xu, Wang, Jiang et al., JPDC 172, 2023, sections 3.6 to 3.8): every vertex takes the smallest label
//! among its in- and out-neighbors, using new labels of earlier intervals, until nothing changes.
//!
//! Returns: `component`, an original ID, never null.
//!
//! Memory: 4 bytes per vertex in memory or on disk, sets of active vertices, and in stores of another order the ranks
//! (4 bytes) in memory.
//!
//! Passes over the edges: out- and in-lists of a vertex for each iteration in which its label has fallen, or all of
//! both. On disk, labels are read once per interval of a pull.
//!
//! Deviations: none; the number of iterations depends on memory, schedule and threads, the result on none of them.

use crate::IdOrder;
use crate::models::interval::{IntervalWork, Place, nodes};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_engine::interval::{Constructs, IntervalEngine, IntervalProgram, IntervalRequirements};
use outcrop_types::{Direction, Result, VertexId, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place) -> IntervalWork {
    let constructs = if place.on_disk { Constructs::Both } else { Constructs::Nothing };
    let requirements = IntervalRequirements { active: true, constructs, ..place.folding(Direction::In, 4, 4) };
    IntervalWork { requirements, value_bytes: 4 }
}

/// Propagates labels until nothing changes.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn wcc(engine: &IntervalEngine<'_>, ranks: IdOrder<'_>) -> Result<Outcome> {
    let mut labels = engine.values(|vertex| ranks.of(vertex))?;
    let mut active = VertexSet::all(engine.vertices());
    let mut iterations = 0;
    while !active.is_empty() {
        engine.checkpoint("labels", |state| {
            state.number(&mut iterations)?;
            state.frontier(&mut active)?;
            state.array(&mut labels)
        })?;
        active = engine.propagate(&Smallest, Directions::Both, &mut labels, &active)?;
        iterations = engine.end_iteration(None);
    }
    Ok(Outcome::new(vec![Column::new("component", nodes(labels))], iterations))
}

/// Program that takes the smallest label.
struct Smallest;

impl IntervalProgram for Smallest {
    type Source = u32;
    type Target = u32;
    type Sum = u32;

    #[inline]
    fn settled(&self, label: u32) -> bool {
        label == 0
    }

    #[inline]
    fn begin(&self, _: VertexId) -> u32 {
        u32::MAX
    }

    #[inline]
    fn gather(&self, least: &mut u32, _: VertexId, label: u32, _: f64) {
        *least = label.min(*least);
    }

    #[inline]
    fn apply(&self, _: VertexId, old: u32, least: u32) -> u32 {
        old.min(least)
    }
}
