//! Weakly connected components by messages.
//!
//! Definition: as in `edge_map.rs`, with the same results.
//!
//! Paper: label propagation (Shiloach and Vishkin, J. Algorithms 1982, without shortcuts; Pregel, Malewicz et al.,
//! SIGMOD 2010): a vertex whose label has fallen sends it to its in- and out-neighbors.
//!
//! Returns: `component`, an original ID, never null.
//!
//! Memory: 4 bytes per vertex in memory or on disk, and in stores of another order the ranks (4 bytes) in memory.
//! Messages: a label (4 bytes), one per edge and direction whenever the label at that end has fallen; they are
//! combined.
//!
//! Passes over the edges: both lists of a vertex once and for each superstep in which its label falls.
//!
//! Deviations: none; with asynchronous delivery the result is the same, and the supersteps are fewer and depend on
//! memory.

use crate::IdOrder;
use crate::models::Place;
use crate::models::interval::nodes;
use crate::models::messages::{MessageWork, requirements};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, Next, Vertex};
use outcrop_types::{Result, VertexSet};

/// Returns the needs of the program.
pub const fn work(place: Place) -> MessageWork {
    MessageWork::new(requirements::<Smallest>(place, Directions::Both), 4)
}

/// Propagates labels until nothing changes.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub fn wcc(engine: &MessageEngine<'_>, ranks: IdOrder<'_>) -> Result<Outcome> {
    let mut labels = engine.values(|vertex| ranks.of(vertex))?;
    let ran = engine.run(&Smallest, &mut labels, &VertexSet::all(engine.vertices()), u32::MAX)?;
    Ok(Outcome::new(vec![Column::new("component", nodes(labels))], ran.supersteps))
}

/// Program that takes the smallest label; labels start as ranks.
#[derive(Clone, Copy, Debug)]
pub struct Smallest;

impl MessageProgram for Smallest {
    type Value = u32;
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
        let known = *vertex.value();
        let label = vertex.messages().iter().copied().fold(known, u32::min);
        *vertex.value_mut() = label;
        if label < known || vertex.superstep().number == 0 { Next::Compute } else { Next::Done }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let label = *vertex.value();
        vertex.send_to_all(edges.out.ids(), label);
        vertex.send_to_all(edges.into.ids(), label);
    }
}
