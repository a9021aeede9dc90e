//! Neighbours of vertices, and all edges.

use super::answer::{Answer, ArcColumns, Arcs};
use super::asked::{Asked, AtPlaces};
use super::reading::{Question, Sides};
use crate::graph::Graph;
use outcrop_store::access::Neighbours;
use outcrop_store::writing::IdBatch;
use outcrop_types::{Result, VertexId};

/// Request for the neighbours of vertices.
#[derive(Clone, Debug)]
pub struct NeighborsRequest {
    /// Original ids; repeats are answered as often.
    pub nodes: IdBatch,
    /// Edges that count.
    pub sides: Sides,
    /// True for a column with the weights of the edges.
    pub weights: bool,
}

impl NeighborsRequest {
    /// The ends of the edges from `nodes`, without weights.
    pub const fn new(nodes: IdBatch) -> Self {
        Self { nodes, sides: Sides::Out, weights: false }
    }
}

impl Graph {
    /// The neighbours of some vertices: a row per edge with `node`, `neighbor` and, if requested, `weight`; in the
    /// order in which the vertices are named, and for each in ascending original id.
    ///
    /// # Errors
    /// An id that the graph does not have; weights of a graph without any; a budget that is too small; a damaged store;
    /// interruption.
    pub fn neighbors(&self, request: &NeighborsRequest) -> Result<Answer> {
        let weighted = self.require_weights(request.weights)?;
        let plan = Asked::memory(self, request.nodes.len());
        let question = Question::begin(self, request.sides, plan)?;
        let asked = Asked::find(self, &request.nodes, &question.budget)?;
        let arcs = question.read((weighted, asked.bytes()), |lists, share| {
            let gatherer = question.gatherer(share, weighted, false)?;
            for direction in request.sides.directions(self) {
                let visit = AtPlaces::new(&asked, |place, piece| gatherer.push(place, entries(piece)));
                lists.require(*direction)?.select(&asked.set(self), &visit)?;
            }
            gatherer.finish()
        })?;
        let columns = ArcColumns { first: "node", second: "neighbor", weighted, layered: false };
        let (ranks, held) = asked.into_ranks();
        let arcs = Arcs { arcs, ranks: Some(ranks), layer: None };
        Ok(Answer::arcs(question.source()?, &columns, vec![arcs], vec![held]))
    }
}

/// The neighbours of a piece with their weights, 1 where there are none.
pub(super) fn entries(piece: Neighbours<'_>) -> impl Iterator<Item = (VertexId, f64)> {
    let weight = move |place: usize| piece.weights().and_then(|weights| weights.get(place)).copied().unwrap_or(1.0);
    piece.ids().iter().enumerate().map(move |(place, neighbour)| (*neighbour, weight(place)))
}
