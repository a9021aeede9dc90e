//! CSV and TSV according to RFC 4180, with line feeds.
//!
//! An empty cell is a null; an empty string is `""`. Infinities are `inf` and `-inf`, and NaN is `NaN`. A string is
//! quoted unless every reader reads it unchanged ([`is_plain`]) and it is not a column name, so a quoted cell is a
//! string regardless of its content.

use super::column::{Cell, Column};
use super::encoder::LineFormat;
use super::text::{put_boolean, put_float, put_integer};
use arrow_schema::Schema;

/// Cells between delimiters.
pub(super) struct Delimited {
    delimiter: u8,
    names: Vec<String>,
}

impl Delimited {
    pub(super) fn new(delimiter: u8, schema: &Schema) -> Self {
        Self { delimiter, names: schema.fields().iter().map(|field| field.name().clone()).collect() }
    }

    #[inline]
    fn put(&self, cell: Option<Cell<'_>>, out: &mut Vec<u8>) {
        match cell {
            Some(Cell::Unsigned(number)) => put_integer(number, out),
            Some(Cell::Signed(number)) => put_integer(number, out),
            Some(Cell::Single(number)) => put_float(number, out),
            Some(Cell::Double(number)) => put_float(number, out),
            Some(Cell::Boolean(value)) => put_boolean(value, out),
            // A row with only column names would be a repeated header.
            Some(Cell::Text(text)) => self.put_text(text, self.names.iter().all(|name| name != text), out),
            // Most readers do not treat an empty line as a row.
            None if self.names.len() == 1 => out.extend_from_slice(b"\"\""),
            None => {}
        }
    }

    fn put_text(&self, text: &str, free: bool, out: &mut Vec<u8>) {
        if free && is_plain(text) && !text.as_bytes().contains(&self.delimiter) {
            return out.extend_from_slice(text.as_bytes());
        }
        out.push(b'"');
        for (position, part) in text.split('"').enumerate() {
            out.extend_from_slice(if position == 0 { b"" } else { b"\"\"" });
            out.extend_from_slice(part.as_bytes());
        }
        out.push(b'"');
    }

    fn separate(&self, position: usize, out: &mut Vec<u8>) {
        if position > 0 {
            out.push(self.delimiter);
        }
    }
}

/// Returns true if a string reads back unchanged without quotes. It starts with a letter, so it is neither a number nor
/// a comment; it has no separator, quote, control character or trailing blank; and it is not a word for a missing value
/// or a number.
fn is_plain(text: &str) -> bool {
    let begins_with_letter = text.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    let special = |byte: u8| byte.is_ascii_control() || matches!(byte, b'"' | b',' | b';' | b'|');
    let word = |word: &str| text.eq_ignore_ascii_case(word);
    begins_with_letter
        && !text.bytes().any(special)
        && !text.ends_with(char::is_whitespace)
        && !["na", "n/a", "nan", "null", "none", "nil", "inf", "infinity", "true", "false"].into_iter().any(word)
}

impl LineFormat for Delimited {
    fn header(&self, out: &mut Vec<u8>) {
        for (position, name) in self.names.iter().enumerate() {
            self.separate(position, out);
            self.put_text(name, true, out);
        }
        out.push(b'\n');
    }

    #[inline]
    fn line(&self, columns: &[Column<'_>], row: usize, out: &mut Vec<u8>) {
        for (position, column) in columns.iter().enumerate() {
            self.separate(position, out);
            self.put(column.cell(row), out);
        }
        out.push(b'\n');
    }
}
