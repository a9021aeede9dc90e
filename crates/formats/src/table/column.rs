//! Typed access to the columns of a batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, OffsetSizeTrait, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Schema};
use outcrop_types::{Error, Result};
use std::collections::HashSet;

/// Value of a table cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Double(f64),
    Boolean(bool),
    Text(&'a str),
}

/// Function that returns the value of a non-null row.
type Values<'a> = Box<dyn Fn(usize) -> Cell<'a> + 'a>;

/// Column of a batch.
pub(super) struct Column<'a> {
    values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Column<'a> {
    fn new(array: &'a ArrayRef) -> Option<Self> {
        let values: Values<'a> = match array.data_type() {
            DataType::UInt32 => numbers::<UInt32Type>(array, |number| Cell::Unsigned(number.into())),
            DataType::UInt64 => numbers::<UInt64Type>(array, Cell::Unsigned),
            DataType::Int64 => numbers::<Int64Type>(array, Cell::Signed),
            DataType::Float32 => numbers::<Float32Type>(array, Cell::Single),
            DataType::Float64 => numbers::<Float64Type>(array, Cell::Double),
            DataType::Boolean => {
                let values = array.as_boolean();
                Box::new(|row| Cell::Boolean(values.value(row)))
            }
            DataType::Utf8 => texts::<i32>(array),
            DataType::LargeUtf8 => texts::<i64>(array),
            _ => return None,
        };
        Some(Self { values, nulls: array.nulls() })
    }

    /// Returns the value in a row; `None` for null.
    #[inline]
    pub(super) fn cell(&self, row: usize) -> Option<Cell<'a>> {
        match self.nulls {
            Some(nulls) if nulls.is_null(row) => None,
            _ => Some((self.values)(row)),
        }
    }
}

fn numbers<'a, T: ArrowPrimitiveType>(array: &'a ArrayRef, cell: impl Fn(T::Native) -> Cell<'a> + 'a) -> Values<'a> {
    let values = array.as_primitive::<T>();
    Box::new(move |row| cell(values.value(row)))
}

fn texts<O: OffsetSizeTrait>(array: &ArrayRef) -> Values<'_> {
    let values = array.as_string::<O>();
    Box::new(|row| Cell::Text(values.value(row)))
}

/// Returns the columns of a batch.
pub(super) fn columns_of(batch: &RecordBatch) -> Result<Vec<Column<'_>>> {
    let columns = batch.columns().iter().map(Column::new).collect::<Option<_>>();
    columns.ok_or_else(|| Error::internal("a batch has a column of an unsupported type"))
}

/// Refuses a table without columns, with duplicate column names, or with types that no supported format has.
pub(super) fn check_schema(schema: &Schema) -> Result<()> {
    if schema.fields().is_empty() {
        return Err(Error::Usage("a table needs at least one column".to_owned()));
    }
    let mut names = HashSet::new();
    for field in schema.fields() {
        if !names.insert(field.name()) {
            return Err(Error::Usage(format!("the table has two columns named `{}`", field.name())));
        }
        if !is_supported(field.data_type()) {
            let message = format!("column `{}` has the unsupported type {}", field.name(), field.data_type());
            return Err(Error::Usage(message));
        }
    }
    Ok(())
}

const fn is_supported(data_type: &DataType) -> bool {
    use DataType::{Boolean, Float32, Float64, Int64, LargeUtf8, UInt32, UInt64, Utf8};
    matches!(data_type, UInt32 | UInt64 | Int64 | Float32 | Float64 | Boolean | Utf8 | LargeUtf8)
}

/// Refuses a batch whose schema differs from that of the table.
pub(super) fn check_batch(schema: &Schema, batch: &RecordBatch) -> Result<()> {
    let given = batch.schema_ref().fields();
    if given.len() != schema.fields().len() {
        return Err(Error::internal(format!(
            "a batch of {} columns for a table of {}",
            given.len(),
            schema.fields().len()
        )));
    }
    for ((field, given), array) in schema.fields().iter().zip(given).zip(batch.columns()) {
        if (field.name(), field.data_type()) != (given.name(), given.data_type()) {
            return Err(Error::internal(format!("a batch has {given}, but the table has {field}")));
        }
        if !field.is_nullable() && array.null_count() > 0 {
            return Err(Error::internal(format!(
                "a batch has nulls in column `{}`, which is not nullable",
                field.name()
            )));
        }
    }
    Ok(())
}
