//! Neighbors of vertices, and all edges.

use super::answer::{Answer, ArcColumns, Arcs};
use super::reading::{Question, Sides};
use super::requested_vertices::{AtPlaces, RequestedVertices};
use crate::graph::Graph;
use outcrop_store::access::Neighbors;
use outcrop_store::writing::IdBatch;
use outcrop_types::{Result, VertexId};

/// Request for the neighbors of vertices.
#[derive(Clone, Debug)]
pub struct NeighborsRequest {
    /// Original IDs; duplicates are answered repeatedly.
    pub nodes: IdBatch,
    /// Edges to follow.
    pub sides: Sides,
    /// True to return a column with the weights of the edges.
    pub weights: bool,
}

impl NeighborsRequest {
    /// Creates a request for the neighbors of `nodes` along out-edges, without weights.
    pub const fn new(nodes: IdBatch) -> Self {
        Self { nodes, sides: Sides::Out, weights: false }
    }
}

impl Graph {
    /// Returns the neighbors of some vertices: one row per edge with `node`, `neighbor` and, if requested, `weight`; in
    /// the order of the request, and for each vertex in ascending order of original ID.
    ///
    /// # Errors
    ///
    /// Returns an error if an ID is not in the graph, if weights are requested but the graph has none, if the budget is
    /// too small, if the store is damaged, or if the query is interrupted.
    pub fn neighbors(&self, request: &NeighborsRequest) -> Result<Answer> {
        let weighted = self.require_weights(request.weights)?;
        let plan = RequestedVertices::memory(self, request.nodes.len());
        let question = Question::begin(self, request.sides, plan)?;
        let asked = RequestedVertices::find(self, &request.nodes, &question.budget)?;
        let arcs = question.read(weighted, asked.bytes(), Some(&asked), |lists, share| {
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

/// Returns the neighbors of a piece with their weights (1 if there are none).
pub(super) fn entries(piece: Neighbors<'_>) -> impl Iterator<Item = (VertexId, f64)> {
    let weight = move |place: usize| piece.weights().and_then(|weights| weights.get(place)).copied().unwrap_or(1.0);
    piece.ids().iter().enumerate().map(move |(place, neighbor)| (*neighbor, weight(place)))
}
