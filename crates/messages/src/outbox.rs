//! Destination of a vertex's output.

use outcrop_types::VertexId;

/// Output of the vertices of one worker. Failures are reported at the end of the batch.
pub trait Outbox<M, R> {
    /// Sends `message` to each vertex in `to`.
    fn send(&mut self, to: &[VertexId], message: M);

    /// Adds to a total of the superstep.
    fn contribute(&mut self, number: usize, amount: f64);

    /// Writes a record under `key`.
    fn record(&mut self, key: u32, record: R);

    /// Changes the graph, effective from the next superstep.
    fn change(&mut self, mutation: Mutation);
}

/// Graph change, effective from the next superstep (section V.E). Within a superstep, removals are applied first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mutation {
    /// Addition of an edge; undirected in an undirected graph.
    AddEdge {
        /// Source vertex.
        from: VertexId,
        /// Target vertex.
        to: VertexId,
        /// Weight.
        weight: f64,
    },
    /// Removal of all edges from one vertex to another.
    RemoveEdge {
        /// Source vertex.
        from: VertexId,
        /// Target vertex.
        to: VertexId,
    },
    /// Addition of a vertex without edges.
    AddVertex(VertexId),
    /// Removal of a vertex and all its edges.
    RemoveVertex(VertexId),
}
