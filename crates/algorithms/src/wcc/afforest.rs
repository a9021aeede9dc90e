//! Joins a sample of the edges first.

use super::forest::{Forest, Unite};
use crate::IdOrder;
use outcrop_engine::Engine;
use outcrop_store::access::{Adjacency, FoldLists, Neighbours, are_same};
use outcrop_types::{Result, VertexId, VertexRange, VertexValues};
use std::ops::ControlFlow;

/// Number of its neighbours that each vertex is joined with at first.
const FIRST: usize = 2;

pub(super) fn components(
    engine: &Engine<'_>,
    out: &dyn Adjacency,
    into: &dyn Adjacency,
    ranks: IdOrder<'_>,
    forest: Forest,
) -> Result<(VertexValues<u32>, u32)> {
    let everything = VertexRange::new(0, engine.vertices());
    engine.note_visit(None);
    out.sweep(everything, &UniteFirst(&forest, None))?;
    let mut except = forest.largest(engine);
    if !are_same(out, into) && into.shows_first_neighbours() {
        into.sweep(everything, &UniteFirst(&forest, except))?;
        except = forest.largest(engine);
    }
    engine.end_iteration(None);
    let outside = Unite { forest: &forest, except };
    engine.note_visit(None);
    out.sweep(everything, &outside)?;
    if !are_same(out, into) {
        into.sweep(everything, &outside)?;
    }
    let iterations = engine.end_iteration(None);
    Ok((forest.components(ranks, engine)?, iterations))
}

/// Joins every vertex with the first of its list, but for the children of a root: one where first neighbours are shown without the lists,
/// else [`FIRST`].
struct UniteFirst<'f>(&'f Forest, Option<VertexId>);

impl FoldLists for UniteFirst<'_> {
    /// Number of neighbours that are still to be joined with.
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

    fn peek(&self, vertex: VertexId, neighbour: VertexId) -> bool {
        self.0.unite(vertex, neighbour, (vertex, neighbour));
        true
    }

    fn begin(&self, _: VertexId) -> usize {
        FIRST
    }

    fn neighbours(&self, vertex: VertexId, left: &mut usize, piece: Neighbours<'_>) -> ControlFlow<()> {
        let first = &piece.ids()[..piece.len().min(*left)];
        first.iter().for_each(|other| _ = self.0.unite(vertex, *other, (vertex, *other)));
        *left -= first.len();
        if *left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&self, _: VertexId, _: usize) {}
}
