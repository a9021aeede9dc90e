//! Programs that users of the messages engine write.

use super::outbox::{Mutation, Outbox};
use outcrop_engine::Plain;
use outcrop_engine::State;
use outcrop_store::access::Neighbors;
use outcrop_types::{Result, VertexId};

/// Count of numbers that a program may sum up over all vertices in a superstep.
pub const TOTALS: usize = 4;

/// A fully general vertex-centric program (MultiLogVC, Matam et al. 2021, sections V.D and V.F; Pregel, Malewicz et al.
/// 2010).
///
/// A vertex is active in a superstep if it was sent a message or did not deactivate itself before. Of each active
/// vertex first [`MessageProgram::receive`] is called, which sees its value and its messages; then, where that asks for
/// it, its lists are loaded and [`MessageProgram::compute`] is called with them. Different vertices are computed at the
/// same time. `crates/outcrop/examples/medians.rs` is a whole algorithm.
///
/// ```
/// use outcrop_messages::{Edges, MessageProgram, Next, Vertex};
///
/// /// The least label that reaches a vertex, which begins with its own.
/// struct Least;
///
/// impl MessageProgram for Least {
///     type Value = u32;
///     type Message = u32;
///     type Record = ();
///
///     const COMBINES: bool = true;
///
///     fn combine(&self, one: u32, other: u32) -> u32 {
///         one.min(other)
///     }
///
///     fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
///         vertex.deactivate();
///         let (known, told) = (*vertex.value(), vertex.messages().first().copied());
///         *vertex.value_mut() = told.map_or(known, |told| told.min(known));
///         let news = vertex.superstep().number == 0 || *vertex.value() < known;
///         if news { Next::Compute } else { Next::Done }
///     }
///
///     fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
///         vertex.send_to_all(edges.out.ids(), *vertex.value());
///     }
/// }
///
/// assert_eq!(Least.combine(3, 2), 2);
/// ```
pub trait MessageProgram: Sync {
    /// Value that is kept of every vertex, in memory or on disk.
    type Value: Plain;
    /// Message that is sent.
    type Message: Plain;
    /// Record that is written down for good beside values, such as a step of a walk; `()` for nothing.
    type Record: Plain;

    /// True if several messages to a vertex may become one by [`MessageProgram::combine`]; then a vertex is handed at
    /// most one.
    const COMBINES: bool = false;

    /// Combines two messages to the same vertex; associative, commutative. Called only if [`MessageProgram::COMBINES`].
    fn combine(&self, one: Self::Message, other: Self::Message) -> Self::Message {
        _ = other;
        one
    }

    /// Looks at the messages of an active vertex, before its lists are read: those that need no edges cost no I/O.
    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        _ = vertex;
        Next::Compute
    }

    /// Computes a vertex with its edges. Its value and messages are as [`MessageProgram::receive`] left them.
    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>);

    /// True if another superstep is to follow the one that has ended, with the sums of what vertices contributed in it.
    fn continues(&self, ended: &Superstep) -> bool {
        _ = ended;
        true
    }

    /// Shows what the program itself keeps from one superstep to the next, where checkpoints are kept:
    /// [`MessageProgram::continues`] is told of each superstep once.
    ///
    /// # Errors
    /// As for [`State::number`].
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        _ = state;
        Ok(())
    }

    /// Number that an observer is told of the superstep that has ended, such as the sum of all changes.
    fn change(&self, ended: &Superstep) -> Option<f64> {
        _ = ended;
        None
    }
}

/// Step that comes after the messages of a vertex were received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: its edges are not needed.
    Done,
    /// Its edges are loaded and it is computed.
    Compute,
}

/// Facts of a superstep that all vertices know.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Superstep {
    /// Its number; the first is 0.
    pub number: u32,
    /// Vertices that exist.
    pub vertices: u32,
    /// Sums of what vertices contributed: while a superstep runs, in the one before. Added up in the order of blocks of
    /// vertices, so that they do not depend on threads.
    pub totals: [f64; TOTALS],
}

/// The edges of a vertex, as far as the engine was asked for them.
#[derive(Clone, Copy, Debug)]
pub struct Edges<'e> {
    /// Its out-list; all its edges in an undirected graph.
    pub out: Neighbors<'e>,
    /// Its in-list; empty in an undirected graph.
    pub into: Neighbors<'e>,
}

