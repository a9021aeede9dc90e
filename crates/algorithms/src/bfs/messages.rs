//! Breadth-first search by messages.
//!
//! Definition: as in `edge_map.rs`, with the same results.
//!
//! Paper: MultiLogVC (Matam, Hashemi, Annavaram, 2021, section VII): a newly found vertex sends messages to its
//! out-neighbors. A superstep is a level; of the senders, the first in store order becomes the predecessor.
//!
//! Returns: `distance` u32 in edges and, if requested, `predecessor` as an original ID; null if unreached, and for the
//! sources' predecessors.
//!
//! Memory: 8 bytes per vertex in memory or on disk, and 4 per column at the end; with predecessors, in stores of
//! another order the ranks (4 bytes) in memory. Messages: the sender (4 bytes), one per edge whose source is
//! reached; they are combined.
//!
//! Passes over the edges: the out-list of every reached vertex once; lists of vertices that are found again are not
//! read.
//!
//! Deviations: with asynchronous delivery a message also contains the distance (8 bytes), which may initially be too
//! large, if a long path is found before a shorter one: the lists of such vertices are read again. The result is the
//! same; the number of supersteps depends on memory.

use crate::models::Place;
use crate::models::interval::nodes;
use crate::models::messages::{MessageWork, requirements};
use crate::outcome::{Column, Outcome};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Directions;
use outcrop_messages::{Delivery, Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, VertexId, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place, delivery: Delivery, predecessors: bool) -> MessageWork {
    let requirements = match delivery {
        Delivery::Synchronous => requirements::<Levels>(place, Directions::Out),
        Delivery::Asynchronous => requirements::<Relaxed>(place, Directions::Out),
    };
    MessageWork::new(requirements, if predecessors { 16 } else { 12 })
}

/// Searches from `sources` until nothing new is found, and returns predecessors if `ranks` are given. `delivery` must
/// be that of the engine.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn bfs(
    engine: &MessageEngine<'_>,
    sources: &[VertexId],
    ranks: Option<IdOrder<'_>>,
    delivery: Delivery,
) -> Result<Outcome> {
    let mut sorted = sources.to_vec();
    sorted.sort_unstable();
    let mut values = engine.values(|vertex| begin(sorted.binary_search(&vertex).is_ok()))?;
    let active = VertexSet::from_members(sorted, engine.vertices());
    let supersteps = match delivery {
        Delivery::Synchronous => engine.run(&Levels, &mut values, &active, u32::MAX)?.supersteps,
        Delivery::Asynchronous => engine.run(&Relaxed, &mut values, &active, u32::MAX)?.supersteps,
    };
    let distances = engine.project(&values, |[distance, _]: BfsState| distance)?;
    let mut columns = vec![Column::new("distance", distances.into())];
    if let Some(ranks) = ranks {
        let predecessors = engine.project(&values, |[_, predecessor]: BfsState| ranks.of_reached(predecessor))?;
        columns.push(Column::new("predecessor", nodes(predecessors)));
    }
    Ok(Outcome::new(columns, supersteps))
}

/// Distance and predecessor: the smaller pair is better.
pub type BfsState = [u32; 2];

/// Returns the initial state of a vertex; sources are found.
pub const fn begin(is_source: bool) -> BfsState {
    if is_source { [0, UNREACHED] } else { [UNREACHED; 2] }
}

/// Level-by-level program for synchronous delivery.
#[derive(Clone, Copy, Debug)]
pub struct Levels;

impl MessageProgram for Levels {
    type Value = BfsState;
    /// Sender.
    type Message = u32;
    type Record = ();

    const COMBINES: bool = true;

    #[inline]
    fn combine(&self, one: u32, other: u32) -> u32 {
        one.min(other)
    }

    #[inline]
    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        let level = vertex.superstep().number;
        match (level, *vertex.value()) {
            (0, _) => Next::Compute,
            (_, [UNREACHED, _]) => {
                let predecessor = vertex.messages().iter().copied().min().unwrap_or(UNREACHED);
                *vertex.value_mut() = [level, predecessor];
                Next::Compute
            }
            _ => Next::Done,
        }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let sender = vertex.id();
        vertex.send_to_all(edges.out.ids(), sender);
    }
}

/// Program of decreasing distances for any delivery.
#[derive(Clone, Copy, Debug)]
pub struct Relaxed;

impl MessageProgram for Relaxed {
    type Value = BfsState;
    /// Distance of the receiver through the sender, and the sender.
    type Message = BfsState;
    type Record = ();

    const COMBINES: bool = true;

    #[inline]
    fn combine(&self, one: BfsState, other: BfsState) -> BfsState {
        one.min(other)
    }

    #[inline]
    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        let known = *vertex.value();
        let offered = vertex.messages().iter().copied().min().unwrap_or(known);
        *vertex.value_mut() = known.min(offered);
        let is_source = vertex.superstep().number == 0 && known[0] == 0;
        if offered[0] < known[0] || is_source { Next::Compute } else { Next::Done }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let [distance, _] = *vertex.value();
        let message = [distance + 1, vertex.id()];
        vertex.send_to_all(edges.out.ids(), message);
    }
}
