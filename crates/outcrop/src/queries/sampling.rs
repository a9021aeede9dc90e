//! Layered neighbor sampling for graph neural networks (Hamilton, Ying and Leskovec: Inductive Representation Learning
//! on Large Graphs, NIPS 2017).

use super::answer::{Answer, ArcColumns, Arcs};
use super::frontier::Frontier;
use super::neighbors::entries;
use super::reading::{Question, Sides};
use super::requested_vertices::RequestedVertices;
use super::sampler::{Draw, ListSample};
use crate::graph::Graph;
use crate::result::name_of_vertex;
use outcrop_algorithms::weights::{Refused, RefusedEdge, SUMMAND_RANGE, is_summand};
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_store::writing::{ArcGatherer, IdBatch};
use outcrop_types::{
    BitSet, Direction, Error, Location, Purpose, Result, SplitMix64, VertexId, VertexSet, length_from, short_number,
};
use std::ops::ControlFlow;

/// Maximum number of layers, and of samples per vertex.
const MOST_LAYERS: usize = 64;
const MOST_DRAWS: u32 = 1 << 16;

/// Memory per sample in progress, in bytes.
const DRAW_BYTES: u64 = 64;

/// Request for a sample of neighbors.
#[derive(Clone, Debug)]
pub struct SampleRequest {
    /// Original IDs of the initial vertices; duplicates are ignored.
    pub seeds: IdBatch,
    /// Number of neighbors sampled per vertex, for each layer.
    pub fanouts: Vec<u32>,
    /// Edges to follow; with both sides, the number applies to each side.
    pub sides: Sides,
    /// True for sampling with replacement.
    pub replace: bool,
    /// True for sampling proportional to edge weights.
    pub weighted: bool,
    /// Random seed.
    pub seed: u64,
}

impl SampleRequest {
    /// Creates a request for `fanouts` out-neighbors per vertex from `seeds`, uniformly and without replacement.
    pub const fn new(seeds: IdBatch, fanouts: Vec<u32>) -> Self {
        Self { seeds, fanouts, sides: Sides::Out, replace: false, weighted: false, seed: 0 }
    }

    fn check(&self) -> Result<()> {
        if self.fanouts.len() > MOST_LAYERS {
            return Err(Error::Usage(format!("{} layers exceed the limit of {MOST_LAYERS}", self.fanouts.len())));
        }
        let many = self.fanouts.iter().find(|fanout| **fanout > MOST_DRAWS);
        let refusal = |many| Error::Usage(format!("a fanout of {many} exceeds the limit of {MOST_DRAWS}"));
        many.map_or(Ok(()), |many| Err(refusal(many)))
    }

    /// Returns the maximum number of vertices per layer.
    fn most_members(&self, graph: &Graph) -> u64 {
        let sides = length_from(self.sides.directions(graph).len());
        let (mut most, mut last) = (length_from(self.seeds.len()), length_from(self.seeds.len()));
        for fanout in &self.fanouts {
            last = last.saturating_mul(u64::from(*fanout) * sides);
            most = most.max(last);
        }
        most.min(graph.num_vertices().into())
    }
}

