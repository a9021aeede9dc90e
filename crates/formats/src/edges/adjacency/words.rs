//! A text word by word, in lines of any length.

use crate::edges::LONGEST_NAME;
use crate::edges::input::TextStream;
use crate::edges::text::{is_blank, shown, whole_number};
use outcrop_types::{Error, Location, Result};

/// Bytes of text that are read at once.
pub(super) const BUFFER: usize = 128 << 10;

/// Next part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A word, in `Words::word`.
    Word,
    LineEnd,
    End,
}

/// A text, word by word.
pub(super) struct Words {
    pub(super) stream: TextStream,
    buffer: Vec<u8>,
    at: usize,
    /// The separator; `None` for blanks.
    pub(super) separator: Option<u8>,
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
        Self { stream, buffer, at: 0, separator: None, word, line, column, place, comments: 0, blank_lines: 0 }
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
        (self.line, self.column) = (self.line + 1, 1);
    }

    /// Passes over the rest of a line with its end.
    pub(super) fn pass_line(&mut self) -> Result<()> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.step();
        }
        if self.peek()?.is_some() {
            self.end_line();
        }
        Ok(())
    }

    /// Passes over blank lines and those that begin with one of `comments`; `false` at the end of the text.
    pub(super) fn find_line(&mut self, comments: &[u8]) -> Result<bool> {
        if self.line == 1 && self.column == 1 {
            // A byte order mark.
            while self.peek()?.is_some_and(|byte| b"\xef\xbb\xbf".contains(&byte)) {
                self.at += 1;
            }
        }
        loop {
            while self.peek()?.is_some_and(|byte| is_blank(byte) || byte == b'\r') {
                self.step();
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

    /// Passes over a line that begins with one of `comments`; `false` if it is none.
    pub(super) fn pass_comment(&mut self, comments: &[u8]) -> Result<bool> {
        let is_comment = self.peek()?.is_some_and(|byte| comments.contains(&byte));
        if is_comment {
            self.comments += 1;
            self.pass_line()?;
        }
        Ok(is_comment)
    }

    /// The next word of a line; the end of the line is passed over.
    pub(super) fn next(&mut self) -> Result<Part> {
        loop {
            match self.peek()? {
                None => return Ok(Part::End),
                Some(b'\n') => {
                    self.end_line();
                    return Ok(Part::LineEnd);
                }
                Some(byte) if self.is_between(byte) => self.step(),
                Some(_) => return self.read_word(),
            }
        }
    }

    fn is_between(&self, byte: u8) -> bool {
        is_blank(byte) || byte == b'\r' || self.separator == Some(byte)
    }

    fn read_word(&mut self) -> Result<Part> {
        self.word.clear();
        self.place = (self.line, self.column);
        let separator = self.separator;
        let ends =
            |byte: u8| byte == b'\n' || separator.map_or_else(|| is_blank(byte) || byte == b'\r', |own| own == byte);
        while let Some(byte) = self.peek()?.filter(|byte| !ends(*byte)) {
            if byte == 0 {
                return Err(self.wrong("found a NUL byte, expected text; is this a binary file?"));
            }
            if self.word.len() == LONGEST_NAME {
                return Err(self.wrong(&format!("found a word of more than {LONGEST_NAME} bytes, expected an ID")));
            }
            self.word.push(byte);
            self.step();
        }
        let length = self.word.trim_ascii_end().len();
        self.word.truncate(length);
        Ok(Part::Word)
    }

    /// The last word as an id up to `largest`.
    pub(super) fn number(&self, smallest: u64, largest: u64) -> Result<u64> {
        whole_number(&self.word).filter(|id| (smallest..=largest).contains(id)).ok_or_else(|| {
            let found = shown(&self.word);
            self.wrong(&format!("found {found}, expected an integer from {smallest} to {largest}"))
        })
    }

    /// An error at the last word.
    pub(super) fn wrong(&self, message: &str) -> Error {
        Error::bad_input(Location::at(&self.stream.name, self.place.0, self.place.1), message)
    }

    /// Lines that were begun.
    pub(super) fn lines(&self) -> u64 {
        self.line - u64::from(self.column == 1)
    }
}
