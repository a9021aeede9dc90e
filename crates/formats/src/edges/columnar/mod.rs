//! Tables with a source and a target column: Apache Parquet, and Arrow IPC files and streams.

mod arrow;
mod cells;
mod columns;
mod decoder_panics;
mod parquet;
mod rows;
mod table;
mod writer;

pub(crate) use arrow::open_arrow;
pub(crate) use cells::{Cell, ids, weights};
pub use columns::{ColumnError, EdgeColumns};
pub(crate) use decoder_panics::decoded;
pub(crate) use parquet::open_parquet;
pub use rows::EdgeRows;
pub(crate) use writer::TableSink;
