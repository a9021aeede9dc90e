//! Coloring in rounds by messages (a program of MultiLogVC: Matam, Hashemi, Annavaram, 2021, section VII).
//!
//! Definition, paper and deviations: see the module. The colors are those of the edge map.
//!
//! Returns: `color` u32, never null; the first is 0.
//!
//! Memory: 12 bytes per vertex in memory or on disk, and 4 for the result; in stores of another order the ranks (4
//! bytes) in memory. Messages (8 bytes): a vertex sends each proposed color to its later neighbors, and its final color
//! to all neighbors.
//!
//! Passes over the edges: the lists of a vertex once per round until it has its color, and once more.
//!
//! A vertex tracks only the colors of its window. When it advances its window, it requests the colors of its neighbors,
//! which answer two supersteps later.

use super::rounds::{Heard, Order, State, next};
use crate::models::Place;
use crate::models::messages::{MessageWork, requirements, send_to_others};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, VertexId, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place) -> MessageWork {
    MessageWork::new(requirements::<Rounds<'_>>(place, Directions::Both), 16)
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
    let ran = engine.run(&Rounds { order }, &mut known, &all, u32::MAX)?;
    let colors = engine.project(&known, |[color, ..]: Known| color)?;
    Ok(Outcome::new(vec![Column::new("color", colors.into())], ran.supersteps))
}

/// Word of the state, and two words with the colors of its window that neighbors have.
pub type Known = [u32; 3];

/// Initial value of every vertex.
pub const BEGIN: Known = [State::BEGIN.word(), 0, 0];

/// Program of rounds, one per superstep. Vertices send their states; the state of a vertex that has just advanced its
/// window is also a request.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'r> {
    /// Order of the vertices.
    pub order: Order<'r>,
}

impl Rounds<'_> {
    /// Calls `visit` with the neighbors before the vertex, or with the others, once per edge.
    fn neighbors(&self, own: VertexId, edges: &Edges<'_>, before: bool, mut visit: impl FnMut(VertexId)) {
        let number = self.order.of(own);
        let lists = edges.out.ids().iter().chain(edges.into.ids()).copied();
        lists.filter(|id| *id != own && (self.order.of(*id) < number) == before).for_each(&mut visit);
    }

    /// Proposes the first color.
    fn begin(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let mut heard = Heard::default();
        self.neighbors(vertex.id(), edges, true, |before| heard.rival(self.order.of(before)));
        let state = next(&self.order, vertex.id(), State::BEGIN, 0, heard);
        vertex.value_mut()[0] = state.word();
    }

    /// Processes the states of neighbors.
    fn hear(&self, vertex: &mut Vertex<'_, Self>, own: State) -> Heard {
        let [_, low, high] = *vertex.value();
        let mut heard = Heard { colored: u64::from(high) << 32 | u64::from(low), ..Heard::default() };
        for [word, sender] in vertex.messages().iter().copied() {
            match State::from_word(word) {
                State::Colored(color) => heard.colored(own, color),
                State::Proposed(color) => heard.proposed(own, self.order.of(sender), color),
                State::Waiting(_) | State::Moved(_) => {}
            }
        }
        heard
    }

    /// Advances to the next state, and sends it if it is news.
    fn next_round(&self, vertex: &mut Vertex<'_, Self>, own: State) -> Next {
        let heard = self.hear(vertex, own);
        let state = next(&self.order, vertex.id(), own, vertex.superstep().number, heard);
        let known = if matches!(state, State::Moved(_)) { 0 } else { heard.colored };
        *vertex.value_mut() = [state.word(), known as u32, (known >> 32) as u32];
        if state.is_colored() {
            vertex.deactivate();
        }
        if matches!(state, State::Waiting(_)) { Next::Done } else { Next::Compute }
    }
}

/// Sends the color to every requesting vertex.
fn answer(vertex: &mut Vertex<'_, Rounds<'_>>, color: u32) -> Next {
    vertex.deactivate();
    let message = [color, vertex.id()];
    for place in 0..vertex.messages().len() {
        let [word, asking] = vertex.messages()[place];
        if matches!(State::from_word(word), State::Moved(_)) {
            vertex.send(asking, message);
        }
    }
    Next::Done
}

impl MessageProgram for Rounds<'_> {
    type Value = Known;
    /// Word of a state, and the vertex in this state.
    type Message = [u32; 2];
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        match State::from_word(vertex.value()[0]) {
            _ if vertex.superstep().number == 0 => Next::Compute,
            State::Colored(color) => answer(vertex, color),
            own => self.next_round(vertex, own),
        }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        if vertex.superstep().number == 0 {
            self.begin(vertex, edges);
        }
        let (own, [word, ..]) = (vertex.id(), *vertex.value());
        match State::from_word(word) {
            State::Proposed(_) => self.neighbors(own, edges, false, |later| vertex.send(later, [word, own])),
            _ => send_to_others(vertex, edges, [word, own]),
        }
    }
}
