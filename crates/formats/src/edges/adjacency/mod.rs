//! Files with a list of neighbours for each vertex: graphs of the GAP Benchmark Suite and of METIS.

mod balance;
mod gap;
mod gap_writer;
mod metis;

pub(crate) use gap::{open_sg, open_wsg};
pub(crate) use gap_writer::GapWriter;
pub(crate) use metis::open_metis;
