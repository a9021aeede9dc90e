//! Edges that are in memory already: pairs from arrays and lists, and streams of Arrow batches.

mod arrays;
mod arrow_columns;
mod arrow_stream;

pub(crate) use arrays::ArrayEdges;
pub(crate) use arrow_stream::ArrowEdges;
