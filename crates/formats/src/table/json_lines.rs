//! JSON Lines: one JSON object per line.
//!
//! JSON has no infinities and no NaN: they are written as the strings `"Infinity"`, `"-Infinity"` and `"NaN"`, as in
//! the JSON of Protocol Buffers, because null means a missing value.

use super::column::{Cell, Column};
use super::encoder::LineFormat;
use super::text::{put_boolean, put_float, put_integer};
use arrow_schema::Schema;

/// Encoder of objects with column names as keys.
pub(super) struct JsonObjects {
    /// `{"first":` and `,"next":` for each column.
    keys: Vec<Vec<u8>>,
}

impl JsonObjects {
    pub(super) fn new(schema: &Schema) -> Self {
        let key = |(position, name): (usize, &str)| {
            let mut key = vec![if position == 0 { b'{' } else { b',' }];
            put_text(name, &mut key);
            key.push(b':');
            key
        };
        Self { keys: schema.fields().iter().map(|field| field.name().as_str()).enumerate().map(key).collect() }
    }
}

impl LineFormat for JsonObjects {
    fn header(&self, _: &mut Vec<u8>) {}

    #[inline]
    fn line(&self, columns: &[Column<'_>], row: usize, out: &mut Vec<u8>) {
        for (key, column) in self.keys.iter().zip(columns) {
            out.extend_from_slice(key);
            put(column.cell(row), out);
        }
        out.extend_from_slice(b"}\n");
    }
}

#[inline]
fn put(cell: Option<Cell<'_>>, out: &mut Vec<u8>) {
    match cell {
        None => out.extend_from_slice(b"null"),
        Some(Cell::Unsigned(number)) => put_integer(number, out),
        Some(Cell::Signed(number)) => put_integer(number, out),
        Some(Cell::Single(number)) if number.is_finite() => put_float(number, out),
        Some(Cell::Single(number)) => put_unbounded(number.into(), out),
        Some(Cell::Double(number)) if number.is_finite() => put_float(number, out),
        Some(Cell::Double(number)) => put_unbounded(number, out),
        Some(Cell::Boolean(value)) => put_boolean(value, out),
        Some(Cell::Text(text)) => put_text(text, out),
    }
}

fn put_unbounded(number: f64, out: &mut Vec<u8>) {
    let sign = if number == f64::NEG_INFINITY { "-" } else { "" };
    let name = if number.is_nan() { "NaN" } else { "Infinity" };
    out.extend_from_slice(format!("\"{sign}{name}\"").as_bytes());
}

/// Appends a JSON string.
fn put_text(text: &str, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    _ = serde_json::to_writer(out, text);
}
