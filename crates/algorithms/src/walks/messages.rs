//! Random walks.
//!
//! Definition: walk w starts at the w-th of the given vertices, or of every n-th vertex in the order of original IDs.
//! Each step follows a random out-edge, proportionally to weights in a weighted store (edges of weight 0 are never
//! followed, others are from 1e-280 to 1e270), duplicate edges with their multiplicity; with probability `restart` it
//! leads to the start instead. A walk at a vertex without edges to follow ends or, if `restart` is positive, continues
//! at its start. For second-order walks (node2vec), the weight of an edge from v to x is multiplied by 1/p if the walk
//! came to v from x, by 1 if it came from some t with an edge to x, otherwise by 1/q, as in the authors' own program;
//! the first step, and those after a return to the start, are of first order.
//!
//! Paper: Kyrola, DrunkardMob, RecSys 2013; Grover and Leskovec, node2vec, KDD 2016; programs of MultiLogVC (Matam,
//! Hashemi, Annavaram, 2021, section VII: every 1000th vertex, 10 steps). Second order by rejection, as in KnightKing
//! (Yang et al., SOSP 2019).
//!
//! Returns: records by number of walk: the step, 0 for the start, and the vertex, as its rank among the original IDs.
//!
//! Memory: none that grows with the vertices except, in stores of another order, the ranks (4 bytes), and a set of
//! start vertices (at most a bit per vertex). Messages: a walk (12 bytes; 24 for second order), one per walk and
//! superstep; they cannot be combined. A step of a first-order walk takes a superstep. A second-order step may take
//! more: a candidate is chosen by weight, and if neither the random number for its bias nor the previous vertex decide,
//! the candidate is asked for an edge to that vertex; if it is refused, the walk returns for another.
//!
//! Passes over the edges: the out-lists of vertices with walks.
//!
//! Deviations: the 4096th candidate of a step is always accepted: for p and q between 1/8 and 8 that happens with a
//! probability below 1e-27. Every random number depends on seed, walk, step and candidate, so a walk depends on nothing
//! else; with asynchronous delivery a superstep may include several steps.

use super::choice::{Choice, draw};
use super::walk_targets::WalkTargets;
use super::walker::{Carried, Errand, FirstOrder, SecondOrder, Tried, Walker};
use crate::IdOrder;
use crate::models::Place;
use crate::models::messages::{MessageWork, requirements};
use crate::outcome::{Outcome, Record};
use crate::weights::{Refused, RefusedEdge, is_summand};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, MessageRequirements, Next, Records, Vertex};
use outcrop_types::{BitSet, Error, Result, RunEnd, VertexId, VertexSet, number_from};
use std::marker::PhantomData;

/// Default spacing of start vertices, one in this many, as in the paper.
pub const EVERY: u32 = 1000;

/// Default number of steps of a walk, as in the paper.
pub const LENGTH: u32 = 10;

/// Start vertices of walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starts {
    /// Vertices whose rank is a multiple of this nonzero number.
    Every(u32),
    /// Vertices with the number of the walk, ascending.
    At(Vec<(VertexId, u32)>),
}

impl Starts {
    /// Creates one walk per vertex in `vertices`, numbered in this order, possibly with duplicates.
    pub fn at(vertices: &[VertexId]) -> Self {
        let mut starts: Vec<_> = vertices.iter().copied().zip(0..).collect();
        starts.sort_unstable();
        Self::At(starts)
    }

    /// Returns the number of walks over `vertices` vertices.
    pub fn count(&self, vertices: u32) -> u32 {
        match self {
            Self::Every(every) => vertices.div_ceil(*every.max(&1)),
            Self::At(starts) => number_from(starts.len()),
        }
    }

    /// Returns the set of start vertices.
    fn vertices(&self, vertices: u32, ranks: IdOrder<'_>) -> VertexSet {
        match self {
            Self::Every(every) => {
                let starts = BitSet::empty(vertices);
                let is_start = |vertex: &VertexId| ranks.of(*vertex).is_multiple_of(*every);
                (0..vertices).filter(is_start).for_each(|vertex| _ = starts.insert(vertex));
                VertexSet::from_bits(starts)
            }
            Self::At(starts) => VertexSet::from_members(starts.iter().map(|(vertex, _)| *vertex).collect(), vertices),
        }
    }

    /// Calls `visit` with the walks that start at `vertex`.
    fn of(&self, vertex: VertexId, ranks: IdOrder<'_>, mut visit: impl FnMut(u32)) {
        match self {
            Self::Every(every) => {
                let rank = ranks.of(vertex);
                if let Some(walk) = rank.checked_div(*every).filter(|_| rank.is_multiple_of(*every)) {
                    visit(walk);
                }
            }
            Self::At(starts) => {
                let from = starts.partition_point(|(start, _)| *start < vertex);
                let here = starts.iter().skip(from).take_while(|(start, _)| *start == vertex);
                here.for_each(|(_, walk)| visit(*walk));
            }
        }
    }
}

