//! Edges that Python hands over: files, pairs from arrays and lists, and streams of Arrow batches.

mod arguments;
mod arrays;
mod arrow_stream;
mod given;
mod ids;

pub(crate) use arguments::{EdgeArguments, TextArguments};
pub(crate) use given::Given;
pub(crate) use ids::Ids;
