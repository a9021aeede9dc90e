//! IDs, weights and times in the columns of a table, for every supported Arrow type.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::DataType;
use outcrop_types::{ReadWeight, TimeRule, TimeUnit};

/// Content of one row of an ID column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(u64),
    Negative(i64),
    Text(&'a str),
}

/// Function that reads a row of an ID column.
pub(crate) type Ids<'a> = Box<dyn Fn(usize) -> Cell<'a> + 'a>;

/// Function that reads a row of a weight column; returns `None` for null.
pub(crate) type Weights<'a> = Box<dyn Fn(usize) -> Option<ReadWeight> + 'a>;

/// Returns a reader of the IDs in `column`; `None` if its type is not an ID type.
pub(crate) fn ids(column: &dyn Array) -> Option<Ids<'_>> {
    Some(match column.data_type() {
        DataType::Int8 => integers::<Int8Type>(column),
        DataType::Int16 => integers::<Int16Type>(column),
        DataType::Int32 => integers::<Int32Type>(column),
        DataType::Int64 => integers::<Int64Type>(column),
        DataType::UInt8 => integers::<UInt8Type>(column),
        DataType::UInt16 => integers::<UInt16Type>(column),
        DataType::UInt32 => integers::<UInt32Type>(column),
        DataType::UInt64 => unsigned(column),
        DataType::Utf8 => {
            let texts = column.as_string_opt::<i32>()?;
            valid(column, move |row| Cell::Text(texts.value(row)))
        }
        DataType::LargeUtf8 => {
            let texts = column.as_string_opt::<i64>()?;
            valid(column, move |row| Cell::Text(texts.value(row)))
        }
        DataType::Utf8View => {
            let texts = column.as_string_view_opt()?;
            valid(column, move |row| Cell::Text(texts.value(row)))
        }
        DataType::Dictionary(..) => of_dictionary(column)?,
        _ => return None,
    })
}

/// Returns a reader that returns null for the null rows of the column.
fn valid<'a>(column: &'a dyn Array, value: impl Fn(usize) -> Cell<'a> + 'a) -> Ids<'a> {
    match column.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Box::new(value),
        Some(nulls) => Box::new(move |row| if nulls.is_null(row) { Cell::Null } else { value(row) }),
    }
}

fn integers<'a, T: ArrowPrimitiveType<Native: Into<i64>>>(column: &'a dyn Array) -> Ids<'a> {
    let values = column.as_primitive::<T>().values();
    valid(column, move |row| {
        let value: i64 = values[row].into();
        u64::try_from(value).map_or(Cell::Negative(value), Cell::Integer)
    })
}

fn unsigned(column: &dyn Array) -> Ids<'_> {
    let values = column.as_primitive::<UInt64Type>().values();
    valid(column, move |row| Cell::Integer(values[row]))
}

fn of_dictionary(column: &dyn Array) -> Option<Ids<'_>> {
    let dictionary = column.as_any_dictionary_opt()?;
    if dictionary.values().is_empty() {
        return Some(Box::new(|_| Cell::Null));
    }
    let values = ids(dictionary.values().as_ref())?;
    let keys = dictionary.normalized_keys();
    Some(valid(column, move |row| values(keys[row])))
}