/// Returns the needs of the program for the walks of `starts`.
pub fn work(place: Place, starts: &Starts, choice: &Choice) -> MessageWork {
    let requirements = match choice.is_of_second_order() {
        false => requirements::<Walks<'_, FirstOrder>>(place, Directions::Out),
        true => requirements::<Walks<'_, SecondOrder>>(place, Directions::Out),
    };
    let records = (starts.count(place.vertices), size_of::<Record>() as u64);
    MessageWork::new(MessageRequirements { weighted: place.weighted, on_disk: false, records, ..requirements }, 0)
}

/// Walks `length` steps from each of `starts`.
///
/// # Errors
///
/// Returns the error that `refuse` creates from an edge whose weight cannot be added up, at a vertex with a walk, or an
/// error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the run is
/// interrupted.
pub fn walks(
    engine: &MessageEngine<'_>,
    starts: &Starts,
    ranks: IdOrder<'_>,
    length: u32,
    choice: &Choice,
    refuse: impl FnOnce(RefusedEdge) -> Error,
) -> Result<(Outcome, Option<Records<Record>>)> {
    let refused = Refused::new();
    let mut nothing = engine.values(|_| ())?;
    let active = starts.vertices(engine.vertices(), ranks);
    engine.set_end(RunEnd::Iterations { most: length.saturating_add(1), tolerance: None });
    let ran = match choice.is_of_second_order() {
        false => {
            let program = Walks::<FirstOrder>::new(starts, ranks, length, *choice, &refused);
            engine.run(&program, &mut nothing, &active, u32::MAX)?
        }
        true => {
            let program = Walks::<SecondOrder>::new(starts, ranks, length, *choice, &refused);
            engine.run(&program, &mut nothing, &active, u32::MAX)?
        }
    };
    refused.check(refuse)?;
    Ok((Outcome::new(Vec::new(), ran.supersteps), ran.records))
}

/// Program of random walks, each of which is a message.
#[derive(Clone, Copy, Debug)]
pub struct Walks<'s, C> {
    starts: &'s Starts,
    ranks: IdOrder<'s>,
    length: u32,
    choice: Choice,
    /// Receives edges that leave vertices with walks and have weights that cannot be added up.
    refused: &'s Refused,
    carried: PhantomData<fn() -> C>,
}

impl<'s, C: Carried> Walks<'s, C> {
    /// Creates walks of `length` steps from each of `starts`.
    pub const fn new(
        starts: &'s Starts,
        ranks: IdOrder<'s>,
        length: u32,
        choice: Choice,
        refused: &'s Refused,
    ) -> Self {
        Self { starts, ranks, length, choice, refused, carried: PhantomData }
    }

    /// Calls `visit` with all walks at the vertex.
    fn each(&self, vertex: &mut Vertex<'_, Self>, mut visit: impl FnMut(&mut Vertex<'_, Self>, Walker)) {
        let id = vertex.id();
        if vertex.superstep().number == 0 {
            self.starts.of(id, self.ranks, |walk| visit(vertex, Walker::starting(walk, id)));
        }
        for place in 0..vertex.messages().len() {
            if let Some(message) = vertex.messages().get(place).copied() {
                visit(vertex, C::unpack(message));
            }
        }
    }

    fn record(&self, vertex: &mut Vertex<'_, Self>, walker: &Walker) {
        let rank = self.ranks.of(vertex.id());
        vertex.record(walker.walk, [walker.step, rank]);
    }

    /// Continues a walk at the vertex.
    fn continue_walk(&self, vertex: &mut Vertex<'_, Self>, targets: &WalkTargets<'_>, walker: Walker) {
        let walker = match walker.errand {
            Errand::Asks { if_edge, candidate } => {
                if targets.leads_to(walker.before) != if_edge {
                    return vertex.send(walker.from, C::pack(walker.refused(candidate)));
                }
                self.record(vertex, &walker);
                walker.arrived()
            }
            _ => walker,
        };
        let tried = walker.trying();
        if tried.step <= self.length {
            self.step(vertex, targets, tried);
        }
    }

    /// Performs the next step, or sends a request for it.
    fn step(&self, vertex: &mut Vertex<'_, Self>, targets: &WalkTargets<'_>, tried: Tried) {
        let to = match draw(&self.choice, targets, &tried) {
            Some((target, errand)) => Some((target, tried.towards(errand, vertex.id()))),
            None if self.choice.restart > 0.0 => Some((tried.start, tried.at_start())),
            None => None,
        };
        if let Some((target, walker)) = to {
            vertex.send(target, C::pack(walker));
        }
    }
}

impl<C: Carried> MessageProgram for Walks<'_, C> {
    type Value = ();
    type Message = C;
    type Record = Record;

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        let mut next = Next::Done;
        self.each(vertex, |vertex, walker| {
            let arrived = walker.errand == Errand::Arrived;
            if arrived {
                self.record(vertex, &walker);
            }
            if !arrived || walker.step < self.length {
                next = Next::Compute;
            }
        });
        next
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        // Default: without weights, none is refused.
        let weights = edges.out.weights().unwrap_or_default();
        if let Some(place) = weights.iter().position(|weight| !is_summand(*weight)) {
            self.refused.note(vertex.id(), edges.out.ids()[place], weights[place]);
        }
        let targets = WalkTargets::of(edges.out);
        self.each(vertex, |vertex, walker| self.continue_walk(vertex, &targets, walker));
    }
}
