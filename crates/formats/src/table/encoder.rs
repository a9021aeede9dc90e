//! Encoders of tables.

use super::column::Column;
use arrow_array::RecordBatch;
use outcrop_types::Result;

/// Encoder of batches in one format.
pub(super) trait Encoder: Send {
    /// Encodes the rows of a batch that has the table's schema.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes all buffered data and the end of the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Text format with one line per row.
pub(super) trait LineFormat: Send {
    /// Appends the text before the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// Appends a row.
    fn line(&self, columns: &[Column<'_>], row: usize, out: &mut Vec<u8>);
}
