//! Splits a line into fields: at runs of blanks, or at one character with support for quoted fields.

use memchr::{memchr, memchr2};
use outcrop_types::length_from;
use std::borrow::Cow;

/// Separator of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Any run of spaces and tabs.
    Blanks,
    /// The given byte; blanks around a field are not part of the field.
    At(u8),
}

impl Split {
    /// No separator: the whole line is one field.
    pub(crate) const WHOLE_LINE: Self = Self::At(b'\n');

    /// Returns a description of the separator.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Blanks => "blanks".to_owned(),
            Self::At(b'\t') => "a tab".to_owned(),
            Self::WHOLE_LINE => "the end of the line".to_owned(),
            Self::At(byte) => format!("`{}`", char::from(byte)),
        }
    }
}

/// Fault of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineError {
    /// Column in bytes, starting at 1.
    pub(crate) column: u64,
    pub(crate) message: String,
}

impl LineError {
    pub(crate) fn at(position: usize, message: impl Into<String>) -> Self {
        Self { column: length_from(position) + 1, message: message.into() }
    }
}

/// A field and its offset in the line.
#[derive(Debug)]
pub(crate) struct Field<'l> {
    pub(crate) text: Cow<'l, [u8]>,
    pub(crate) position: usize,
    /// True if the field was quoted: it is a string regardless of its content.
    pub(crate) quoted: bool,
}

/// Iterator over the fields of a line without its line end.
pub(crate) struct Fields<'l> {
    line: &'l [u8],
    at: Option<usize>,
    split: Split,
}

impl<'l> Fields<'l> {
    pub(crate) const fn new(line: &'l [u8], split: Split) -> Self {
        Self { line, at: Some(0), split }
    }

    fn rest(&self, at: usize) -> &'l [u8] {
        &self.line[at..]
    }

    fn next_between_blanks(&mut self, at: usize) -> Option<Field<'l>> {
        let rest = self.rest(at);
        let start = at + rest.iter().position(|byte| !is_blank(*byte))?;
        let text = self.rest(start);
        if let Some(length) = quoted_length(text) {
            self.at = Some(start + length);
            let inner = &text[1..length - 1];
            let inner = if inner.contains(&b'"') { Cow::Owned(without_doubled(inner)) } else { Cow::Borrowed(inner) };
            return Some(Field { text: inner, position: start, quoted: true });
        }
        let mut length = memchr2(b' ', b'\t', text).unwrap_or(text.len());
        if is_date(&text[..length]) {
            length += time_of_day(&text[length..]);
        }
        self.at = Some(start + length);
        Some(Field { text: Cow::Borrowed(&text[..length]), position: start, quoted: false })
    }

    fn next_at(&mut self, at: usize, separator: u8) -> Result<Field<'l>, LineError> {
        let rest = self.rest(at);
        let blank = rest.iter().take_while(|byte| is_blank(**byte) && **byte != separator).count();
        if rest.get(blank) == Some(&b'"') {
            return self.next_quoted(at + blank, separator);
        }
        let length = memchr(separator, rest).unwrap_or(rest.len());
        self.at = (length < rest.len()).then_some(at + length + 1);
        let text = Cow::Borrowed(rest[..length].trim_ascii());
        Ok(Field { text, position: at + blank.min(length), quoted: false })
    }

    /// Returns a field that starts with a quote at `open`; two quotes within it stand for one.
    fn next_quoted(&mut self, open: usize, separator: u8) -> Result<Field<'l>, LineError> {
        let mut from = open + 1;
        let mut doubled = false;
        let close = loop {
            let Some(quote) = memchr(b'"', self.rest(from)) else {
                return Err(LineError::at(open, "found an unclosed quote; it must end on the same line"));
            };
            from += quote + 1;
            if self.line.get(from) != Some(&b'"') {
                break from - 1;
            }
            doubled = true;
            from += 1;
        };
        self.pass_separator(close + 1, separator)?;
        let text = &self.line[open + 1..close];
        let text = if doubled { Cow::Owned(without_doubled(text)) } else { Cow::Borrowed(text) };
        Ok(Field { text, position: open, quoted: true })
    }

    fn pass_separator(&mut self, at: usize, separator: u8) -> Result<(), LineError> {
        let rest = self.rest(at);
        let blank = rest.iter().take_while(|byte| is_blank(**byte) && **byte != separator).count();
        self.at = match rest.get(blank) {
            None => None,
            Some(byte) if *byte == separator => Some(at + blank + 1),
            Some(_) => {
                let expected = self.split.name();
                return Err(LineError::at(at + blank, format!("found text after a quoted field, expected {expected}")));
            }
        };
        Ok(())
    }
}

