//! Algorithms as programs of the messages engine (MultiLogVC: Matam, Hashemi, Annavaram, 2021, section VII), with
//! vertex values in memory or on disk. Those that are also available in other models return the same results.

use super::interval::Place;
use outcrop_engine::Directions;
use outcrop_messages::{Edges, MessageProgram, MessageRequirements, Vertex};
use std::ops::ControlFlow;

/// Needs of a program, in addition to the lists that it reads.
#[derive(Clone, Copy, Debug)]
pub struct MessageWork {
    /// Requirements on the engine.
    pub requirements: MessageRequirements,
    /// Bytes per vertex of all vectors that exist at once, in memory or on disk.
    pub value_bytes: u64,
    /// Maximum number of written records.
    pub records: u64,
    /// Reason to deliver messages only in the superstep after they are sent, if the result depends on it.
    pub synchronous: Option<&'static str>,
}

/// Returns the requirements of a program that sends along the lists of `sides` and does not use weights.
pub const fn requirements<P: MessageProgram>(place: Place, sides: Directions) -> MessageRequirements {
    MessageRequirements {
        vertices: place.vertices,
        spare_vertices: 0,
        on_disk: place.on_disk,
        sides,
        along: match sides {
            Directions::Out => Directions::In,
            Directions::In => Directions::Out,
            Directions::Both => Directions::Both,
        },
        // Only programs that change the graph use this.
        directed: true,
        weighted: false,
        value_bytes: size_of::<P::Value>() as u64,
        message_bytes: size_of::<P::Message>() as u64,
        messages_per_entry: 1,
        edge_words: P::EDGE_WORDS as u64,
        combines: P::COMBINES,
        changes: false,
        records: (0, 0),
    }
}

/// Sends `message` to every neighbor, once per edge, except along loops.
pub(crate) fn send_to_others<P: MessageProgram>(vertex: &mut Vertex<'_, P>, edges: &Edges<'_>, message: P::Message) {
    let own = vertex.id();
    for ids in [edges.out.ids(), edges.into.ids()] {
        vertex.send_to_all(&ids[..ids.partition_point(|id| *id < own)], message);
        vertex.send_to_all(&ids[ids.partition_point(|id| *id <= own)..], message);
    }
}

/// Sends the message that `message` creates from the weight along every out-edge.
pub(crate) fn send_by_weight<P: MessageProgram>(
    vertex: &mut Vertex<'_, P>,
    edges: &Edges<'_>,
    message: impl Fn(f64) -> P::Message,
) {
    _ = edges.out.try_for_each(|target, weight| {
        vertex.send(target, message(weight));
        ControlFlow::Continue(())
    });
}

/// Purpose for which random numbers are derived from the seed of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Order in which vertices are colored.
    Colors,
    /// Order of vertices in the rounds of an independent set.
    Rounds,
    /// Steps of walks.
    Steps,
    /// Parts of communities.
    Communities,
    /// Order in which vertices move to communities.
    Turns,
}

impl MessageWork {
    /// Creates the needs of a program that writes no records and supports any delivery.
    pub const fn new(requirements: MessageRequirements, value_bytes: u64) -> Self {
        Self { requirements, value_bytes, records: 0, synchronous: None }
    }

    /// Requires delivery in the next superstep, for this reason.
    #[must_use]
    pub const fn synchronous(self, reason: &'static str) -> Self {
        Self { synchronous: Some(reason), ..self }
    }

    /// Adds edge weights to the requirements.
    #[must_use]
    pub(crate) const fn with_weights(self) -> Self {
        Self { requirements: MessageRequirements { weighted: true, ..self.requirements }, ..self }
    }
}

impl Purpose {
    /// Returns a unique number for this purpose and `part`, which must be below 2^48.
    pub(crate) const fn of(self, part: u64) -> u64 {
        let purpose: u64 = match self {
            Self::Colors => 1,
            Self::Rounds => 2,
            Self::Steps => 3,
            Self::Communities => 4,
            Self::Turns => 5,
        };
        purpose << 48 | part
    }
}
