//! NumPy array file, version 1.0: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
//!
//! The rows are in the order of the batches, which is ascending by original ID; a first column `node` is not written.
//! One value column becomes a plain array, several become a structured array. A missing value is NaN among floats and
//! -1 among integers, whose type is signed if the column is nullable: `<i8` for unsigned integers of any size, `|i1`
//! for booleans.

use super::column::{Cell, columns_of};
use super::encoder::Encoder;
use super::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use outcrop_types::{Error, Result};

/// Alignment of the data after the header, in bytes.
const ALIGNMENT: usize = 64;

/// Bytes of the magic number, version and header length.
const PREFIX: usize = 10;

/// NumPy element type.
#[derive(Clone, Copy)]
struct ElementType {
    name: &'static str,
    /// Appends a value; returns `None` if the type cannot represent it.
    put: fn(Option<Cell<'_>>, &mut Vec<u8>) -> Option<()>,
}

impl ElementType {
    fn of(field: &Field) -> Result<Self> {
        Ok(match (field.data_type(), field.is_nullable()) {
            (DataType::UInt32, false) => {
                Self { name: "<u4", put: |cell, out| put(u32::try_from(unsigned(cell)?).ok()?.to_le_bytes(), out) }
            }
            (DataType::UInt64, false) => Self { name: "<u8", put: |cell, out| put(unsigned(cell)?.to_le_bytes(), out) },
            (DataType::UInt32 | DataType::UInt64, true) | (DataType::Int64, _) => {
                Self { name: "<i8", put: |cell, out| put(signed(cell)?.to_le_bytes(), out) }
            }
            (DataType::Float32, _) => Self { name: "<f4", put: |cell, out| put(single(cell)?.to_le_bytes(), out) },
            (DataType::Float64, _) => Self { name: "<f8", put: |cell, out| put(double(cell)?.to_le_bytes(), out) },
            (DataType::Boolean, false) => {
                Self { name: "|b1", put: |cell, out| put([u8::try_from(unsigned(cell)?).ok()?], out) }
            }
            (DataType::Boolean, true) => {
                Self { name: "|i1", put: |cell, out| put(i8::try_from(signed(cell)?).ok()?.to_le_bytes(), out) }
            }
            _ => {
                let name = field.name();
                let message = format!("column `{name}` has strings, which .npy does not support; use .parquet or .csv");
                return Err(Error::Usage(message));
            }
        })
    }
}

fn put<const N: usize>(bytes: [u8; N], out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(&bytes);
    Some(())
}

fn unsigned(cell: Option<Cell<'_>>) -> Option<u64> {
    match cell? {
        Cell::Unsigned(number) => Some(number),
        Cell::Boolean(value) => Some(value.into()),
        _ => None,
    }
}

fn signed(cell: Option<Cell<'_>>) -> Option<i64> {
    match cell {
        None => Some(-1),
        Some(Cell::Unsigned(number)) => i64::try_from(number).ok(),
        Some(Cell::Signed(number)) => Some(number),
        Some(Cell::Boolean(value)) => Some(value.into()),
        Some(_) => None,
    }
}

fn single(cell: Option<Cell<'_>>) -> Option<f32> {
    match cell {
        None => Some(f32::NAN),
        Some(Cell::Single(number)) => Some(number),
        Some(_) => None,
    }
}

fn double(cell: Option<Cell<'_>>) -> Option<f64> {
    match cell {
        None => Some(f64::NAN),
        Some(Cell::Double(number)) => Some(number),
        Some(_) => None,
    }
}

/// Encoder of rows, one after the other.
pub(super) struct NpyEncoder {
    output: Output,
    elements: Vec<(String, ElementType)>,
    skipped: usize,
}

impl NpyEncoder {
    pub(super) fn new(mut output: Output, schema: &Schema, rows: u64) -> Result<Self> {
        let skipped = usize::from(schema.fields().first().is_some_and(|first| first.name() == "node"));
        let fields = schema.fields().iter().skip(skipped);
        let elements =
            fields.map(|field| Ok((field.name().clone(), ElementType::of(field)?))).collect::<Result<Vec<_>>>()?;
        output.buffer.extend(header(&elements, rows)?);
        Ok(Self { output, elements, skipped })
    }
}

impl Encoder for NpyEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns = columns_of(batch)?;
        for row in 0..batch.num_rows() {
            for ((name, element), column) in self.elements.iter().zip(&columns[self.skipped..]) {
                let written = (element.put)(column.cell(row), &mut self.output.buffer);
                written.ok_or_else(|| misfit(name, *element))?;
            }
            self.output.spill()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.output.complete()
    }
}

fn misfit(name: &str, element: ElementType) -> Error {
    let message = format!("column `{name}` has a value that does not fit {}; use .parquet or .csv", element.name);
    Error::Usage(message)
}

fn header(elements: &[(String, ElementType)], rows: u64) -> Result<Vec<u8>> {
    let text = format!("{{'descr': {}, 'fortran_order': False, 'shape': ({rows},), }}", description(elements)?);
    let length = (PREFIX + text.len() + 1).next_multiple_of(ALIGNMENT) - PREFIX;
    let stored =
        u16::try_from(length).map_err(|_| Error::Usage("too many columns for .npy; use .parquet".to_owned()))?;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(stored.to_le_bytes());
    header.extend(text.bytes());
    header.resize(PREFIX + length - 1, b' ');
    header.push(b'\n');
    Ok(header)
}

fn description(elements: &[(String, ElementType)]) -> Result<String> {
    let member = |(name, element): &(String, ElementType)| format!("({}, '{}')", python_text(name), element.name);
    match elements {
        [] => Err(Error::Usage(".npy needs a value column in addition to `node`".to_owned())),
        [(_, element)] => Ok(format!("'{}'", element.name)),
        several => Ok(format!("[{}]", several.iter().map(member).collect::<Vec<_>>().join(", "))),
    }
}

/// Returns a Python string literal in ASCII.
fn python_text(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '\'' | '\\' => format!("\\{letter}"),
        ' '..='~' => letter.to_string(),
        _ => format!("\\U{:08x}", u32::from(letter)),
    };
    format!("'{}'", text.chars().map(escaped).collect::<String>())
}