impl Graph {
    /// Samples neighbors: one row per sample with `layer` (starting at 0), `source` and `neighbor`, in ascending order
    /// of all three. Each layer samples neighbors of the vertices that the previous layer reached first. A seed yields
    /// the same sample for any number of threads, memory, layout and other initial vertices, but not in stores with
    /// another vertex order.
    ///
    /// # Errors
    ///
    /// Returns an error if an ID is not in the graph, if weights are requested but the graph has none, if a sampled
    /// vertex has an edge whose weight cannot be added up (with weights), if there are too many layers, if the budget
    /// is too small, if the store is damaged, or if the query is interrupted.
    pub fn sample_neighbors(&self, request: &SampleRequest) -> Result<Answer> {
        self.require_weights(request.weighted)?;
        request.check()?;
        let vertices = self.num_vertices();
        // Default: a sample without layers is empty.
        let most = request.fanouts.iter().copied().max().unwrap_or(0);
        let draws = length_from(self.workers.slots()) * u64::from(most) * DRAW_BYTES;
        let sets = 2 * BitSet::bytes(vertices) + Frontier::bytes(self, request.most_members(self)) + draws;
        let plan = RequestedVertices::memory(self, request.seeds.len()).with(Purpose::Frontier, sets);
        let question = Question::begin(self, request.sides, plan)?;
        let asked = RequestedVertices::find(self, &request.seeds, &question.budget)?;
        let _sets = question.budget.reserve(sets, Purpose::Frontier)?;
        let only = Some(&asked).filter(|_| request.fanouts.len() == 1);
        let layers = question.read(request.weighted, asked.bytes() + sets, only, |lists, share| {
            // The sorters of all layers exist until the answer is read.
            let share = share / length_from(request.fanouts.len().max(1));
            let (seen, mut set) = (BitSet::empty(vertices), asked.set(self));
            let (mut layers, refused) = (Vec::new(), Refused::new());
            for (layer, fanout) in (0..).zip(&request.fanouts) {
                set.for_each(|vertex| _ = seen.insert(vertex));
                let (next, arcs) = (BitSet::empty(vertices), question.gatherer(share, false, false)?);
                let draw = Draw { count: *fanout, replace: request.replace, weighted: request.weighted };
                let frontier = Frontier::of(self, &set)?;
                for (side, direction) in (0..).zip(request.sides.directions(self)) {
                    let numbers = request.seed ^ (u64::from(layer) << 1 | side) << 48;
                    let (frontier, arcs, seen, next, refused) = (&frontier, &arcs, &seen, &next, &refused);
                    let visit = Sample { draw, numbers, frontier, arcs, seen, next, direction: *direction, refused };
                    lists.require(*direction)?.select(&set, &visit)?;
                    refused.check(|edge| self.refused_weight(edge))?;
                }
                layers.push(Arcs { arcs: arcs.finish()?, ranks: None, layer: Some(layer) });
                set = VertexSet::from_bits(next);
            }
            Ok(layers)
        })?;
        let columns = ArcColumns { first: "source", second: "neighbor", weighted: false, layered: true };
        Ok(Answer::arcs(question.source()?, &columns, layers, Vec::new()))
    }
}

impl Graph {
    /// Returns the error for sampling by weight along `edge`.
    fn refused_weight(&self, edge: RefusedEdge) -> Error {
        let name = |vertex| name_of_vertex(&self.store, self.io, vertex);
        match name(edge.source).and_then(|source| Ok((source, name(edge.target)?))) {
            Err(error) => error,
            Ok((source, target)) => {
                let message = format!(
                    "the edge from {source} to {target} has the weight {}; weighted sampling needs {SUMMAND_RANGE}",
                    short_number(edge.weight)
                );
                Error::bad_input(Location::file(self.store.folder().display().to_string()), message)
            }
        }
    }
}

/// Sampling of one layer from one side.
struct Sample<'s> {
    draw: Draw,
    /// Seed of the layer and side.
    numbers: u64,
    frontier: &'s Frontier,
    arcs: &'s ArcGatherer<'s>,
    /// Vertices reached before this layer.
    seen: &'s BitSet,
    /// Vertices that this layer reaches first.
    next: &'s BitSet,
    direction: Direction,
    /// Receives edges with weights that cannot be added up.
    refused: &'s Refused,
}

impl FoldLists for Sample<'_> {
    type Fold = (u32, ListSample);

    fn selective(&self) -> bool {
        false
    }

    fn begin(&self, vertex: VertexId) -> (u32, ListSample) {
        let rank = self.frontier.rank(vertex);
        (rank, ListSample::new(self.draw, SplitMix64::new(self.numbers, rank.into())))
    }

    fn neighbors(
        &self,
        vertex: VertexId,
        (_, sample): &mut (u32, ListSample),
        piece: Neighbors<'_>,
    ) -> ControlFlow<()> {
        for (neighbor, weight) in entries(piece) {
            if self.draw.weighted && !is_summand(weight) {
                match self.direction {
                    Direction::Out => self.refused.note(vertex, neighbor, weight),
                    Direction::In => self.refused.note(neighbor, vertex, weight),
                }
            }
            sample.push((neighbor, weight));
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (rank, sample): Self::Fold) {
        let drawn = sample.into_entries();
        for (neighbor, _) in &drawn {
            if !self.seen.contains(*neighbor) {
                self.next.insert(*neighbor);
            }
        }
        _ = self.arcs.push(rank, drawn.into_iter());
    }
}