impl<'e> Edges<'e> {
    /// Every neighbor with the weight of the edge, along out-edges and then against in-edges: once for each edge.
    pub fn both(&self) -> impl Iterator<Item = (VertexId, f64)> + use<'e> {
        let weighted = |list: Neighbors<'e>| {
            // Default: a store without weights has none, and they are 1.
            let weights = list.weights().unwrap_or_default();
            list.ids().iter().enumerate().map(move |(place, id)| (*id, weights.get(place).copied().unwrap_or(1.0)))
        };
        weighted(self.out).chain(weighted(self.into))
    }

    /// Number of edges, in both lists.
    pub const fn len(&self) -> usize {
        self.out.len() + self.into.len()
    }

    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An active vertex in the hands of its program.
pub struct Vertex<'c, P: MessageProgram + ?Sized> {
    id: VertexId,
    superstep: Superstep,
    value: &'c mut P::Value,
    messages: &'c mut [P::Message],
    outbox: &'c mut dyn Outbox<P::Message, P::Record>,
    stays_active: bool,
}

impl<'c, P: MessageProgram + ?Sized> Vertex<'c, P> {
    /// A vertex, for those who execute programs. It stays active until it deactivates itself.
    pub fn new(
        id: VertexId,
        superstep: Superstep,
        (value, messages): (&'c mut P::Value, &'c mut [P::Message]),
        outbox: &'c mut dyn Outbox<P::Message, P::Record>,
    ) -> Self {
        Self { id, superstep, value, messages, outbox, stays_active: true }
    }

    /// True if it is still active in the next superstep if no message comes.
    pub const fn stays_active(&self) -> bool {
        self.stays_active
    }

    /// Id of the vertex.
    pub const fn id(&self) -> VertexId {
        self.id
    }

    /// The superstep, with the sums of the one before.
    pub const fn superstep(&self) -> &Superstep {
        &self.superstep
    }

    /// Value that is kept of it.
    pub const fn value(&self) -> &P::Value {
        self.value
    }

    /// Value that is kept of it, to be changed.
    pub const fn value_mut(&mut self) -> &mut P::Value {
        self.value
    }

    /// The messages that it was sent, in no particular order; at most one where the program combines. They may be
    /// sorted in place.
    pub const fn messages(&mut self) -> &mut [P::Message] {
        self.messages
    }

    /// Deactivates the vertex in the next superstep unless a message arrives.
    pub const fn deactivate(&mut self) {
        self.stays_active = false;
    }

    /// Sends `message` to `to`, which may be any vertex.
    #[inline]
    pub fn send(&mut self, to: VertexId, message: P::Message) {
        self.outbox.send(&[to], message);
    }

    /// Sends the same message to all of `to`.
    #[inline]
    pub fn send_to_all(&mut self, to: &[VertexId], message: P::Message) {
        self.outbox.send(to, message);
    }

    /// Adds `amount` to the total of this number, below [`TOTALS`], of the superstep.
    #[inline]
    pub fn contribute(&mut self, number: usize, amount: f64) {
        self.outbox.contribute(number, amount);
    }

    /// Writes a record down under `key`.
    #[inline]
    pub fn record(&mut self, key: u32, record: P::Record) {
        self.outbox.record(key, record);
    }

    /// Adds an edge from the next superstep on.
    pub fn add_edge(&mut self, from: VertexId, to: VertexId, weight: f64) {
        self.outbox.change(Mutation::AddEdge { from, to, weight });
    }

    /// Removes all edges from `from` to `to` from the next superstep on.
    pub fn remove_edge(&mut self, from: VertexId, to: VertexId) {
        self.outbox.change(Mutation::RemoveEdge { from, to });
    }

    /// Adds `vertex`, active from the next superstep on: a spare vertex behind those of the graph, or a removed one.
    /// Does nothing if it exists.
    pub fn add_vertex(&mut self, vertex: VertexId) {
        self.outbox.change(Mutation::AddVertex(vertex));
    }

    /// Removes `vertex` and all its edges from the next superstep on; messages to it are lost.
    pub fn remove_vertex(&mut self, vertex: VertexId) {
        self.outbox.change(Mutation::RemoveVertex(vertex));
    }
}
