//! Breadth-first search by messages.
//!
//! Definition: as in `edge_map.rs`, with the same answers. Paper: MultiLogVC (Matam, Hashemi, Annavaram, 2021, section
//! VII): a vertex that is found tells its out-neighbours. A superstep is a level; of the vertices that tell of
//! themselves, the first in the order of the store becomes the predecessor. Returns: `distance` u32 in edges,
//! `predecessor` as an original id; null where unreached, and for the sources' predecessors. Memory: 8 bytes a vertex
//! in memory or on disk, and as many in the end, when columns are made; in stores of another order the ranks (4 bytes)
//! in memory. Messages: the sender (4 bytes), one for every edge whose source is reached; they are combined. Passes
//! over the edges: the out-list of every reached vertex once; lists of vertices that are found again are not read.
//! Deviations: with asynchronous delivery a message also holds the distance (8 bytes), which may be too large at first,
//! where a long path is found before a shorter one: the lists of such vertices are read again. The answer is the same;
//! the supersteps depend on memory.

use crate::models::Place;
use crate::models::interval::nodes;
use crate::models::messages::{Work, requirements};
use crate::outcome::{Column, Outcome};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::Directions;
use outcrop_messages::{Delivery, Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, VertexId, VertexSet};

/// Needs of the program.
pub const fn work(place: Place, delivery: Delivery) -> Work {
    let requirements = match delivery {
        Delivery::Synchronous => requirements::<Levels>(place, Directions::Out),
        Delivery::Asynchronous => requirements::<Relaxed>(place, Directions::Out),
    };
    Work::new(requirements, 16)
}

/// Searches from `sources` until nothing new is found. `delivery` is that of the engine.
///
/// # Errors
/// A failed or damaged read, a budget that is too small, a full disk, interruption.
pub fn bfs(
    engine: &MessageEngine<'_>,
    sources: &[VertexId],
    ranks: IdOrder<'_>,
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
    let distances = engine.project(&values, |[distance, _]: Found| distance)?;
    let predecessors = engine.project(&values, |[_, predecessor]: Found| ranks.of_reached(predecessor))?;
    let columns = vec![Column::new("distance", distances.into()), Column::new("predecessor", nodes(predecessors))];
    Ok(Outcome::new(columns, supersteps))
}

/// The distance and the predecessor: of two, the smaller one is better.
pub type Found = [u32; 2];

/// State of a vertex at first; sources are found.
pub const fn begin(is_source: bool) -> Found {
    if is_source { [0, UNREACHED] } else { [UNREACHED; 2] }
}

/// Level after level, with synchronous delivery.
#[derive(Clone, Copy, Debug)]
pub struct Levels;

impl MessageProgram for Levels {
    type Value = Found;
    /// The sender.
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

/// Better and better, with any delivery.
#[derive(Clone, Copy, Debug)]
pub struct Relaxed;

impl MessageProgram for Relaxed {
    type Value = Found;
    /// The distance of the receiver by way of the sender, and the sender.
    type Message = Found;
    type Record = ();

    const COMBINES: bool = true;

    #[inline]
    fn combine(&self, one: Found, other: Found) -> Found {
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
