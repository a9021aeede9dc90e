//! Rows of two cells in a text.
//!
//! The first line that is not empty is a header if its first cell is `node`, `id` or `vertex` and its second is not a
//! number; empty lines are skipped. Cells may be quoted as in RFC 4180, within one line.

use super::line::Line;
use super::node::{NodeValue, Range};
use crate::edges::input::open_file;
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result, length_from};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Maximum length of a line, in bytes.
pub(super) const LONGEST_LINE: u64 = 1 << 20;

/// Rows per batch.
const BATCH_ROWS: usize = 1 << 12;

/// Bytes of texts after which a batch ends.
const BATCH_TEXT: usize = 256 << 10;

/// Memory of a batch and the current line, in bytes.
const BATCH_BYTES: u64 = 3 * LONGEST_LINE + length_from(BATCH_TEXT + BATCH_ROWS * size_of::<NodeValue>());

/// Text with an ID and a value per line.
pub(super) struct TextRows {
    file: BufReader<File>,
    path: PathBuf,
    name: String,
    delimiter: u8,
    ids_are_text: bool,
    range: Range,
    /// True if a line that is not empty was read: no later one is a header.
    started: bool,
    /// Number of the last line read.
    number: u64,
    bytes: Vec<u8>,
    _held: Option<Reservation>,
}

impl TextRows {
    pub(super) fn open(path: &Path, delimiter: u8, ids_are_text: bool, range: Range) -> Result<Self> {
        Ok(Self {
            file: BufReader::new(open_file(path)?),
            path: path.into(),
            name: path.display().to_string(),
            delimiter,
            ids_are_text,
            range,
            started: false,
            number: 0,
            bytes: Vec::new(),
            _held: None,
        })
    }

    /// Reserves memory for batches.
    pub(super) fn with_batches(self, budget: &MemoryBudget) -> Result<Self> {
        Ok(Self { _held: Some(budget.reserve(BATCH_BYTES, Purpose::InputBuffers)?), ..self })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn next_batch(&mut self, rows: &mut Vec<NodeValue>) -> Result<()> {
        let mut text = 0;
        while rows.len() < BATCH_ROWS && text < BATCH_TEXT {
            let Some(row) = self.next_row()? else { break };
            text += row.key.text_bytes();
            rows.push(row);
        }
        Ok(())
    }

    /// Returns the next row; `None` at the end.
    pub(super) fn next_row(&mut self) -> Result<Option<NodeValue>> {
        while self.read_line()? {
            let line = Line::new(&self.bytes, &self.name, self.number)?;
            if line.text.is_empty() {
                continue;
            }
            let first = !std::mem::replace(&mut self.started, true);
            match self.row(&line) {
                Ok(row) => return Ok(Some(row)),
                Err(_) if first && is_header(&line, self.delimiter) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Reads the next line; returns false at the end.
    fn read_line(&mut self) -> Result<bool> {
        self.bytes.clear();
        let length = self.file.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut self.bytes);
        self.number += 1;
        if length.map_err(|source| Error::io("read", &self.path, source))? == 0 {
            return Ok(false);
        }
        if length_from(self.bytes.len()) > LONGEST_LINE {
            let message = format!("the line is longer than {LONGEST_LINE} bytes");
            return Err(Error::bad_input(Location::at(&self.name, self.number, LONGEST_LINE + 1), message));
        }
        Ok(true)
    }

    fn row(&self, line: &Line<'_>) -> Result<NodeValue> {
        let id = line.cell(0, self.delimiter)?;
        let Some(next) = id.next else {
            return Err(line.error(line.text.len(), format!("expected a second column, the {}", self.range.name())));
        };
        let value = line.cell(next, self.delimiter)?;
        if let Some(third) = value.next {
            let message = format!("expected two columns, an ID and a {}, found a third one", self.range.name());
            return Err(line.error(third, message));
        }
        let key = if self.ids_are_text { line.text_id(&id) } else { line.integer_id(&id) }?;
        Ok(NodeValue { key, value: line.value(&value, self.range)?, place: line.number })
    }
}

fn is_header(line: &Line<'_>, delimiter: u8) -> bool {
    let cells = line.cell(0, delimiter).ok().and_then(|id| Some((line.cell(id.next?, delimiter).ok()?, id)));
    cells.is_some_and(|(value, id)| {
        ["node", "id", "vertex"].iter().any(|name| id.text.trim().eq_ignore_ascii_case(name))
            && value.next.is_none()
            && !value.text.trim().is_empty()
            && value.text.trim().parse::<f64>().is_err()
    })
}
