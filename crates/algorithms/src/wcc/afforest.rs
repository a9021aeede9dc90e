//! Afforest, which joins a sample of the edges first.

use super::forest::Forest;
use crate::IdOrder;
use outcrop_engine::Engine;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, are_same};
use outcrop_types::{Result, VertexId, VertexRange, VertexValues};
use std::ops::ControlFlow;

/// Number of neighbors that each vertex is initially joined with.
const FIRST: usize = 2;

/// Locations of checkpoints, in the lists of each direction.
const PLACES: [&str; 2] = ["out-lists", "in-lists"];

/// Returns the location to resume from, if the run is resumed.
pub(super) fn resume_place(engine: &Engine<'_>) -> Option<usize> {
    PLACES.iter().position(|place| engine.resumes_at(place))
}

pub(super) fn components(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    ranks: IdOrder<'_>,
    forest: Forest,
) -> Result<(VertexValues<u32>, u32)> {
    let resume_place = resume_place(engine);
    let mut except = match resume_place {
        Some(_) => None,
        None => unite_first(engine, out, into, &forest)?,
    };
    engine.note_visit(None);
    let sides = if are_same(out, into) { vec![out] } else { vec![out, into] };
    for (place, lists) in PLACES.into_iter().zip(sides).skip(resume_place.unwrap_or(0)) {
        forest.unite_lists(engine, place, lists, &mut except)?;
    }
    let iterations = engine.end_iteration(None);
    Ok((forest.components(ranks, engine)?, iterations))
}

/// Joins every vertex with its first neighbors, which is an iteration; returns a root of the largest tree.
fn unite_first(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    forest: &Forest,
) -> Result<Option<VertexId>> {
    let everything = VertexRange::new(0, engine.vertices());
    engine.note_visit(None);
    out.sweep(everything, &UniteFirst(forest, None))?;
    let mut except = forest.largest(engine);
    if !are_same(out, into) && into.can_peek_first_neighbors() {
        into.sweep(everything, &UniteFirst(forest, except))?;
        except = forest.largest(engine);
    }
    engine.end_iteration(None);
    Ok(except)
}

/// Joins every vertex with its first neighbors, except for the children of a root: one neighbor if first neighbors are
/// available without the lists, otherwise [`FIRST`].
struct UniteFirst<'f>(&'f Forest, Option<VertexId>);

impl FoldLists for UniteFirst<'_> {
    /// Number of neighbors still to be joined with.
    type Fold = usize;

    fn selective(&self) -> bool {
        self.1.is_some()
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.1.is_none_or(|root| self.0.parent(vertex) != root)
    }

    fn stops_early(&self) -> bool {
        true
    }

    fn peeks(&self) -> bool {
        true
    }

    fn peek(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        self.0.unite(vertex, neighbor, (vertex, neighbor));
        true
    }

    fn begin(&self, _: VertexId) -> usize {
        FIRST
    }

    fn neighbors(&self, vertex: VertexId, left: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
        let first = &piece.ids()[..piece.len().min(*left)];
        first.iter().for_each(|other| _ = self.0.unite(vertex, *other, (vertex, *other)));
        *left -= first.len();
        if *left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&self, _: VertexId, _: usize) {}
}
