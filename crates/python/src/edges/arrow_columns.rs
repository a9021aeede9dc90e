//! The columns of an Arrow stream that hold edges.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, Schema};
use outcrop::{Error, IdKind, Result};

/// What columns are called where nobody says.
const USUAL_NAMES: [&[&str]; 3] = [&["source", "src", "from"], &["target", "dst", "to"], &["weight"]];

/// The position of a column: by the name that was asked for, by its usual names, else by its place.
///
/// # Errors
/// There is no such column.
pub(crate) fn find(schema: &Schema, name: Option<&str>, place: usize) -> Result<usize> {
    let position = |wanted: &str| schema.fields().iter().position(|field| field.name() == wanted);
    let usual = || USUAL_NAMES.get(place)?.iter().find_map(|name| position(name));
    let by_place = || Some(place).filter(|place| *place < schema.fields().len());
    let found = name.map_or_else(|| usual().or_else(by_place), position);
    found.ok_or_else(|| {
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let what = name.map_or_else(|| format!("column number {}", place + 1), |name| format!("column {name:?}"));
        Error::Usage(format!("the table has no {what}; its columns are {}", names.join(", ")))
    })
}

/// What a column holds as ids; `None` where it is neither whole numbers nor texts.
pub(crate) const fn id_kind(data_type: &DataType) -> Option<IdKind> {
    use DataType::{Int8, Int16, Int32, Int64, LargeUtf8, UInt8, UInt16, UInt32, UInt64, Utf8, Utf8View};
    match data_type {
        Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => Some(IdKind::Integer),
        Utf8 | LargeUtf8 | Utf8View => Some(IdKind::Text),
        _ => None,
    }
}

/// Whether a column can hold weights.
pub(crate) const fn is_number(data_type: &DataType) -> bool {
    matches!(id_kind(data_type), Some(IdKind::Integer)) || matches!(data_type, DataType::Float32 | DataType::Float64)
}

/// Whole numbers; `None` where a value is negative.
pub(crate) fn integers(array: &ArrayRef) -> Vec<Option<u64>> {
    match array.data_type() {
        DataType::Int8 => unsigned::<Int8Type>(array),
        DataType::Int16 => unsigned::<Int16Type>(array),
        DataType::Int32 => unsigned::<Int32Type>(array),
        DataType::Int64 => unsigned::<Int64Type>(array),
        DataType::UInt8 => unsigned::<UInt8Type>(array),
        DataType::UInt16 => unsigned::<UInt16Type>(array),
        DataType::UInt32 => unsigned::<UInt32Type>(array),
        DataType::UInt64 => unsigned::<UInt64Type>(array),
        _ => Vec::new(),
    }
}

fn unsigned<T: ArrowPrimitiveType<Native: TryInto<u64>>>(array: &ArrayRef) -> Vec<Option<u64>> {
    array.as_primitive::<T>().values().iter().map(|value| (*value).try_into().ok()).collect()
}

/// Texts, in any of the ways in which Arrow keeps them.
pub(crate) fn texts(array: &ArrayRef) -> Vec<&str> {
    let rows = 0..array.len();
    match array.data_type() {
        DataType::Utf8 => rows.map(|row| array.as_string::<i32>().value(row)).collect(),
        DataType::LargeUtf8 => rows.map(|row| array.as_string::<i64>().value(row)).collect(),
        DataType::Utf8View => rows.map(|row| array.as_string_view().value(row)).collect(),
        _ => Vec::new(),
    }
}

/// Weights in single precision.
pub(crate) fn weights(array: &ArrayRef) -> Vec<f32> {
    match array.data_type() {
        DataType::Float32 => array.as_primitive::<Float32Type>().values().to_vec(),
        DataType::Float64 => array.as_primitive::<Float64Type>().values().iter().map(|value| *value as f32).collect(),
        DataType::Int8 => whole::<Int8Type>(array),
        DataType::Int16 => whole::<Int16Type>(array),
        DataType::Int32 => whole::<Int32Type>(array),
        DataType::Int64 => whole::<Int64Type>(array),
        DataType::UInt8 => whole::<UInt8Type>(array),
        DataType::UInt16 => whole::<UInt16Type>(array),
        DataType::UInt32 => whole::<UInt32Type>(array),
        DataType::UInt64 => whole::<UInt64Type>(array),
        _ => Vec::new(),
    }
}

fn whole<T: ArrowPrimitiveType<Native: Into<i128>>>(array: &ArrayRef) -> Vec<f32> {
    array.as_primitive::<T>().values().iter().map(|value| (*value).into() as f32).collect()
}
