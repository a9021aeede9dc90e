//! Destination of what a vertex sends.

use outcrop_types::VertexId;

/// Takes what the vertices of one worker send. What goes wrong is kept for the end of the batch.
pub trait Outbox<M, R> {
    /// Sends `message` to each of `to`.
    fn send(&mut self, to: &[VertexId], message: M);

    /// Adds to a sum of the superstep.
    fn contribute(&mut self, number: usize, amount: f64);

    /// Writes a record down under `key`.
    fn record(&mut self, key: u32, record: R);

    /// Changes the graph from the next superstep on.
    fn change(&mut self, mutation: Mutation);
}

/// A change of the graph, which is seen from the next superstep on (section V.E). Of changes in the same superstep, removals come first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mutation {
    /// Another edge; in an undirected graph it leads both ways.
    AddEdge {
        /// Its source.
        from: VertexId,
        /// Its target.
        to: VertexId,
        /// Its weight.
        weight: f64,
    },
    /// All edges from one vertex to another are gone.
    RemoveEdge {
        /// Their source.
        from: VertexId,
        /// Their target.
        to: VertexId,
    },
    /// A vertex without edges, where there was none.
    AddVertex(VertexId),
    /// No vertex, and no edges of it.
    RemoveVertex(VertexId),
}
