//! Tables as lines of text.

use super::column::columns_of;
use super::encoder::{Encoder, LineFormat};
use super::output::Output;
use arrow_array::RecordBatch;
use outcrop_types::Result;

/// Writes one line per row.
pub(super) struct LineEncoder<F> {
    output: Output,
    format: F,
}

impl<F: LineFormat> LineEncoder<F> {
    pub(super) fn new(mut output: Output, format: F) -> Self {
        format.header(&mut output.buffer);
        Self { output, format }
    }
}

impl<F: LineFormat> Encoder for LineEncoder<F> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns = columns_of(batch)?;
        for row in 0..batch.num_rows() {
            self.format.line(&columns, row, &mut self.output.buffer);
            self.output.spill()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.output.complete()
    }
}

/// Appends an integer.
#[inline]
pub(super) fn put_integer(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends the shortest text that reads back as the same number: `0.1`, `1e-7`, `inf`, `NaN`.
#[inline]
pub(super) fn put_float(number: impl zmij::Float, out: &mut Vec<u8>) {
    out.extend_from_slice(zmij::Buffer::new().format(number).as_bytes());
}

/// Appends `true` or `false`.
pub(super) fn put_boolean(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}
