//! Programs for the messages engine.

use super::outbox::{Mutation, Outbox};
use outcrop_engine::Plain;
use outcrop_engine::State;
use outcrop_store::access::Neighbors;
use outcrop_types::{Result, VertexId};

/// Number of totals that a program can sum over all vertices in a superstep.
pub const TOTALS: usize = 4;

/// A fully general vertex-centric program (MultiLogVC, Matam et al. 2021, sections V.D and V.F; Pregel, Malewicz et al.
/// 2010).
///
/// A vertex is active in a superstep if it was sent a message or did not deactivate itself before. The engine first
/// calls [`MessageProgram::receive`] on each active vertex, with its value and messages. If that returns
/// [`Next::Compute`], the engine loads the vertex's lists and calls [`MessageProgram::compute`]. Vertices are computed
/// in parallel. `crates/outcrop/examples/medians.rs` is a complete algorithm.
///
/// ```
/// use outcrop_messages::{Edges, MessageProgram, Next, Vertex};
///
/// /// The smallest label that reaches a vertex, starting with its own.
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
    /// Value per vertex, in memory or on disk.
    type Value: Plain;
    /// Message type.
    type Message: Plain;
    /// Permanent record in addition to values, such as a step of a walk; `()` for none.
    type Record: Plain;

    /// `true` if [`MessageProgram::combine`] can combine messages to a vertex; a vertex then receives at most one.
    const COMBINES: bool = false;

    /// Number of words per list entry that [`Vertex::edge_words`] returns, 0 for none. Programs with edge words cannot
    /// change the graph.
    const EDGE_WORDS: usize = 0;

    /// Combines two messages to the same vertex. Must be associative and commutative. Called only if
    /// [`MessageProgram::COMBINES`].
    fn combine(&self, one: Self::Message, other: Self::Message) -> Self::Message {
        _ = other;
        one
    }

    /// Receives the messages of an active vertex before its lists are read: messages that need no edges cost no I/O.
    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        _ = vertex;
        Next::Compute
    }

    /// Returns true if vertices need their edge words in `superstep`, if there are any.
    fn needs_edge_words(&self, superstep: &Superstep) -> bool {
        _ = superstep;
        true
    }

    /// Computes a vertex with its edges. Its value and messages are as [`MessageProgram::receive`] left them.
    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>);

    /// Returns true if another superstep follows the `ended` one, whose totals are complete.
    fn continues(&self, ended: &Superstep) -> bool {
        _ = ended;
        true
    }

    /// Serializes the program's own state between supersteps, for checkpoints. [`MessageProgram::continues`] is called
    /// once per superstep.
    ///
    /// # Errors
    /// Returns the errors of [`State::number`].
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        _ = state;
        Ok(())
    }

    /// Returns the number to report to the observer for the `ended` superstep, such as the sum of all changes.
    fn change(&self, ended: &Superstep) -> Option<f64> {
        _ = ended;
        None
    }
}

/// Next step after a vertex has received its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: the vertex needs no edges.
    Done,
    /// The engine loads the vertex's edges and computes it.
    Compute,
}

/// Global facts of a superstep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Superstep {
    /// Number of the superstep, from 0.
    pub number: u32,
    /// Number of existing vertices.
    pub vertices: u32,
    /// Totals of the vertices' contributions; during a superstep, the totals of the previous one. Summed in the order
    /// of vertex blocks, so that they do not depend on the number of threads.
    pub totals: [f64; TOTALS],
}

/// Edges of a vertex, as far as the requirements name them.
#[derive(Clone, Copy, Debug)]
pub struct Edges<'e> {
    /// Out-list; all edges in an undirected graph.
    pub out: Neighbors<'e>,
    /// Neighbors along in-edges; empty in an undirected graph.
    pub into: Neighbors<'e>,
}

impl<'e> Edges<'e> {
    /// Returns every neighbor with the edge weight, first along out-edges, then against in-edges: once per edge.
    pub fn both(&self) -> impl Iterator<Item = (VertexId, f64)> + use<'e> {
        let weighted = |list: Neighbors<'e>| {
            // Default: an unweighted store has none, and all weights are 1.
            let weights = list.weights().unwrap_or_default();
            list.ids().iter().enumerate().map(move |(place, id)| (*id, weights.get(place).copied().unwrap_or(1.0)))
        };
        weighted(self.out).chain(weighted(self.into))
    }

    /// Returns the number of edges in both lists.
    pub const fn len(&self) -> usize {
        self.out.len() + self.into.len()
    }

    /// Returns true if there are no edges.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Active vertex, as seen by its program.
