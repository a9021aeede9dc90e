//! Coloring in rounds over the lists of the uncolored vertices.
//!
//! Definition, paper and deviations: see the module.
//!
//! Returns: `color` u32, never null; the first is 0.
//!
//! Memory: 24 bytes per vertex, five eighths of a byte of frontiers, both indexes; in stores of another order the ranks
//! (4 bytes).
//!
//! Passes over the edges: the lists of a vertex once per round until it has its color.

use super::rounds::{Heard, Order, State, next};
use crate::outcome::{Column, Outcome, Values};
use outcrop_engine::{Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{
    Direction, MemoryPlan, ProgressUnit, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues, length_from,
};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, without the indexes.
pub fn memory(vertices: u32) -> MemoryPlan {
    let numbers = VertexValues::<u32>::bytes(u64::from(vertices));
    let masks = VertexValues::<u64>::bytes(u64::from(vertices));
    MemoryPlan::new()
        .with(Purpose::VertexValues, 2 * numbers + 2 * masks)
        .with(Purpose::Frontier, frontier_bytes(vertices))
}

/// Returns the memory of the uncolored vertices before and after a round, of the scanning vertices, and of their bits
/// for a sweep.
const fn frontier_bytes(vertices: u32) -> u64 {
    4 * VertexSet::bytes(vertices)
}

/// Colors all vertices; for an undirected graph, `directions` contains one direction.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn coloring(engine: &Engine<'_>, directions: &[Direction], order: Order<'_>) -> Result<Outcome> {
    let _frontiers = engine.budget().reserve(frontier_bytes(engine.vertices()), Purpose::Frontier)?;
    let mut rounds = Rounds::new(engine, order)?;
    let mut left = VertexSet::all(engine.vertices());
    let vertices = engine.vertices();
    engine.set_end(RunEnd::Count { unit: ProgressUnit::Vertices, total: vertices.into(), at_most: false });
    while !left.is_empty() {
        engine.checkpoint("colours", |state| {
            state.number(&mut rounds.number)?;
            state.frontier(&mut left)?;
            state.shared(&rounds.states)
        })?;
        engine.set_done(u64::from(vertices) - length_from(left.len()));
        rounds.look(engine, &left, directions)?;
        left = rounds.decide(engine, &left);
        rounds.number = engine.end_iteration(None);
    }
    engine.set_done(vertices.into());
    let colors = Values::Count(rounds.states.map(AtomicU32::into_inner));
    Ok(Outcome::new(vec![Column::new("color", colors)], rounds.number))
}

/// State of the rounds.
struct Rounds<'r> {
    order: Order<'r>,
    /// Words of states.
    states: VertexValues<AtomicU32>,
    /// Colors that neighbors of each vertex have reported in this round, as bit masks.
    colored: VertexValues<AtomicU64>,
    tried: VertexValues<AtomicU64>,
    marks: VertexValues<AtomicU32>,
    number: u32,
}

impl<'r> Rounds<'r> {
    fn new(engine: &Engine<'_>, order: Order<'r>) -> Result<Self> {
        let words = |word| engine.vertex_values(|_| AtomicU32::new(word));
        let masks = || engine.vertex_values(|_| AtomicU64::new(0));
        let (states, marks) = (words(State::BEGIN.word())?, words(0)?);
        Ok(Self { order, states, colored: masks()?, tried: masks()?, marks, number: 0 })
    }

    #[inline]
    fn state(&self, vertex: VertexId) -> State {
        State::from_word(self.states[vertex as usize].load(Relaxed))
    }

    /// Takes the information that a vertex has received in this round.
    fn take_heard(&self, vertex: VertexId) -> Heard {
        let place = vertex as usize;
        let [colored, tried] = [&self.colored, &self.tried].map(|masks| masks[place].swap(0, Relaxed));
        Heard { colored, tried, marks: self.marks[place].swap(0, Relaxed) }
    }

    /// Scans the neighbors of those of `left` that need it.
    fn look(&self, engine: &Engine<'_>, left: &VertexSet, directions: &[Direction]) -> Result<()> {
        let looking = engine.vertex_filter(left, |vertex| !matches!(self.state(vertex), State::Moved(_)));
        directions.iter().try_for_each(|direction| engine.gather_over(&looking, *direction, self))
    }

    /// Computes the next state of each of `left`; returns those still uncolored.
    fn decide(&self, engine: &Engine<'_>, left: &VertexSet) -> VertexSet {
        engine.vertex_map(left, |vertex| {
            let (place, heard) = (vertex as usize, self.take_heard(vertex));
            let state = next(&self.order, vertex, self.state(vertex), self.number, heard);
            self.states[place].store(state.word(), Relaxed);
        });
        engine.vertex_filter(left, |vertex| !self.state(vertex).is_colored())
    }
}

/// Scan of the neighbors of a vertex.
struct Look {
    vertex: VertexId,
    state: State,
    /// Number of the vertex in the order.
    number: u64,
    heard: Heard,
}

impl Gather for Rounds<'_> {
    type Sum = Look;

    fn begin(&self, vertex: VertexId) -> Look {
        Look { vertex, state: self.state(vertex), number: self.order.of(vertex), heard: Heard::default() }
    }

    #[inline]
    fn gather(&self, look: &mut Look, piece: Neighbors<'_>) {
        let Look { vertex, state, number, heard } = look;
        for other in piece.ids().iter().filter(|other| **other != *vertex) {
            let before = || Some(self.order.of(*other)).filter(|other| *other < *number);
            match self.state(*other) {
                State::Colored(color) => heard.colored(*state, color),
                State::Proposed(color) => _ = before().map(|other| heard.proposed(*state, other, color)),
                State::Waiting(_) if self.number == 0 => _ = before().map(|other| heard.rival(other)),
                State::Waiting(_) | State::Moved(_) => {}
            }
        }
    }

    fn apply(&self, vertex: VertexId, look: Look) {
        let place = vertex as usize;
        self.colored[place].fetch_or(look.heard.colored, Relaxed);
        self.tried[place].fetch_or(look.heard.tried, Relaxed);
        self.marks[place].fetch_or(look.heard.marks, Relaxed);
    }
}
