//! The graph among some vertices, or around them.

use super::answer::{Answer, ArcColumns, Arcs};
use super::asked::Asked;
use super::frontier::Frontier;
use super::neighbors::entries;
use super::reading::{Question, Sides};
use crate::graph::Graph;
use outcrop_store::access::{FoldLists, Neighbours, OpenLists};
use outcrop_store::writing::{ArcGatherer, IdBatch};
use outcrop_types::{BitSet, Direction, Purpose, Result, VertexId, VertexSet, length_from};
use std::ops::ControlFlow;

/// Request for the edges among vertices.
#[derive(Clone, Debug)]
pub struct SubgraphRequest {
    /// Original ids.
    pub nodes: IdBatch,
    /// Steps by which the vertices are extended first: 0 for none.
    pub radius: u32,
    /// Edges that such a step follows.
    pub sides: Sides,
    /// True for a column with the weights of the edges.
    pub weights: bool,
}

impl SubgraphRequest {
    /// The edges among `nodes`, without weights.
    pub const fn new(nodes: IdBatch) -> Self {
        Self { nodes, radius: 0, sides: Sides::Out, weights: false }
    }
}

impl Graph {
    /// The edges among some vertices, and those that are no more steps from them than are asked for: the columns
    /// `source`, `target` and, where they are asked for, `weight`, in the order of [`Graph::edges`].
    ///
    /// # Errors
    /// An id that the graph does not have; weights of a graph without any; a budget that is too small; a damaged store;
    /// interruption.
    pub fn subgraph(&self, request: &SubgraphRequest) -> Result<Answer> {
        let weighted = self.require_weights(request.weights)?;
        let vertices = self.num_vertices();
        let members = if request.radius == 0 { length_from(request.nodes.len()) } else { vertices.into() };
        let sets = 2 * BitSet::bytes(vertices) + Frontier::bytes(self, members);
        let plan = Asked::memory(self, request.nodes.len()).with(Purpose::Frontier, sets);
        let read = match (request.radius, request.sides) {
            (0, _) | (_, Sides::Out) => Sides::Out,
            _ => Sides::Both,
        };
        let question = Question::begin(self, read, plan)?;
        let asked = Asked::find(self, &request.nodes, &question.budget)?;
        let _sets = question.budget.reserve(sets, Purpose::Frontier)?;
        let arcs = question.read((weighted, asked.bytes() + sets), |lists, share| {
            let seen = self.around(asked.set(self), request, lists)?;
            let ascending = !self.store.manifest().directed;
            let arcs = question.gatherer(share, weighted, ascending)?;
            let set = VertexSet::from_bits(seen);
            let visit = Among { frontier: &Frontier::of(self, &set)?, set: &set, arcs: &arcs };
            lists.require(Direction::Out)?.select(&set, &visit)?;
            arcs.finish()
        })?;
        let columns = ArcColumns { first: "source", second: "target", weighted, layered: false };
        let arcs = Arcs { arcs, ranks: None, layer: None };
        Ok(Answer::arcs(question.source()?, &columns, vec![arcs], Vec::new()))
    }

    /// The vertices of `set`, and those within the radius.
    fn around(&self, mut set: VertexSet, request: &SubgraphRequest, lists: OpenLists<'_>) -> Result<BitSet> {
        let seen = BitSet::empty(self.num_vertices());
        set.for_each(|vertex| _ = seen.insert(vertex));
        for _ in 0..request.radius {
            let next = BitSet::empty(self.num_vertices());
            let visit = Step { seen: &seen, next: &next };
            for direction in request.sides.directions(self) {
                lists.require(*direction)?.select(&set, &visit)?;
            }
            set = VertexSet::from_bits(next);
            if set.is_empty() {
                break;
            }
            set.for_each(|vertex| _ = seen.insert(vertex));
        }
        Ok(seen)
    }
}

/// A step along edges.
struct Step<'s> {
    seen: &'s BitSet,
    next: &'s BitSet,
}

impl FoldLists for Step<'_> {
    type Fold = ();

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, _: VertexId) {}

    fn neighbours(&self, _: VertexId, (): &mut (), piece: Neighbours<'_>) -> ControlFlow<()> {
        let fresh = piece.ids().iter().filter(|neighbour| !self.seen.contains(**neighbour));
        fresh.for_each(|neighbour| _ = self.next.insert(*neighbour));
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}

/// Takes the entries that lead to vertices of a set.
struct Among<'a> {
    frontier: &'a Frontier,
    set: &'a VertexSet,
    arcs: &'a ArcGatherer<'a>,
}

impl FoldLists for Among<'_> {
    type Fold = u32;

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> u32 {
        self.frontier.rank(vertex)
    }

    fn neighbours(&self, _: VertexId, rank: &mut u32, piece: Neighbours<'_>) -> ControlFlow<()> {
        self.arcs.push(*rank, entries(piece).filter(|(neighbour, _)| self.set.contains(*neighbour)))
    }

    fn end(&self, _: VertexId, _: u32) {}
}
