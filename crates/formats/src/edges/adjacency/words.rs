//! Reader of a text word by word, with lines of any length.

use crate::edges::input::TextStream;
use crate::edges::text::{is_blank, shown, whole_number};
use outcrop_types::{Error, LONGEST_ID, Location, Result};

/// Bytes of text read at once.
pub(super) const BUFFER: usize = 128 << 10;

/// Next part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A word, stored in `Words::word`.
    Word,
    LineEnd,
    End,
}

/// Text split into words.
pub(super) struct Words {
    pub(super) stream: TextStream,
    buffer: Vec<u8>,
    at: usize,
    /// Separator; `None` for blanks. With a separator, no field may be empty.
    pub(super) separator: Option<u8>,
    /// True if a field must follow: at the start of a line, and after a separator.
    field_follows: bool,
    pub(super) word: Vec<u8>,
    line: u64,
    column: u64,
    /// Line and column of the last word.
    pub(super) place: (u64, u64),
    pub(super) comments: u64,
    pub(super) blank_lines: u64,
}

impl Words {
    pub(super) fn of(stream: TextStream) -> Self {
        let (line, column, place) = (1, 1, (1, 1));
        let (buffer, word) = (Vec::new(), Vec::new());
        let (separator, field_follows) = (None, true);
        Self { stream, buffer, at: 0, separator, field_follows, word, line, column, place, comments: 0, blank_lines: 0 }
    }

    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        if self.at == self.buffer.len() {
            self.buffer.resize(BUFFER, 0);
            let count = self.stream.read(&mut self.buffer)?;
            self.buffer.truncate(count);
            self.at = 0;
        }
        Ok(self.buffer.get(self.at).copied())
    }

    fn step(&mut self) {
        self.at += 1;
        self.column += 1;
    }

    fn end_line(&mut self) {
        self.at += 1;
        (self.line, self.column, self.field_follows) = (self.line + 1, 1, true);
    }

    /// Skips a byte; returns an error at a carriage return inside a line.
    fn pass(&mut self, byte: u8) -> Result<()> {
        let place = (self.line, self.column);
        self.step();
        if byte == b'\r' && self.peek()?.is_some_and(|next| next != b'\n') {
            self.place = place;
            return Err(self.wrong("found a carriage return inside a line, expected a line feed"));
        }
        Ok(())
    }

    /// Skips the rest of a line and its end.
    pub(super) fn pass_line(&mut self) -> Result<()> {
        while let Some(byte) = self.peek()?.filter(|byte| *byte != b'\n') {
            self.pass(byte)?;
        }
        if self.peek()?.is_some() {
            self.end_line();
        }
        Ok(())
    }

    /// Skips blank lines and lines that start with one of `comments`; returns `false` at the end of the text.
    pub(super) fn find_line(&mut self, comments: &[u8]) -> Result<bool> {
        loop {
            while let Some(byte) = self.peek()?.filter(|byte| self.is_skipped(*byte)) {
                self.pass(byte)?;
            }
            match self.peek()? {
                None => return Ok(false),
                Some(b'\n') => {
                    self.blank_lines += 1;
                    self.end_line();
                }
                Some(_) if !self.pass_comment(comments)? => return Ok(true),
                Some(_) => {}
            }
        }
    }

    /// Skips the line if it starts with one of `comments`, otherwise returns `false`.
    pub(super) fn pass_comment(&mut self, comments: &[u8]) -> Result<bool> {
        let is_comment = self.peek()?.is_some_and(|byte| comments.contains(&byte));
        if is_comment {
            self.comments += 1;
            self.pass_line()?;
        }
        Ok(is_comment)
    }

    /// Returns the next word of a line; skips the end of the line.
    pub(super) fn next(&mut self) -> Result<Part> {
        loop {
            let found = self.peek()?;
            let ends_field = found.is_none_or(|byte| byte == b'\n' || self.separator == Some(byte));
            if ends_field && self.field_follows && self.separator.is_some() {
                self.place = (self.line, self.column);
                return Err(self.wrong("found an empty field, expected an ID"));
            }
            match found {
                None => return Ok(Part::End),
                Some(b'\n') => {
                    self.end_line();
                    return Ok(Part::LineEnd);
                }
                Some(_) if ends_field => {
                    self.field_follows = true;
                    self.step();
                }
                Some(byte) if self.is_skipped(byte) => self.pass(byte)?,
                Some(_) => return self.read_word(),
            }
        }
    }

    /// Returns true for blanks that do not separate fields, and for carriage returns.
    fn is_skipped(&self, byte: u8) -> bool {
        self.separator != Some(byte) && (is_blank(byte) || byte == b'\r')
    }

    fn read_word(&mut self) -> Result<Part> {
        self.word.clear();
        self.field_follows = false;
        self.place = (self.line, self.column);
        let separator = self.separator;
        let ends = |byte: u8| b"\r\n".contains(&byte) || separator.map_or_else(|| is_blank(byte), |own| own == byte);
        while let Some(byte) = self.peek()?.filter(|byte| !ends(*byte)) {
            if byte == 0 {
                return Err(self.wrong("found a NUL byte, expected text; is this a binary file?"));
            }
            if self.word.len() == LONGEST_ID {
                return Err(self.wrong(&format!("found a word of more than {LONGEST_ID} bytes, expected an ID")));
            }
            self.word.push(byte);
            self.step();
        }
        let length = self.word.trim_ascii_end().len();
        self.word.truncate(length);
        Ok(Part::Word)
    }

    /// Returns the last word as an ID of at most `largest`.
    pub(super) fn number(&self, smallest: u64, largest: u64) -> Result<u64> {
        whole_number(&self.word).filter(|id| (smallest..=largest).contains(id)).ok_or_else(|| {
            let found = shown(&self.word);
            self.wrong(&format!("found {found}, expected an integer from {smallest} to {largest}"))
        })
    }

    /// Returns an error at the last word.
    pub(super) fn wrong(&self, message: &str) -> Error {
        Error::bad_input(Location::at(&self.stream.name, self.place.0, self.place.1), message)
    }

    /// Returns the number of lines started so far.
    pub(super) fn lines(&self) -> u64 {
        self.line - u64::from(self.column == 1)
    }
}
