//! Texts with one edge per line: split into blocks of whole lines, parsed by several threads, written.

mod blocks;
mod dialect;
mod digits;
mod fields;
mod file;
mod input;
mod line;
mod pipeline;
mod preface;
mod syntax;
mod tally;
mod writer;

pub(crate) use blocks::{Block, BlockSizes};
pub(crate) use digits::whole_number;
#[cfg(test)]
pub(crate) use fields::{Fields, Split};
pub(crate) use fields::{is_blank, shown};
pub(crate) use file::TextFile;
pub(crate) use input::{Density, TextInput};
pub(crate) use line::{Lines, check_name, first_field, is_padded, overlong, parse_id};
pub(crate) use pipeline::{Pipeline, parsers, pipeline_bytes};
pub(crate) use preface::Preface;
pub(crate) use syntax::Listing;
pub(crate) use tally::{Oddity, Skipped, Tally};
pub use writer::EdgeListWriter;
