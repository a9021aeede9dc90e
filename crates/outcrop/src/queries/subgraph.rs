//! Subgraphs induced by some vertices, or by their surroundings.

use super::answer::{Answer, ArcColumns, Arcs};
use super::frontier::Frontier;
use super::neighbors::entries;
use super::reading::{Question, Sides};
use super::requested_vertices::RequestedVertices;
use crate::graph::Graph;
use outcrop_store::access::{FoldLists, Neighbors, OpenLists};
use outcrop_store::writing::{ArcGatherer, IdBatch};
use outcrop_types::{BitSet, Direction, Purpose, Result, VertexId, VertexSet, length_from};
use std::ops::ControlFlow;

/// Request for the edges among vertices.
#[derive(Clone, Debug)]
pub struct SubgraphRequest {
    /// Original IDs.
    pub nodes: IdBatch,
    /// Number of steps by which the set of vertices is extended first; 0 for none.
    pub radius: u32,
    /// Edges followed by these steps.
    pub sides: Sides,
    /// True to return a column with the weights of the edges.
    pub weights: bool,
}

impl SubgraphRequest {
    /// Creates a request for the edges among `nodes`, without weights.
    pub const fn new(nodes: IdBatch) -> Self {
        Self { nodes, radius: 0, sides: Sides::Out, weights: false }
    }
}

impl Graph {
    /// Returns the edges among some vertices, and the vertices within the requested number of steps from them: the
    /// columns `source`, `target` and, if requested, `weight`, in the order of [`Graph::edges`].
    ///
    /// # Errors
    ///
    /// Returns an error if an ID is not in the graph, if weights are requested but the graph has none, if the budget is
    /// too small, if the store is damaged, or if the query is interrupted.
    pub fn subgraph(&self, request: &SubgraphRequest) -> Result<Answer> {
        let weighted = self.require_weights(request.weights)?;
        let vertices = self.num_vertices();
        let members = if request.radius == 0 { length_from(request.nodes.len()) } else { vertices.into() };
        let sets = 2 * BitSet::bytes(vertices) + Frontier::bytes(self, members);
        let plan = RequestedVertices::memory(self, request.nodes.len()).with(Purpose::Frontier, sets);
        let read = match (request.radius, request.sides) {
            (0, _) | (_, Sides::Out) => Sides::Out,
            _ => Sides::Both,
        };
        let question = Question::begin(self, read, plan)?;
        let asked = RequestedVertices::find(self, &request.nodes, &question.budget)?;
        let _sets = question.budget.reserve(sets, Purpose::Frontier)?;
        let only = Some(&asked).filter(|_| request.radius == 0);
        let arcs = question.read(weighted, asked.bytes() + sets, only, |lists, share| {
            let seen = self.around(asked.set(self), request, lists)?;
            let ascending = !self.store.manifest().graph.directed;
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

    /// Returns the vertices of `set`, and those within the radius.
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

/// Visitor that follows edges by one step.
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

    fn neighbors(&self, _: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        let fresh = piece.ids().iter().filter(|neighbor| !self.seen.contains(**neighbor));
        fresh.for_each(|neighbor| _ = self.next.insert(*neighbor));
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}

/// Visitor that collects the entries whose neighbor is in a set.
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

    fn neighbors(&self, _: VertexId, rank: &mut u32, piece: Neighbors<'_>) -> ControlFlow<()> {
        self.arcs.push(*rank, entries(piece).filter(|(neighbor, _)| self.set.contains(*neighbor)))
    }

    fn end(&self, _: VertexId, _: u32) {}
}
