//! A search that goes one edge further in each step.

use outcrop_engine::{EdgeMap, EdgeMapOptions, EdgeMapOutput, Engine};
use outcrop_types::{Direction, Result, VertexSet};

/// Search by levels, and what it keeps of them.
pub(crate) trait LevelSearch: EdgeMap {
    /// The way of the search: along the edges, or against them.
    fn along(&self) -> Direction {
        Direction::Out
    }

    /// Vertices at `distance` edges will be looked for.
    ///
    /// # Errors
    /// A budget that is too small.
    fn begin_level(&mut self, distance: u32) -> Result<()> {
        _ = distance;
        Ok(())
    }

    /// Shows the state that a level begins with, where checkpoints are kept: these are the farthest vertices, at
    /// `depth` edges.
    ///
    /// # Errors
    /// As for [`outcrop_engine::Shell::checkpoint`].
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
    /// The greatest distance, in edges.
    pub(crate) depth: u32,
    /// The vertices at that distance; those to start from where nothing else was found.
    pub(crate) farthest: VertexSet,
}

/// Searches from the vertices of `start` until nothing new is found.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub(crate) fn by_levels(engine: &Engine<'_>, search: &mut impl LevelSearch, start: VertexSet) -> Result<Reach> {
    let options = EdgeMapOptions { along: search.along(), ..EdgeMapOutput::Frontier.into() };
    let mut reach = Reach { depth: 0, farthest: start };
    while !reach.farthest.is_empty() {
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
