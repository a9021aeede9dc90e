//! Detection of files that are not edge lists, by their content, with advice for the user.

mod bytes;
mod non_edge_lines;
mod refusal;
mod text;

pub(crate) use bytes::{packed, packed_twice};
pub(crate) use refusal::{Foreign, Recognized};
pub(crate) use text::recognize;
