//! Breadth-first search, interval by interval.
//!
//! Definition: as in `edge_map.rs`, with the same results.
//!
//! Paper: LOSC (Xu, Wang, Jiang et al., JPDC 172, 2023, sections 3.6 to 3.8): active vertices propagate their levels,
//! and intervals are synchronized one after the other; then, if requested, every vertex finds its predecessor among its
//! in-neighbors.
//!
//! Returns: `distance` u32 in edges and, if requested, `predecessor` as an original ID; null if unreached, and for the
//! sources' predecessors.
//!
//! Memory: 4 bytes per vertex in memory or on disk, and sets of active vertices; with predecessors, 4 more bytes, and
//! in stores of another order the ranks (4 bytes) in memory.
//!
//! Passes over the edges: in each iteration, the out-lists of vertices whose levels have fallen or part of the
//! in-lists; the in-lists once for predecessors. On disk, levels are read once per interval of a pull, and predecessors
//! are written once.
//!
//! Deviations: a level may initially be too large, if a long path is found within one iteration before a shorter one.
//! Therefore, the number of iterations may differ, and depends on memory, schedule and threads; observers also see the
//! pass for predecessors.

use crate::models::interval::{BEGINNING, IntervalWork, Place, nodes};
use crate::outcome::{Column, Outcome};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Directions;
use outcrop_engine::interval::{IntervalEngine, IntervalProgram, IntervalRequirements};
use outcrop_types::{Direction, Result, VertexId, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place, predecessors: bool) -> IntervalWork {
    let requirements =
        IntervalRequirements { active: true, ..place.folding(Direction::In, 4, size_of::<u64>() as u64) };
    IntervalWork { requirements, value_bytes: if predecessors { 8 } else { 4 } }
}

/// Searches from `sources` until nothing changes, and finds predecessors if `ranks` are given.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn bfs(engine: &IntervalEngine<'_>, sources: &[VertexId], ranks: Option<IdOrder<'_>>) -> Result<Outcome> {
    let unreached = || engine.values(|_| UNREACHED);
    let mut levels = unreached()?;
    sources.iter().try_for_each(|source| levels.set(*source, 0))?;
    let mut active = VertexSet::from_members(sources.to_vec(), engine.vertices());
    let mut iterations = 0;
    while !active.is_empty() {
        engine.checkpoint("levels", |state| {
            state.number(&mut iterations)?;
            state.frontier(&mut active)?;
            state.array(&mut levels)
        })?;
        active = engine.propagate(&Levels { final_to: iterations + 1 }, Directions::Out, &mut levels, &active)?;
        iterations = engine.end_iteration(None);
    }
    drop(active);
    let mut found = None;
    if let Some(ranks) = ranks {
        let mut predecessors = unreached()?;
        sources.iter().try_for_each(|source| predecessors.set(*source, BEGINNING))?;
        engine.gather(&Nearest { ranks }, Direction::In, &levels, &mut predecessors)?;
        engine.end_iteration(None);
        found = Some(Column::new("predecessor", nodes(predecessors)));
    }
    let distance = Column::new("distance", levels.into());
    Ok(Outcome::new([distance].into_iter().chain(found).collect(), iterations))
}

/// Program of one iteration.
struct Levels {
    /// Levels up to this one are final at the end of this iteration: the level of a vertex no longer falls after a
    /// number of iterations equal to its distance.
    final_to: u32,
}

impl IntervalProgram for Levels {
    type Source = u32;
    type Target = u32;
    type Sum = u32;

    #[inline]
    fn settled(&self, level: u32) -> bool {
        level <= self.final_to
    }

    #[inline]
    fn begin(&self, _: VertexId) -> u32 {
        UNREACHED
    }

    #[inline]
    fn gather(&self, least: &mut u32, _: VertexId, level: u32, _: f64) {
        *least = level.saturating_add(1).min(*least);
    }

    #[inline]
    fn apply(&self, _: VertexId, old: u32, least: u32) -> u32 {
        old.min(least)
    }
}

/// Search for the first in-neighbor of the lowest level, which is one less than the level of the vertex.
struct Nearest<'r> {
    ranks: IdOrder<'r>,
}

impl IntervalProgram for Nearest<'_> {
    type Source = u32;
    type Target = u32;
    /// Level, and the vertex in the lower half.
    type Sum = u64;

    fn begin(&self, _: VertexId) -> u64 {
        u64::MAX
    }

    #[inline]
    fn gather(&self, nearest: &mut u64, source: VertexId, level: u32, _: f64) {
        *nearest = (*nearest).min(u64::from(level) << 32 | u64::from(source));
    }

    #[inline]
    fn apply(&self, _: VertexId, old: u32, nearest: u64) -> u32 {
        let (level, predecessor) = ((nearest >> 32) as u32, nearest as u32);
        if old == BEGINNING || level == UNREACHED { UNREACHED } else { self.ranks.of(predecessor) }
    }
}
