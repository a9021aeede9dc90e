//! Lines with two cells, and the locations of errors in them.

use super::node::{NodeKey, Range};
use outcrop_types::{Error, Location, Result, length_from};
use std::borrow::Cow;

/// A line without its end.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) number: u64,
    file: &'a str,
    /// Bytes before `text` that are not part of it: a byte order mark.
    skipped: usize,
}

/// Cell without its quotes.
pub(super) struct Cell<'a> {
    pub(super) text: Cow<'a, str>,
    /// Start of the next cell, if any.
    pub(super) next: Option<usize>,
    start: usize,
    quoted: bool,
}

impl<'a> Line<'a> {
    /// Creates line `number` from bytes that may end in a line feed with or without a carriage return.
    pub(super) fn new(bytes: &'a [u8], file: &'a str, number: u64) -> Result<Self> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let marked = if number == 1 { bytes.strip_prefix(b"\xef\xbb\xbf") } else { None };
        let rest = marked.unwrap_or(bytes);
        let line = Self { text: "", number, file, skipped: bytes.len() - rest.len() };
        let text = str::from_utf8(rest).map_err(|error| line.error(error.valid_up_to(), "invalid UTF-8"))?;
        match text.find(['\0', '\r']) {
            Some(place) => Err(line.error(place, "invalid control character")),
            None => Ok(Self { text, ..line }),
        }
    }

    /// Returns the cell that starts at byte `start`.
    pub(super) fn cell(&self, start: usize, delimiter: u8) -> Result<Cell<'a>> {
        let rest = &self.text[start..];
        let quoted = rest.starts_with('"');
        let length =
            if quoted { self.quoted_length(start)? } else { rest.find(char::from(delimiter)).unwrap_or(rest.len()) };
        let next = match rest.as_bytes().get(length) {
            None => None,
            Some(byte) if *byte == delimiter => Some(start + length + 1),
            Some(_) => return Err(self.error(start + length, "expected the end of the cell after its closing quote")),
        };
        let text = match quoted {
            true => Cow::Owned(rest[1..length - 1].replace("\"\"", "\"")),
            false => Cow::Borrowed(&rest[..length]),
        };
        Ok(Cell { text, next, start, quoted })
    }

    /// Returns the number of bytes from the quote at `start` to the closing one, inclusive.
    fn quoted_length(&self, start: usize) -> Result<usize> {
        let bytes = &self.text.as_bytes()[start..];
        let mut place = 1;
        while let Some(byte) = bytes.get(place) {
            match (byte, bytes.get(place + 1)) {
                (b'"', Some(b'"')) => place += 2,
                (b'"', _) => return Ok(place + 1),
                _ => place += 1,
            }
        }
        Err(self.error(start, "the quote is not closed on its line"))
    }

    /// Parses the cell as a string ID; an empty ID must be quoted.
    pub(super) fn text_id(&self, cell: &Cell<'_>) -> Result<NodeKey> {
        if cell.text.is_empty() && !cell.quoted {
            return Err(self.error(cell.start, "found nothing, expected an ID"));
        }
        let text = if cell.quoted { &*cell.text } else { cell.text.trim_ascii() };
        Ok(NodeKey::Text(text.to_owned()))
    }

    /// Parses the cell as an integer that consists of digits only.
    pub(super) fn integer_id(&self, cell: &Cell<'_>) -> Result<NodeKey> {
        let digits = cell.text.trim_matches(' ');
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| plain);
        let message = || format!("expected an ID from 0 to {}, found `{}`", u64::MAX, shortened(&cell.text));
        number.map(NodeKey::Integer).ok_or_else(|| self.error(cell.start, message()))
    }

    /// Parses the cell as a finite number in `range`.
    pub(super) fn value(&self, cell: &Cell<'_>, range: Range) -> Result<f64> {
        let value = cell.text.trim_matches(' ').parse::<f64>().ok();
        let message = || format!("expected {}, found `{}`", range.expected(), shortened(&cell.text));
        value.filter(|value| range.holds(*value)).ok_or_else(|| self.error(cell.start, message()))
    }

    /// Returns an error at byte `place` of the text.
    pub(super) fn error(&self, place: usize, message: impl Into<String>) -> Error {
        let column = length_from(self.skipped + place) + 1;
        Error::bad_input(Location::at(self.file, self.number, column), message)
    }
}

/// Returns the start of a text, for messages.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
