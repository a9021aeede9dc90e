//! Random walks.
//!
//! Definition: walk w starts at the w-th of the given vertices, or of every so many in the order of original ids. Each
//! step follows an out-edge at random, in a weighted store by weight (edges of weight 0 are never followed, negative
//! weights are refused), repeated edges as often as they are stored; with the probability `restart` it leads to the
//! start instead. A walk at a vertex without edges to follow ends, but where `restart` is positive it goes to its
//! start. Of second order (node2vec), the weight of an edge from v to x is multiplied by 1/p if the walk came to v from
//! x, by 1 if it came from some t to which an edge leads from x, else by 1/q, as in the authors' own program; the first
//! step, and those after a return to the start, are of first order. Paper: Kyrola, DrunkardMob, RecSys 2013; Grover and
//! Leskovec, node2vec, KDD 2016; programs of MultiLogVC (Matam, Hashemi, Annavaram, 2021, section VII: every 1000th
//! vertex, 10 steps). Second order by rejection, as in KnightKing (Yang et al., SOSP 2019). Returns: records by number
//! of walk: the step, 0 for the start, and the vertex, as its rank among the original ids. Memory: none that grows with
//! the vertices but in stores of another order the ranks (4 bytes), and a set of those to start from (at most a bit a
//! vertex). Messages: a walk (12 bytes; 24 of second order), one for each walk and superstep; they cannot be combined.
//! A walk of first order takes a superstep a step. Of second order, a step may take more: a candidate is drawn by
//! weight, and where neither the number that is drawn against its bias nor the vertex before settle the matter, it is
//! asked whether an edge leads back to that; if it is refused, the walk goes back for another. Passes over the edges:
//! the out-lists of vertices at which walks are. Deviations: the 4096th candidate of a step is taken as it is: where p
//! and q are between 1/8 and 8 that happens with a probability below 1e-27. Every number is drawn by seed, walk, step
//! and candidate, so that a walk depends on nothing else; with asynchronous delivery a superstep may bring several
//! steps.

use super::choice::{Choice, draw};
use super::prospects::Prospects;
use super::walker::{Carried, Errand, FirstOrder, SecondOrder, Tried, Walker};
use crate::IdOrder;
use crate::models::Place;
use crate::models::messages::{Work, requirements};
use crate::outcome::{Outcome, Record};
use crate::weights::{Refused, RefusedEdge};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, MessageRequirements, Next, Records, Vertex};
use outcrop_types::{BitSet, Error, Result, RunEnd, VertexId, VertexSet, number_from};
use std::marker::PhantomData;

/// Default spacing of start vertices, one in this many, as in the paper.
pub const EVERY: u32 = 1000;

/// Default number of steps of a walk, as in the paper.
pub const LENGTH: u32 = 10;

/// Starts of walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starts {
    /// Vertices whose rank is a multiple of this nonzero number.
    Every(u32),
    /// Vertices with the number of the walk, ascending.
    At(Vec<(VertexId, u32)>),
}

impl Starts {
    /// A walk from each of `vertices`, numbered in this order; one may be named several times.
    pub fn at(vertices: &[VertexId]) -> Self {
        let mut starts: Vec<_> = vertices.iter().copied().zip(0..).collect();
        starts.sort_unstable();
        Self::At(starts)
    }

    /// Number of walks over `vertices` vertices.
    pub fn count(&self, vertices: u32) -> u32 {
        match self {
            Self::Every(every) => vertices.div_ceil(*every.max(&1)),
            Self::At(starts) => number_from(starts.len()),
        }
    }

    /// The vertices from which walks start.
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

/// Needs of the program for the walks of `starts`.
pub fn work(place: Place, starts: &Starts, choice: &Choice) -> Work {
    let requirements = match choice.is_of_second_order() {
        false => requirements::<Walks<'_, FirstOrder>>(place, Directions::Out),
        true => requirements::<Walks<'_, SecondOrder>>(place, Directions::Out),
    };
    let records = (starts.count(place.vertices), size_of::<Record>() as u64);
    Work::new(MessageRequirements { weighted: place.weighted, on_disk: false, records, ..requirements }, 0)
}

/// Walks `length` steps from each of `starts`.
///
/// # Errors
/// What `refuse` makes of an edge with a negative weight that leaves a vertex at which a walk is; a failed or damaged
/// read, a budget that is too small, a full disk, interruption.
pub fn walks(
    engine: &MessageEngine<'_>,
    starts: &Starts,
    ranks: IdOrder<'_>,
    length: u32,
    choice: &Choice,
    refuse: impl FnOnce(RefusedEdge) -> Error,
) -> Result<(Outcome, Option<Records<Record>>)> {
    let negative = Refused::new();
    let mut nothing = engine.values(|_| ())?;
    let active = starts.vertices(engine.vertices(), ranks);
    engine.ends(RunEnd::Iterations { most: length.saturating_add(1), tolerance: None });
    let ran = match choice.is_of_second_order() {
        false => {
            let program = Walks::<FirstOrder>::new(starts, ranks, length, *choice, &negative);
            engine.run(&program, &mut nothing, &active, u32::MAX)?
        }
        true => {
            let program = Walks::<SecondOrder>::new(starts, ranks, length, *choice, &negative);
            engine.run(&program, &mut nothing, &active, u32::MAX)?
        }
    };
    negative.check(refuse)?;
    Ok((Outcome::new(Vec::new(), ran.supersteps), ran.records))
}

/// Program of random walks, each of which is a message.
#[derive(Clone, Copy, Debug)]
pub struct Walks<'s, C> {
    starts: &'s Starts,
    ranks: IdOrder<'s>,
    length: u32,
    choice: Choice,
    /// Gets edges with negative weights that leave vertices at which walks are.
    negative: &'s Refused,
    carried: PhantomData<fn() -> C>,
}

impl<'s, C: Carried> Walks<'s, C> {
    /// Creates walks of `length` steps from each of `starts`.
    pub const fn new(
        starts: &'s Starts,
        ranks: IdOrder<'s>,
        length: u32,
        choice: Choice,
        negative: &'s Refused,
    ) -> Self {
        Self { starts, ranks, length, choice, negative, carried: PhantomData }
    }

    /// Calls `visit` with all walks that are at the vertex.
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

    /// Lets a walk that is at the vertex go on.
    fn go_on(&self, vertex: &mut Vertex<'_, Self>, prospects: &Prospects<'_>, walker: Walker) {
        let walker = match walker.errand {
            Errand::Asks { if_edge, candidate } => {
                if prospects.leads_to(walker.before) != if_edge {
                    return vertex.send(walker.from, C::pack(walker.refused(candidate)));
                }
                self.record(vertex, &walker);
                walker.arrived()
            }
            _ => walker,
        };
        let tried = walker.trying();
        if tried.step <= self.length {
            self.step(vertex, prospects, tried);
        }
    }

    /// Makes a step, or asks for one.
    fn step(&self, vertex: &mut Vertex<'_, Self>, prospects: &Prospects<'_>, tried: Tried) {
        let to = match draw(&self.choice, prospects, &tried) {
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
        // Default: without weights none is negative.
        let weights = edges.out.weights().unwrap_or_default();
        if let Some(place) = weights.iter().position(|weight| *weight < 0.0) {
            self.negative.note(vertex.id(), edges.out.ids()[place], weights[place]);
        }
        let prospects = Prospects::of(edges.out);
        self.each(vertex, |vertex, walker| self.go_on(vertex, &prospects, walker));
    }
}