impl<'l> Iterator for Fields<'l> {
    type Item = Result<Field<'l>, LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at?;
        match self.split {
            Split::Blanks => self.next_between_blanks(at).map(Ok),
            Split::At(separator) => Some(self.next_at(at, separator).inspect_err(|_| self.at = None)),
        }
    }
}

/// Returns the length of a field that starts with a quote, up to the quote before a blank or the end; `None` for other
/// fields.
fn quoted_length(text: &[u8]) -> Option<usize> {
    let mut from = usize::from(text.starts_with(b"\""));
    while from > 0 {
        from += memchr(b'"', &text[from..])? + 1;
        match text.get(from) {
            Some(b'"') => from += 1,
            Some(byte) if !is_blank(*byte) => return None,
            _ => return Some(from),
        }
    }
    None
}

/// Returns true for `2024-01-31` and `2024/01/31`.
fn is_date(field: &[u8]) -> bool {
    field.len() == 10
        && field[4] == field[7]
        && b"-/.".contains(&field[4])
        && field.iter().enumerate().all(|(place, byte)| matches!(place, 4 | 7) || byte.is_ascii_digit())
}

/// Returns the length of the time of day after a date, including the blanks in between and the UTC offset; 0 if absent.
fn time_of_day(rest: &[u8]) -> usize {
    let word = |from: usize| -> Option<(usize, &[u8])> {
        let start = from + rest.get(from..)?.iter().position(|byte| !is_blank(*byte))?;
        let end = memchr2(b' ', b'\t', &rest[start..]).map_or(rest.len(), |length| start + length);
        Some((end, &rest[start..end]))
    };
    let signs = |word: &[u8]| word.iter().all(|byte| byte.is_ascii_digit() || b":.,+-Z".contains(byte));
    let clock = |word: &[u8]| word.len() > 4 && word[2] == b':' && word[0].is_ascii_digit() && signs(word);
    let zone = |word: &[u8]| {
        [&b"UTC"[..], b"AM", b"PM"].contains(&word) || word.len() > 4 && b"+-".contains(&word[0]) && signs(word)
    };
    let Some((end, _)) = word(0).filter(|(_, word)| clock(word)) else { return 0 };
    word(end).filter(|(_, word)| zone(word)).map_or(end, |(end, _)| end)
}

/// Returns the line of `text` that starts at `at`, without its end, and the start of the next line.
#[inline]
pub(crate) fn line_at(text: &[u8], at: usize) -> (&[u8], usize) {
    let rest = &text[at..];
    let length = memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..length];
    (line.strip_suffix(b"\r").unwrap_or(line), at + length + 1)
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(crate) fn is_blank_line(line: &[u8]) -> bool {
    line.iter().all(|byte| is_blank(*byte) || *byte == b'\r')
}

fn without_doubled(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        plain.push(*byte);
        if *byte == b'"' {
            bytes.next();
        }
    }
    plain
}

/// Returns the found text, shortened for a message.
pub(crate) fn shown(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let part = text.get(..LONGEST).unwrap_or(text);
    let more = if part.len() < text.len() { "..." } else { "" };
    let escaped = |sign: char| if "\"'".contains(sign) { sign.to_string() } else { sign.escape_debug().to_string() };
    format!("`{}{more}`", String::from_utf8_lossy(part).chars().map(escaped).collect::<String>())
}