pub struct Vertex<'c, P: MessageProgram + ?Sized> {
    id: VertexId,
    superstep: Superstep,
    value: &'c mut P::Value,
    messages: &'c mut [P::Message],
    edge_words: &'c mut [u32],
    outbox: &'c mut dyn Outbox<P::Message, P::Record>,
    stays_active: bool,
}

impl<'c, P: MessageProgram + ?Sized> Vertex<'c, P> {
    /// Creates a vertex, for executors of programs. It stays active until it deactivates itself.
    pub fn new(
        id: VertexId,
        superstep: Superstep,
        (value, messages, edge_words): (&'c mut P::Value, &'c mut [P::Message], &'c mut [u32]),
        outbox: &'c mut dyn Outbox<P::Message, P::Record>,
    ) -> Self {
        Self { id, superstep, value, messages, edge_words, outbox, stays_active: true }
    }

    /// Returns true if the vertex is active in the next superstep even without a message.
    pub const fn stays_active(&self) -> bool {
        self.stays_active
    }

    /// Returns the vertex ID.
    pub const fn id(&self) -> VertexId {
        self.id
    }

    /// Returns the superstep, with the totals of the previous one.
    pub const fn superstep(&self) -> &Superstep {
        &self.superstep
    }

    /// Returns the value.
    pub const fn value(&self) -> &P::Value {
        self.value
    }

    /// Returns the value for modification.
    pub const fn value_mut(&mut self) -> &mut P::Value {
        self.value
    }

    /// Returns the received messages in no particular order; at most one if the program combines. They can be sorted in
    /// place.
    pub const fn messages(&mut self) -> &mut [P::Message] {
        self.messages
    }

    /// Returns the messages, and the mutable words of the vertex's list entries, [`MessageProgram::EDGE_WORDS`] per
    /// entry, in the order that the program likes: initially 0, then what it left there. Only in
    /// [`MessageProgram::receive`]; later there are no words.
    pub const fn edge_words(&mut self) -> (&mut [P::Message], &mut [u32]) {
        (&mut *self.messages, &mut *self.edge_words)
    }

    /// Deactivates the vertex in the next superstep unless a message arrives.
    pub const fn deactivate(&mut self) {
        self.stays_active = false;
    }

    /// Sends `message` to any vertex `to`.
    #[inline]
    pub fn send(&mut self, to: VertexId, message: P::Message) {
        self.outbox.send(&[to], message);
    }

    /// Sends the same message to each vertex in `to`.
    #[inline]
    pub fn send_to_all(&mut self, to: &[VertexId], message: P::Message) {
        self.outbox.send(to, message);
    }

    /// Adds `amount` to total `number` of the superstep, which must be below [`TOTALS`].
    #[inline]
    pub fn contribute(&mut self, number: usize, amount: f64) {
        self.outbox.contribute(number, amount);
    }

    /// Writes a record under `key`.
    #[inline]
    pub fn record(&mut self, key: u32, record: P::Record) {
        self.outbox.record(key, record);
    }

    /// Adds an edge, effective from the next superstep.
    pub fn add_edge(&mut self, from: VertexId, to: VertexId, weight: f64) {
        self.outbox.change(Mutation::AddEdge { from, to, weight });
    }

    /// Removes all edges from `from` to `to`, effective from the next superstep.
    pub fn remove_edge(&mut self, from: VertexId, to: VertexId) {
        self.outbox.change(Mutation::RemoveEdge { from, to });
    }

    /// Adds `vertex`, active from the next superstep: a spare vertex or a removed one. Does nothing if it exists.
    pub fn add_vertex(&mut self, vertex: VertexId) {
        self.outbox.change(Mutation::AddVertex(vertex));
    }

    /// Removes `vertex` and all its edges, effective from the next superstep. Messages to it are lost.
    pub fn remove_vertex(&mut self, vertex: VertexId) {
        self.outbox.change(Mutation::RemoveVertex(vertex));
    }
}
