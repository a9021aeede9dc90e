//! Samples of neighbours in layers, as graph networks learn from them (Hamilton, Ying and Leskovec: Inductive
//! Representation Learning on Large Graphs, NIPS 2017).

use super::answer::{Answer, ArcColumns, Arcs};
use super::asked::Asked;
use super::frontier::Frontier;
use super::neighbors::entries;
use super::reading::{Question, Sides};
use super::sampler::{Draw, ListSample};
use crate::graph::Graph;
use crate::result::name_of_vertex;
use outcrop_algorithms::weights::{Refused, RefusedEdge};
use outcrop_store::access::{FoldLists, Neighbours};
use outcrop_store::writing::{ArcGatherer, IdBatch};
use outcrop_types::{
    BitSet, Direction, Error, Location, Purpose, Result, SplitMix64, VertexId, VertexSet, length_from, short_number,
};
use std::ops::ControlFlow;

/// Layers of a sample at most, and draws of a vertex.
const MOST_LAYERS: usize = 64;
const MOST_DRAWS: u32 = 1 << 16;

/// Memory of a draw under way, in bytes.
const DRAW_BYTES: u64 = 64;

/// Request for a sample of neighbours.
#[derive(Clone, Debug)]
pub struct SampleRequest {
    /// Original ids of the vertices to begin with; repeats count once.
    pub seeds: IdBatch,
    /// Neighbours that are drawn of each vertex, layer by layer.
    pub fanouts: Vec<u32>,
    /// Edges that count; with both, so many are drawn of each side.
    pub sides: Sides,
    /// True if a neighbour may be drawn again.
    pub replace: bool,
    /// True if neighbours are drawn by the weights of edges.
    pub weighted: bool,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl SampleRequest {
    /// Draws `fanouts` of the ends of edges from `seeds` without replacement, all as likely.
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

    /// Maximum number of vertices per layer.
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
    /// A sample of neighbours: a row a draw with `layer`, counted from 0, `source` and `neighbor`; ascending by all of
    /// them. A layer draws for the vertices that the layer before has come to first. The same seed draws the same,
    /// whatever the threads, the memory, the layout of the lists, and the other seeds that are asked for with it; not
    /// in stores of another order.
    ///
    /// # Errors
    /// An id that the graph does not have; weights of a graph without any; with weights, a negative one at a vertex
    /// that is drawn for; too many layers; a budget that is too small; a damaged store; interruption.
    pub fn sample_neighbors(&self, request: &SampleRequest) -> Result<Answer> {
        self.require_weights(request.weighted)?;
        request.check()?;
        let vertices = self.num_vertices();
        // Default: a sample without layers draws nothing.
        let most = request.fanouts.iter().copied().max().unwrap_or(0);
        let draws = length_from(self.workers.slots()) * u64::from(most) * DRAW_BYTES;
        let sets = 2 * BitSet::bytes(vertices) + Frontier::bytes(self, request.most_members(self)) + draws;
        let plan = Asked::memory(self, request.seeds.len()).with(Purpose::Frontier, sets);
        let question = Question::begin(self, request.sides, plan)?;
        let asked = Asked::find(self, &request.seeds, &question.budget)?;
        let _sets = question.budget.reserve(sets, Purpose::Frontier)?;
        let layers = question.read((request.weighted, asked.bytes() + sets), |lists, share| {
            // Sorters of all layers stay until the answer is read.
            let share = share / length_from(request.fanouts.len().max(1));
            let (seen, mut set) = (BitSet::empty(vertices), asked.set(self));
            let (mut layers, negative) = (Vec::new(), Refused::new());
            for (layer, fanout) in (0..).zip(&request.fanouts) {
                set.for_each(|vertex| _ = seen.insert(vertex));
                let (next, arcs) = (BitSet::empty(vertices), question.gatherer(share, false, false)?);
                let draw = Draw { count: *fanout, replace: request.replace, weighted: request.weighted };
                let frontier = Frontier::of(self, &set)?;
                for (side, direction) in (0..).zip(request.sides.directions(self)) {
                    let numbers = request.seed ^ (u64::from(layer) << 1 | side) << 48;
                    let (frontier, arcs, seen, next, negative) = (&frontier, &arcs, &seen, &next, &negative);
                    let visit = Sample { draw, numbers, frontier, arcs, seen, next, direction: *direction, negative };
                    lists.require(*direction)?.select(&set, &visit)?;
                    negative.check(|edge| self.negative_weight(edge))?;
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
    /// The error of a draw by weight along `edge`.
    fn negative_weight(&self, edge: RefusedEdge) -> Error {
        let name = |vertex| name_of_vertex(&self.store, self.io, vertex);
        match name(edge.source).and_then(|source| Ok((source, name(edge.target)?))) {
            Err(error) => error,
            Ok((source, target)) => {
                let message = format!(
                    "the edge from {source} to {target} has the weight {}; weighted sampling needs weights of at least 0",
                    short_number(edge.weight)
                );
                Error::bad_input(Location::file(self.store.folder().display().to_string()), message)
            }
        }
    }
}

/// Draws of one layer from one side.
struct Sample<'s> {
    draw: Draw,
    /// Seed of the layer and side.
    numbers: u64,
    frontier: &'s Frontier,
    arcs: &'s ArcGatherer<'s>,
    /// Vertices that were come to before this layer.
    seen: &'s BitSet,
    /// Vertices that this layer comes to first.
    next: &'s BitSet,
    direction: Direction,
    /// Gets edges with negative weights.
    negative: &'s Refused,
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

    fn neighbours(
        &self,
        vertex: VertexId,
        (_, sample): &mut (u32, ListSample),
        piece: Neighbours<'_>,
    ) -> ControlFlow<()> {
        for (neighbour, weight) in entries(piece) {
            if weight < 0.0 && self.draw.weighted {
                match self.direction {
                    Direction::Out => self.negative.note(vertex, neighbour, weight),
                    Direction::In => self.negative.note(neighbour, vertex, weight),
                }
            }
            sample.push((neighbour, weight));
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (rank, sample): (u32, ListSample)) {
        let drawn = sample.into_entries();
        for (neighbour, _) in &drawn {
            if !self.seen.contains(*neighbour) {
                self.next.insert(*neighbour);
            }
        }
        _ = self.arcs.push(rank, drawn.into_iter());
    }
}
