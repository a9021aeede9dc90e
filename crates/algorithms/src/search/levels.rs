//! Search that proceeds level by level.

use outcrop_engine::{EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_types::{Direction, Result, VertexSet};

/// Level-by-level search with its own state.
pub(crate) trait LevelSearch: EdgeMap {
    /// Returns the direction of the search: along the edges, or against them.
    fn along(&self) -> Direction {
        Direction::Out
    }

    /// Returns false if the search must stop before vertices at `distance` edges, whose distance it cannot store.
    fn fits(&self, distance: u32) -> bool {
        _ = distance;
        true
    }

    /// Returns the greatest distance to search for.
    fn cutoff(&self) -> u32 {
        u32::MAX
    }

    /// Prepares for vertices at `distance` edges.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        _ = distance;
        Ok(())
    }

    /// Serializes the state at the start of a level, if checkpoints are enabled: `farthest` are the vertices at `depth`
    /// edges.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`outcrop_engine::EngineContext::checkpoint`].
    fn checkpoint(&mut self, engine: &Engine<'_>, depth: &mut u32, farthest: &mut VertexSet) -> Result<()> {
        _ = (engine, depth, farthest);
        Ok(())
    }

    /// Ends a level: exactly the vertices `found` were discovered.
    fn end_level(&mut self, engine: &Engine<'_>, found: &VertexSet) {
        _ = (engine, found);
    }
}

/// Extent of a search.
pub(crate) struct Reach {
    /// Greatest distance, in edges.
    pub(crate) depth: u32,
    /// Vertices at that distance; the start vertices if nothing else was found.
    pub(crate) farthest: VertexSet,
}

impl From<VertexSet> for Reach {
    /// Creates the extent of a search from these vertices.
    fn from(start: VertexSet) -> Self {
        Self { depth: 0, farthest: start }
    }
}

/// Searches from `reach` on until nothing new is found, a distance does not fit ([`LevelSearch::fits`]), or the cutoff
/// is reached ([`LevelSearch::cutoff`]).
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(crate) fn by_levels(engine: &Engine<'_>, search: &mut impl LevelSearch, mut reach: Reach) -> Result<Reach> {
    let options = EdgeMapOptions { along: search.along(), ..EdgeMapOutput::Frontier.into() };
    while !reach.farthest.is_empty() && reach.depth < search.cutoff() && search.fits(reach.depth + 1) {
        search.checkpoint(engine, &mut reach.depth, &mut reach.farthest)?;
        search.begin_level(reach.depth + 1)?;
        let found = engine.edge_map(&reach.farthest, search, options)?;
        search.end_level(engine, &found);
        if found.is_empty() {
            break;
        }
        reach = Reach { depth: reach.depth + 1, farthest: found };
    }
    Ok(reach)
}
