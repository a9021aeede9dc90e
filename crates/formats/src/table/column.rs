//! Typed access to the columns of a batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    UInt32Array, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Schema};
use outcrop_types::{Error, Result};
use std::collections::HashSet;

/// One value of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Double(f64),
    Boolean(bool),
    Text(&'a str),
}

enum Values<'a> {
    UInt32(&'a UInt32Array),
    UInt64(&'a UInt64Array),
    Int64(&'a Int64Array),
    Float32(&'a Float32Array),
    Float64(&'a Float64Array),
    Boolean(&'a BooleanArray),
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
}

/// A column of a batch.
pub(super) struct Column<'a> {
    values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Column<'a> {
    fn new(array: &'a ArrayRef) -> Option<Self> {
        let values = match array.data_type() {
            DataType::UInt32 => Values::UInt32(array.as_primitive_opt::<UInt32Type>()?),
            DataType::UInt64 => Values::UInt64(array.as_primitive_opt::<UInt64Type>()?),
            DataType::Int64 => Values::Int64(array.as_primitive_opt::<Int64Type>()?),
            DataType::Float32 => Values::Float32(array.as_primitive_opt::<Float32Type>()?),
            DataType::Float64 => Values::Float64(array.as_primitive_opt::<Float64Type>()?),
            DataType::Boolean => Values::Boolean(array.as_boolean_opt()?),
            DataType::Utf8 => Values::Utf8(array.as_string_opt()?),
            DataType::LargeUtf8 => Values::LargeUtf8(array.as_string_opt()?),
            _ => return None,
        };
        Some(Self { values, nulls: array.nulls() })
    }

    /// The value in a row; `None` where there is none.
    #[inline]
    pub(super) fn cell(&self, row: usize) -> Option<Cell<'a>> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        Some(match self.values {
            Values::UInt32(values) => Cell::Unsigned(values.value(row).into()),
            Values::UInt64(values) => Cell::Unsigned(values.value(row)),
            Values::Int64(values) => Cell::Signed(values.value(row)),
            Values::Float32(values) => Cell::Single(values.value(row)),
            Values::Float64(values) => Cell::Double(values.value(row)),
            Values::Boolean(values) => Cell::Boolean(values.value(row)),
            Values::Utf8(values) => Cell::Text(values.value(row)),
            Values::LargeUtf8(values) => Cell::Text(values.value(row)),
        })
    }
}

/// The columns of a batch that [`check_batch`] let through.
pub(super) fn columns_of(batch: &RecordBatch) -> Vec<Column<'_>> {
    batch.columns().iter().filter_map(Column::new).collect()
}

/// Refuses a table without columns, with two of one name, or with types that no format here has.
pub(super) fn check_schema(schema: &Schema) -> Result<()> {
    if schema.fields().is_empty() {
        return Err(Error::Usage("a table has at least one column".to_owned()));
    }
    let mut names = HashSet::new();
    for field in schema.fields() {
        if !names.insert(field.name()) {
            return Err(Error::Usage(format!("the table has two columns named `{}`", field.name())));
        }
        if !is_supported(field.data_type()) {
            let message = format!("column `{}` is of type {}, which no table holds", field.name(), field.data_type());
            return Err(Error::Usage(message));
        }
    }
    Ok(())
}

const fn is_supported(data_type: &DataType) -> bool {
    use DataType::{Boolean, Float32, Float64, Int64, LargeUtf8, UInt32, UInt64, Utf8};
    matches!(data_type, UInt32 | UInt64 | Int64 | Float32 | Float64 | Boolean | Utf8 | LargeUtf8)
}

/// Refuses a batch that is not of the table's schema.
pub(super) fn check_batch(schema: &Schema, batch: &RecordBatch) -> Result<()> {
    let given = batch.schema_ref().fields();
    if given.len() != schema.fields().len() {
        return Err(Error::Usage(format!(
            "a batch of {} columns for a table of {}",
            given.len(),
            schema.fields().len()
        )));
    }
    for ((field, given), array) in schema.fields().iter().zip(given).zip(batch.columns()) {
        if (field.name(), field.data_type()) != (given.name(), given.data_type()) {
            return Err(Error::Usage(format!("a batch brings {given} where the table has {field}")));
        }
        if !field.is_nullable() && array.null_count() > 0 {
            return Err(Error::Usage(format!("a batch has nulls in column `{}`, which has none", field.name())));
        }
    }
    Ok(())
}
