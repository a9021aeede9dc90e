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

/// A change of the graph, which is seen from the next superstep on (section V.E). Of changes in the same superstep,
/// removals come first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mutation {
    /// Addition of an edge; in an undirected graph it leads both ways.
    AddEdge {
        /// Its source.
        from: VertexId,
        /// Its target.
        to: VertexId,
        /// Its weight.
        weight: f64,
    },
    /// Removal of all edges from one vertex to another.
    RemoveEdge {
        /// Their source.
        from: VertexId,
        /// Their target.
        to: VertexId,
    },
    /// Addition of a vertex without edges.
    AddVertex(VertexId),
    /// Removal of a vertex and all its edges.
    RemoveVertex(VertexId),
}
