//! Positions and sizes of the columns of a record batch, checked before anything is decompressed.

use super::layout::Block;
use crate::edges::columnar::table::TableFile;
use arrow_ipc::{CompressionType, RecordBatch};
use arrow_schema::{DataType, Schema, UnionMode};
use lz4_flex::frame::FrameDecoder;
use outcrop_types::{Error, Result, length_from};
use std::io::{self, Read};
use std::ops::Range;

/// Bytes before a compressed column: its decompressed length.
const PREFIX: u64 = 8;

/// Length that marks an uncompressed column in a compressed record batch.
const NOT_COMPRESSED: i64 = -1;

/// The decoder copies columns whose offset is not a multiple of this.
const ALIGNMENT: u64 = 16;

/// Part of a body to read.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Position in the body.
    pub(super) bytes: Range<u64>,
}

/// Positions of the columns to read in a record batch.
#[derive(Debug)]
pub(super) struct BatchLayout {
    pub(super) rows: u64,
    pub(super) parts: Vec<Part>,
    compressed: bool,
    pub(super) lz4: bool,
}

impl BatchLayout {
    /// Checks the positions of all columns. Columns that `wanted` marks false are skipped; those past its end are read.
    pub(super) fn new(file: &TableFile, batch: &RecordBatch<'_>, block: Block, wanted: &[bool]) -> Result<Self> {
        let rows =
            u64::try_from(batch.length()).map_err(|_| file.damaged("a record batch has a negative number of rows"))?;
        let mut parts = Vec::new();
        for (number, buffer) in batch.buffers().into_iter().flatten().enumerate() {
            let start = u64::try_from(buffer.offset()).ok();
            let end = start.and_then(|start| start.checked_add(u64::try_from(buffer.length()).ok()?));
            let (Some(start), Some(end)) = (start, end.filter(|end| *end <= block.body)) else {
                return Err(file.damaged("a column extends beyond its record batch"));
            };
            if end > start && wanted.get(number).is_none_or(|wanted| *wanted) {
                parts.push(Part { bytes: start..end });
            }
        }
        let codec = batch.compression().map(|compression| compression.codec());
        Ok(Self { rows, parts, compressed: codec.is_some(), lz4: codec == Some(CompressionType::LZ4_FRAME) })
    }

    /// Returns the memory needed to read the batch.
    pub(super) fn memory(&self, file: &TableFile, block: Block) -> Result<u64> {
        let mut bytes = block.metadata;
        for part in &self.parts {
            bytes = bytes.saturating_add(part.bytes.end - part.bytes.start);
            if self.compressed {
                bytes = bytes.saturating_add(unpacked_length(file, block, part)?);
            } else if part.bytes.start % ALIGNMENT != 0 {
                bytes = bytes.saturating_add(part.bytes.end - part.bytes.start);
            }
        }
        Ok(bytes)
    }
}

/// Returns the decompressed length of a compressed column, as declared in the column.
fn unpacked_length(file: &TableFile, block: Block, part: &Part) -> Result<u64> {
    if part.bytes.end - part.bytes.start < PREFIX {
        return Err(file.damaged("a compressed column has no length"));
    }
    let mut prefix = [0; PREFIX as usize];
    let read = file.file.read_exact_at(&mut prefix, block.body_start() + part.bytes.start);
    read.map_err(|error| Error::io("read", &file.name, error))?;
    match i64::from_le_bytes(prefix) {
        // An uncompressed column is not aligned and is copied.
        NOT_COMPRESSED => Ok(part.bytes.end - part.bytes.start),
        length => u64::try_from(length).map_err(|_| file.damaged("a compressed column has a negative length")),
    }
}

/// Decompresses a column and discards the result: the LZ4 decoder writes beyond the declared length.
pub(super) fn check_lz4(file: &TableFile, column: &[u8]) -> Result<()> {
    let Some((prefix, packed)) = column.split_first_chunk() else { return Ok(()) };
    let Ok(expected) = u64::try_from(i64::from_le_bytes(*prefix)) else { return Ok(()) };
    if expected == 0 {
        return Ok(());
    }
    match io::copy(&mut FrameDecoder::new(packed).take(expected.saturating_add(1)), &mut io::sink()) {
        Ok(length) if length == expected => Ok(()),
        _ => Err(file.damaged("the length of a compressed column is wrong")),
    }
}

/// Returns for each buffer of a batch if it belongs to one of the columns at `positions`; `None` if the batch has fewer
/// buffers than the columns need.
pub(super) fn wanted_buffers(schema: &Schema, positions: &[usize], batch: &RecordBatch<'_>) -> Option<Vec<bool>> {
    let mut variadic = batch.variadicBufferCounts().into_iter().flatten();
    let present = batch.buffers().map_or(0, |buffers| buffers.len());
    let mut wanted = Vec::new();
    for (position, field) in schema.fields().iter().enumerate() {
        let count = buffers_of(field.data_type(), &mut variadic)?;
        if length_from(wanted.len()).checked_add(count)? > length_from(present) {
            return None;
        }
        wanted.resize(wanted.len() + usize::try_from(count).ok()?, positions.contains(&position));
    }
    Some(wanted)
}

/// Returns the number of buffers of a column.
fn buffers_of(kind: &DataType, variadic: &mut impl Iterator<Item = i64>) -> Option<u64> {
    Some(match kind {
        DataType::Null => 0,
        DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => 3,
        DataType::Utf8View | DataType::BinaryView => u64::try_from(variadic.next()?).ok()?.checked_add(2)?,
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            buffers_of(field.data_type(), variadic)?.checked_add(2)?
        }
        DataType::ListView(field) | DataType::LargeListView(field) => {
            buffers_of(field.data_type(), variadic)?.checked_add(3)?
        }
        DataType::FixedSizeList(field, _) => buffers_of(field.data_type(), variadic)?.checked_add(1)?,
        DataType::Struct(fields) => {
            fields.iter().try_fold(1u64, |sum, field| sum.checked_add(buffers_of(field.data_type(), variadic)?))?
        }
        DataType::RunEndEncoded(ends, values) => {
            buffers_of(ends.data_type(), variadic)?.checked_add(buffers_of(values.data_type(), variadic)?)?
        }
        DataType::Union(fields, mode) => {
            let own = if *mode == UnionMode::Dense { 2 } else { 1 };
            fields
                .iter()
                .try_fold(own, |sum: u64, (_, field)| sum.checked_add(buffers_of(field.data_type(), variadic)?))?
        }
        _ => 2,
    })
}
