//! Files with a list of neighbors per vertex: graphs of the GAP Benchmark Suite, METIS, Pajek and NetworkX.

mod balance;
mod gap;
mod gap_writer;
mod list;
mod metis;
mod pajek;
mod words;

pub(crate) use gap::{open_sg, open_wsg};
pub(crate) use gap_writer::GapWriter;
pub(crate) use list::open_adjacency_list;
pub(crate) use metis::open_metis;
pub(crate) use pajek::open_pajek;
