//! Encoders of tables.

use super::column::Column;
use arrow_array::RecordBatch;
use outcrop_types::Result;

/// Turns batches into the bytes of one format.
pub(super) trait Encoder: Send {
    /// Takes the rows of a batch, which is of the table's schema.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes all buffered data and the end of the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Look of the lines of a text format.
pub(super) trait LineFormat: Send {
    /// Appends what comes before the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// Appends a row.
    fn line(&self, columns: &[Column<'_>], row: usize, out: &mut Vec<u8>);
}
