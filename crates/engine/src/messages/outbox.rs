//! Destination of what a vertex sends.

use super::program::Mutation;
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
