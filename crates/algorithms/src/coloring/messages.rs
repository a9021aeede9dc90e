//! Coloring by messages (a program of MultiLogVC: Matam, Hashemi, Annavaram, 2021, section VII).
//!
//! Definition, paper and deviations: see the module. The colors are those of the edge map.
//!
//! Returns: `color` u32, never null; the first is 0.
//!
//! Memory: 12 bytes per vertex in memory or on disk, and 4 for the result; in stores of another order the ranks (4
//! bytes) in memory. Messages (8 bytes): a vertex sends one along each edge when it is removed, and one when it is
//! colored.
//!
//! Passes over the edges: all lists once, the lists of a vertex once when it is removed, and once when it is colored.
//!
//! A vertex tracks only the colors of its window. When it advances its window, it requests the colors of its neighbors,
//! which answer two supersteps later. Colors spread while vertices are still being removed.

use super::order::{Order, State, removed_degree};
use crate::models::Place;
use crate::models::messages::{MessageWork, requirements, send_to_others};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place) -> MessageWork {
    MessageWork::new(requirements::<Colors<'_>>(place, Directions::Both), 16)
}

/// Colors all vertices.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn coloring(engine: &MessageEngine<'_>, order: Order<'_>) -> Result<Outcome> {
    let mut known = engine.values(|_| BEGIN)?;
    let all = VertexSet::all(engine.vertices());
    let ran = engine.run(&Colors { order }, &mut known, &all, u32::MAX)?;
    let colors = engine.project(&known, |[color, ..]: Known| color)?;
    Ok(Outcome::new(vec![Column::new("color", colors.into())], ran.supersteps))
}

/// Word of the state; number of list entries in the remaining graph, or of those of uncolored predecessors; and the
/// colors of the window that neighbors have.
pub type Known = [u32; 3];

/// Initial value of every vertex.
pub const BEGIN: Known = [State::Left.word(), 0, 0];

/// Totals of a superstep: remaining vertices, and their entries.
const REMAINING: usize = 0;
const ENTRIES: usize = 1;

/// Program of removal and coloring. In even supersteps, remaining vertices count their entries; in odd ones, those with
/// few are removed. Vertices send their states; the state of a vertex that has just advanced its window
/// is also a request.
#[derive(Clone, Copy, Debug)]
pub struct Colors<'r> {
    /// Order of the vertices that are removed together.
    pub order: Order<'r>,
}

impl Colors<'_> {
    /// Adds the vertex to the totals of the remaining graph.
    fn remain(vertex: &mut Vertex<'_, Self>) {
        let [_, entries, ..] = *vertex.value();
        vertex.contribute(REMAINING, 1.0);
        vertex.contribute(ENTRIES, f64::from(entries));
    }

    /// Takes the messages of removed neighbors, or is removed.
    fn receive_left(vertex: &mut Vertex<'_, Self>) -> Next {
        let (superstep, gone) = (*vertex.superstep(), vertex.messages().len() as u32);
        let [state, entries, ..] = vertex.value_mut();
        *entries -= gone;
        if superstep.number.is_multiple_of(2) {
            Self::remain(vertex);
            return Next::Done;
        }
        // Exact: both totals are integers below 2^53.
        let [remaining, all] = [REMAINING, ENTRIES].map(|total| superstep.totals[total] as u64);
        if u64::from(*entries) > removed_degree(all, remaining) {
            return Next::Done;
        }
        *state = State::Removed.word();
        Next::Compute
    }

    /// Takes the messages of vertices that were removed at the same time: those later in the order are no predecessors.
    fn receive_removed(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        let own = self.order.of(vertex.id());
        let later = vertex.messages().iter().filter(|[_, sender]| self.order.of(*sender) > own).count() as u32;
        let [state, predecessors, ..] = vertex.value_mut();
        *predecessors -= later;
        *state = State::Waiting(0).word();
        Self::next(vertex)
    }

    /// Takes the colors of neighbors.
    fn receive_waiting(vertex: &mut Vertex<'_, Self>, own: State) -> Next {
        let [mut taken, mut colored] = [0; 2];
        for [word, _] in vertex.messages().iter().copied() {
            if let State::Colored(color) = State::from_word(word) {
                taken |= own.bit(color);
                colored += 1;
            }
        }
        let [_, predecessors, known] = vertex.value_mut();
        *predecessors = predecessors.saturating_sub(colored);
        *known |= taken;
        if colored > 0 { Self::next(vertex) } else { Self::rest(vertex) }
    }

    /// Colors the vertex, or advances its window, if all predecessors are colored.
    fn next(vertex: &mut Vertex<'_, Self>) -> Next {
        let [state, predecessors, taken] = vertex.value_mut();
        if *predecessors > 0 {
            return Self::rest(vertex);
        }
        *state = State::from_word(*state).next(std::mem::take(taken)).word();
        vertex.deactivate();
        Next::Compute
    }

    /// Waits for messages.
    fn rest(vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        Next::Done
    }

    /// Sends the color to every requesting vertex.
    fn answer(vertex: &mut Vertex<'_, Self>, color: u32) -> Next {
        let message = [color, vertex.id()];
        for place in 0..vertex.messages().len() {
            let [word, asking] = vertex.messages()[place];
            if matches!(State::from_word(word), State::Waiting(_)) {
                vertex.send(asking, message);
            }
        }
        Self::rest(vertex)
    }
}

impl MessageProgram for Colors<'_> {
    type Value = Known;
    /// Word of a state, and the vertex in this state.
    type Message = [u32; 2];
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        let [word, ..] = *vertex.value();
        match State::from_word(word) {
            State::Left if vertex.superstep().number == 0 => Next::Compute,
            State::Left => Self::receive_left(vertex),
            State::Removed => self.receive_removed(vertex),
            own @ State::Waiting(_) => Self::receive_waiting(vertex, own),
            State::Colored(color) => Self::answer(vertex, color),
        }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let (own, [word, ..]) = (vertex.id(), *vertex.value());
        match State::from_word(word) {
            State::Left => {
                vertex.value_mut()[1] = edges.len() as u32;
                Self::remain(vertex);
            }
            state => {
                if state == State::Removed {
                    let loops = [edges.out, edges.into].map(|list| list.ids().iter().filter(|id| **id == own).count());
                    vertex.value_mut()[1] -= loops.into_iter().sum::<usize>() as u32;
                }
                send_to_others(vertex, edges, [word, own]);
            }
        }
    }
}