/// Returns a reader of the weights in `column`; `None` if its type is not a weight type.
pub(crate) fn weights(column: &dyn Array) -> Option<Weights<'_>> {
    Some(match column.data_type() {
        DataType::Float16 => floats::<Float16Type>(column),
        DataType::Float32 => floats::<Float32Type>(column),
        DataType::Float64 => doubles(column),
        DataType::Int8 => whole::<Int8Type>(column),
        DataType::Int16 => whole::<Int16Type>(column),
        DataType::Int32 => whole::<Int32Type>(column),
        DataType::Int64 => whole::<Int64Type>(column),
        DataType::UInt8 => whole::<UInt8Type>(column),
        DataType::UInt16 => whole::<UInt16Type>(column),
        DataType::UInt32 => whole::<UInt32Type>(column),
        DataType::UInt64 => whole::<UInt64Type>(column),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(column, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(column, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(column, *scale),
        _ => return None,
    })
}

/// Function that reads a row of a time column.
pub(crate) type Times<'a> = Box<dyn Fn(usize) -> Result<i64, String> + 'a>;

/// Returns a reader of the times in `column`; `None` if its type is not a time type.
pub(crate) fn times(column: &dyn Array, rule: TimeRule) -> Option<Times<'_>> {
    use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    match column.data_type() {
        DataType::Timestamp(Second, _) => Some(instants::<TimestampSecondType>(column, TimeUnit::Seconds)),
        DataType::Timestamp(Millisecond, _) => {
            Some(instants::<TimestampMillisecondType>(column, TimeUnit::Milliseconds))
        }
        DataType::Timestamp(Microsecond, _) => {
            Some(instants::<TimestampMicrosecondType>(column, TimeUnit::Microseconds))
        }
        DataType::Timestamp(Nanosecond, _) => Some(instants::<TimestampNanosecondType>(column, TimeUnit::Nanoseconds)),
        DataType::Date64 => Some(instants::<Date64Type>(column, TimeUnit::Milliseconds)),
        DataType::Date32 => {
            let days = column.as_primitive::<Date32Type>();
            Some(Box::new(move |row| {
                let seconds = days.is_valid(row).then(|| i64::from(days.value(row)) * 86_400);
                seconds.and_then(|seconds| TimeUnit::Seconds.instant(seconds)).ok_or_else(no_time)
            }))
        }
        _ => {
            let cells = ids(column)?;
            Some(Box::new(move |row| match cells(row) {
                Cell::Null => Err(no_time()),
                Cell::Integer(number) => i64::try_from(number)
                    .ok()
                    .and_then(|number| rule.of_number(number))
                    .ok_or_else(|| format!("found the time {number}, which does not fit 64 bits")),
                Cell::Negative(number) => {
                    rule.of_number(number).ok_or_else(|| format!("found the time {number}, which does not fit 64 bits"))
                }
                Cell::Text(text) => rule.parse(text).map_err(|expected| format!("found {text:?}, {expected}")),
            }))
        }
    }
}

fn instants<'a, T: ArrowPrimitiveType<Native = i64>>(column: &'a dyn Array, unit: TimeUnit) -> Times<'a> {
    let counts = column.as_primitive::<T>();
    Box::new(move |row| {
        let count = counts.is_valid(row).then(|| counts.value(row));
        count.and_then(|count| unit.instant(count)).ok_or_else(no_time)
    })
}

fn no_time() -> String {
    "found null, or a time that does not fit 64 bits of microseconds; expected a time".to_owned()
}

fn weighted<'a, W: Into<ReadWeight>>(column: &'a dyn Array, weight: impl Fn(usize) -> W + 'a) -> Weights<'a> {
    match column.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => Box::new(move |row| Some(weight(row).into())),
        Some(nulls) => Box::new(move |row| nulls.is_valid(row).then(|| weight(row).into())),
    }
}

fn floats<'a, T: ArrowPrimitiveType<Native: Into<f32>>>(column: &'a dyn Array) -> Weights<'a> {
    let values = column.as_primitive::<T>().values();
    weighted(column, move |row| {
        let value: f32 = values[row].into();
        f64::from(value)
    })
}

fn doubles(column: &dyn Array) -> Weights<'_> {
    let values = column.as_primitive::<Float64Type>().values();
    weighted(column, move |row| values[row])
}

fn whole<'a, T: ArrowPrimitiveType<Native: Into<i128>>>(column: &'a dyn Array) -> Weights<'a> {
    let values = column.as_primitive::<T>().values();
    weighted(column, move |row| {
        let value: i128 = values[row].into();
        value
    })
}

fn decimals<'a, T: ArrowPrimitiveType<Native: Into<i128>>>(column: &'a dyn Array, scale: i8) -> Weights<'a> {
    let values = column.as_primitive::<T>().values();
    let unit = 10f64.powi(i32::from(scale));
    let whole = u32::try_from(scale).ok().and_then(|scale| 10_i128.checked_pow(scale));
    weighted(column, move |row| {
        let value: i128 = values[row].into();
        match whole.filter(|whole| value % whole == 0) {
            Some(whole) => ReadWeight::from(value / whole),
            None => ReadWeight::from(value as f64 / unit),
        }
    })
}
