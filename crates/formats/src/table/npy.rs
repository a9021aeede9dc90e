//! NumPy's array file, version 1.0: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
//!
//! The rows are in the order in which they come, ascending by original id; a first column `node` is not written. One value column
//! becomes a plain array, several become a structured one. A missing value is NaN among floats and -1 among integers, whose type is
//! signed where the column may have nulls: `<i8` for unsigned integers of any size, `|i1` for truth values.

use super::column::{Cell, columns_of};
use super::encoder::Encoder;
use super::output::Output;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use outcrop_types::{Error, Result};

/// The file begins at a multiple of this many bytes after its header.
const ALIGNMENT: usize = 64;

/// Magic, version and length of the header.
const PREFIX: usize = 10;

/// A type of NumPy's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementType {
    U4,
    U8,
    I8,
    I1,
    B1,
    F4,
    F8,
}

impl ElementType {
    fn of(field: &Field) -> Result<Self> {
        match (field.data_type(), field.is_nullable()) {
            (DataType::UInt32, false) => Ok(Self::U4),
            (DataType::UInt64, false) => Ok(Self::U8),
            (DataType::UInt32 | DataType::UInt64, true) | (DataType::Int64, _) => Ok(Self::I8),
            (DataType::Float32, _) => Ok(Self::F4),
            (DataType::Float64, _) => Ok(Self::F8),
            (DataType::Boolean, false) => Ok(Self::B1),
            (DataType::Boolean, true) => Ok(Self::I1),
            _ => Err(Error::Usage(format!(
                "column `{}` holds texts, which .npy does not; choose .parquet or .csv",
                field.name()
            ))),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::U4 => "<u4",
            Self::U8 => "<u8",
            Self::I8 => "<i8",
            Self::I1 => "|i1",
            Self::B1 => "|b1",
            Self::F4 => "<f4",
            Self::F8 => "<f8",
        }
    }

    /// Appends a value; `None` where the type does not hold it.
    #[inline]
    fn put(self, cell: Option<Cell<'_>>, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::U4 => out.extend_from_slice(&u32::try_from(unsigned(cell)?).ok()?.to_le_bytes()),
            Self::U8 => out.extend_from_slice(&unsigned(cell)?.to_le_bytes()),
            Self::I8 => out.extend_from_slice(&signed(cell)?.to_le_bytes()),
            Self::I1 => out.extend_from_slice(&i8::try_from(signed(cell)?).ok()?.to_le_bytes()),
            Self::B1 => out.push(u8::try_from(unsigned(cell)?).ok()?),
            Self::F4 => out.extend_from_slice(&single(cell)?.to_le_bytes()),
            Self::F8 => out.extend_from_slice(&double(cell)?.to_le_bytes()),
        }
        Some(())
    }
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

/// Writes rows one after the other.
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
                let written = element.put(column.cell(row), &mut self.output.buffer);
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
    let message = format!("column `{name}` has a value that {} does not hold; choose .parquet or .csv", element.name());
    Error::Usage(message)
}

fn header(elements: &[(String, ElementType)], rows: u64) -> Result<Vec<u8>> {
    let text = format!("{{'descr': {}, 'fortran_order': False, 'shape': ({rows},), }}", description(elements)?);
    let length = (PREFIX + text.len() + 1).next_multiple_of(ALIGNMENT) - PREFIX;
    let stored =
        u16::try_from(length).map_err(|_| Error::Usage("too many columns for .npy; choose .parquet".to_owned()))?;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(stored.to_le_bytes());
    header.extend(text.bytes());
    header.resize(PREFIX + length - 1, b' ');
    header.push(b'\n');
    Ok(header)
}

fn description(elements: &[(String, ElementType)]) -> Result<String> {
    let member = |(name, element): &(String, ElementType)| format!("({}, '{}')", python_text(name), element.name());
    match elements {
        [] => Err(Error::Usage(".npy holds values, and the table has none beside `node`".to_owned())),
        [(_, element)] => Ok(format!("'{}'", element.name())),
        several => Ok(format!("[{}]", several.iter().map(member).collect::<Vec<_>>().join(", "))),
    }
}

/// A Python string literal in ASCII.
fn python_text(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '\'' | '\\' => format!("\\{letter}"),
        ' '..='~' => letter.to_string(),
        _ => format!("\\U{:08x}", u32::from(letter)),
    };
    format!("'{}'", text.chars().map(escaped).collect::<String>())
}
