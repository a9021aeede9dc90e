//! The diameter, from below.
//!
//! Definition: the eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches. The
//! result is the largest eccentricity found: a lower bound of the diameter of what was reached, and exact where that is an
//! undirected tree.
//! Paper: DIAM of BASC and Norder (section 5): a breadth-first search from a vertex drawn at random, and again and again from a
//! farthest vertex of the search before (of several, that of the smallest original id), until a search finds no greater eccentricity.
//! Returns: the value `diameter` in edges; `eccentricity` u32, null for vertices from which no search began.
//! Memory: 4 bytes and a bit a vertex, frontiers, both indexes; the ranks of vertices, in stores of another order than the
//! original. Passes over the edges for each search: each list at most once pushing, and part of the in-lists once for each pulling
//! level. Deviations: where a search cannot go on from a farthest vertex, because a search began there before, or because nothing
//! else was reached, it goes on from the next vertex that was drawn: half of a Kronecker graph has no edges. An iteration is a search. The
//! answer does not depend on threads, order or layout; repeated edges and loops make no difference, nor do weights.

use super::levels::{LevelSearch, by_levels};
use crate::outcome::{Column, Outcome, Scalar, Values};
use crate::{Ranks, UNREACHED};
use outcrop_engine::{EdgeMap, Engine};
use outcrop_store::access::Adjacency;
use outcrop_types::{BitSet, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};

/// How many vertices are drawn where no number of searches is asked for.
pub const DRAWS: u32 = 64;

/// Memory over `vertices` vertices, but for the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    MemoryPlan::new()
        .with(Purpose::VertexValues, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, BitSet::bytes(vertices))
}

/// Searches from the first of `starts`, then from farthest vertices, or the next of `starts`; with `searches` at most so many times,
/// whatever they find.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, interruption.
pub fn diameter<A: Adjacency>(
    engine: &Engine<'_, A>,
    starts: &[VertexId],
    searches: Option<u32>,
    ranks: Ranks<'_>,
) -> Result<Outcome> {
    let (budget, count) = (engine.budget(), engine.vertices() as usize);
    let mut eccentricity = VertexValues::new(budget, Purpose::VertexValues, count, |_| UNREACHED)?;
    let _held = budget.reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
    let mut search = Search { seen: BitSet::empty(engine.vertices()) };
    let (mut starts, mut farthest) = (starts.iter().copied(), None);
    let (mut greatest, mut iterations) = (None, 0);
    while searches.is_none_or(|most| iterations < most)
        && let Some(start) =
            farthest.into_iter().chain(&mut starts).find(|start| eccentricity[*start as usize] == UNREACHED)
    {
        let (depth, last) = search.from(engine, start, ranks)?;
        iterations = engine.end_iteration(None);
        eccentricity[start as usize] = depth;
        farthest = last;
        if searches.is_none() && greatest.is_some_and(|greatest| greatest > 0 && depth <= greatest) {
            break;
        }
        greatest = greatest.max(Some(depth));
    }
    let column = Column::new("eccentricity", Values::Count(eccentricity));
    let diameter = Scalar { name: "diameter", value: greatest.map(u64::from) };
    Ok(Outcome { values: vec![diameter], ..Outcome::new(vec![column], iterations) })
}

struct Search {
    /// The vertices that the search has reached.
    seen: BitSet,
}

impl Search {
    /// The eccentricity of `start`, and the vertex at that distance of the smallest original id.
    fn from<A: Adjacency>(
        &mut self,
        engine: &Engine<'_, A>,
        start: VertexId,
        ranks: Ranks<'_>,
    ) -> Result<(u32, Option<VertexId>)> {
        self.seen.clear();
        self.seen.insert(start);
        let reach = by_levels(engine, self, VertexSet::from_members(vec![start], engine.vertices()))?;
        let mut first = None;
        reach.farthest.for_each(|vertex| first = first.into_iter().chain([(ranks.of(vertex), vertex)]).min());
        Ok((reach.depth, first.map(|(_, vertex)| vertex)))
    }
}

impl LevelSearch for Search {}

impl EdgeMap for Search {
    #[inline]
    fn update_atomic(&self, _: VertexId, target: VertexId, _: f32) -> bool {
        self.seen.insert(target)
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        !self.seen.contains(target)
    }
}
