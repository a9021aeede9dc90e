//! The file of vertex ids: `--vertices`.

use crate::edges::input::{Origin, Progress, READ_AHEAD};
use crate::edges::text::{
    Block, BlockSizes, Lines, Listing, Skipped, Tally, TextFile, TextInput, check_name, first_field, overlong, parse_id,
};
use crate::edges::{EdgeFormat, EdgeInput, EdgeListOptions, IdRule, OpenedEdges};
use crate::remote::Client;
use outcrop_store::writing::{IdBatch, IdKind, VertexSource};
use outcrop_types::{Error, Location, MemoryBudget, Purpose, Reservation, Result};
use std::collections::VecDeque;
use std::io::Read;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Bytes that reading ids takes from the budget, beside the window of zstd.
pub const fn vertex_buffer_bytes() -> u64 {
    let sizes = BlockSizes::usual();
    (2 * sizes.longest_line + 9 * sizes.block + 2 * READ_AHEAD) as u64
}

/// The ids in `input`: the first field of every line that is neither empty nor a comment. Of `options`, what concerns edges is left aside.
///
/// # Errors
/// A file that is missing or cannot be read; a budget without room for [`vertex_buffer_bytes`].
pub fn open_vertices(
    input: &EdgeInput,
    options: &EdgeListOptions,
    budget: &MemoryBudget,
) -> Result<Box<dyn VertexSource>> {
    open(Origin::inspect(input, &Client::new(budget))?, options, budget)
}

impl OpenedEdges {
    /// The vertices that the files state, those in files beside them, and those of `input`; `None` where there are none of these.
    ///
    /// # Errors
    /// As [`open_vertices`].
    pub fn further_vertices(
        &self,
        input: Option<&EdgeInput>,
        options: &EdgeListOptions,
        budget: &MemoryBudget,
    ) -> Result<Option<Box<dyn VertexSource>>> {
        let ids = match self.source.id_kind() {
            IdKind::Integer => IdRule::Integer { largest: None },
            IdKind::Text => IdRule::Text,
        };
        let beside = EdgeListOptions { ids, ..EdgeListOptions::default() };
        let beside = self.vertex_files.iter().map(|path| open_vertices(&EdgeInput::from(path), &beside, budget));
        let mut lists = beside.collect::<Result<VecDeque<_>>>()?;
        lists.extend(input.map(|input| open_vertices(input, options, budget)).transpose()?);
        if lists.is_empty() && self.vertices.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(FurtherVertices { ranges: self.vertices.iter().cloned().collect(), lists })))
    }
}

/// As many ids of a range come at once.
const RANGE_PIECE: u64 = 1 << 13;

/// Ranges of ids, then lists of them.
struct FurtherVertices {
    ranges: VecDeque<RangeInclusive<u64>>,
    lists: VecDeque<Box<dyn VertexSource>>,
}

impl VertexSource for FurtherVertices {
    fn id_kind(&self) -> IdKind {
        let of_lists = || self.lists.iter().map(|list| list.id_kind()).find(|kind| *kind == IdKind::Text);
        of_lists().unwrap_or(IdKind::Integer)
    }

    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool> {
        while let Some(range) = self.ranges.pop_front() {
            let (first, last) = range.into_inner();
            if first > last {
                continue;
            }
            let end = last.min(first.saturating_add(RANGE_PIECE - 1));
            *batch = IdBatch::Integers((first..=end).collect());
            if end < last {
                self.ranges.push_front(end + 1..=last);
            }
            return Ok(true);
        }
        while let Some(list) = self.lists.front_mut() {
            if list.next_batch(batch)? {
                return Ok(true);
            }
            self.lists.pop_front();
        }
        batch.clear();
        Ok(false)
    }
}

/// The ids that a stream brings, called `name` in messages.
///
/// # Errors
/// As [`open_vertices`].
pub fn read_vertices(
    name: &str,
    reader: Box<dyn Read + Send>,
    options: &EdgeListOptions,
    budget: &MemoryBudget,
) -> Result<Box<dyn VertexSource>> {
    open(Origin::of_reader(name, reader)?, options, budget)
}

fn open(origin: Origin, options: &EdgeListOptions, budget: &MemoryBudget) -> Result<Box<dyn VertexSource>> {
    if let Some(format) = origin.recognised.filter(|format| *format != EdgeFormat::EdgeList) {
        let message = format!("found edges in the format {}, expected a text with one id a line", format.name());
        return Err(Error::bad_input(Location::file(origin.name), message));
    }
    let held = budget.reserve(vertex_buffer_bytes() + origin.stream_bytes(), Purpose::InputBuffers)?;
    let progress = Arc::new(Progress::default());
    let sizes = BlockSizes::usual();
    let mut text = TextInput::new([origin].into(), options, Listing::Vertices, sizes, &progress);
    let kind = text.decide_kind(options.ids.kind())?;
    let options = options.clone();
    Ok(Box::new(VertexList { text, options, kind, buffer: Vec::new(), skipped: Skipped::default(), _held: held }))
}

/// Ids on their way out of a text.
struct VertexList {
    text: TextInput,
    options: EdgeListOptions,
    kind: IdKind,
    buffer: Vec<u8>,
    skipped: Skipped,
    _held: Reservation,
}

impl VertexSource for VertexList {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool> {
        *batch = match (std::mem::replace(batch, IdBatch::empty(self.kind)), self.kind) {
            (IdBatch::Integers(ids), IdKind::Integer) => IdBatch::Integers(ids),
            (IdBatch::Texts { bytes, ends }, IdKind::Text) => IdBatch::Texts { bytes, ends },
            (_, kind) => IdBatch::empty(kind),
        };
        batch.clear();
        while let Some((block, file)) = self.text.next_block(std::mem::take(&mut self.buffer))? {
            let tally = parse_ids(&block, &file, batch)?;
            self.buffer = block.into_buffer();
            self.skipped.add(&tally, self.options.on_error)?;
            if !batch.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn parse_ids(block: &Block, file: &TextFile, batch: &mut IdBatch) -> Result<Tally> {
    let mut tally = Tally::default();
    if let Some(offset) = block.overlong_at {
        file.bad_line(block.first_line, overlong(offset), &mut tally)?;
    }
    let mut lines = Lines::of(block);
    while !lines.at_end() {
        let number = lines.number;
        let pushed = first_field(lines.next_line(), &file.syntax).and_then(|field| match (field, &mut *batch) {
            (None, _) => Ok(()),
            (Some(field), IdBatch::Integers(ids)) => parse_id(&field, &file.syntax).map(|id| ids.push(id)),
            (Some(field), IdBatch::Texts { bytes, ends }) => check_name(&field).map(|()| {
                bytes.extend_from_slice(&field.text);
                ends.push(bytes.len());
            }),
        });
        if let Err(wrong) = pushed {
            file.bad_line(number, wrong, &mut tally)?;
        }
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::OnError;
    use std::io::Cursor;

    fn read(name: &str, text: &[u8], options: &EdgeListOptions) -> Result<Vec<String>> {
        let budget = MemoryBudget::new(4 << 20);
        let mut source = read_vertices(name, Box::new(Cursor::new(text.to_vec())), options, &budget)?;
        let mut whole = Vec::new();
        let mut batch = IdBatch::empty(IdKind::Text);
        while source.next_batch(&mut batch)? {
            match &batch {
                IdBatch::Integers(ids) => whole.extend(ids.iter().map(u64::to_string)),
                IdBatch::Texts { bytes, ends } => whole.push(format!("{} {ends:?}", String::from_utf8_lossy(bytes))),
            }
        }
        Ok(whole)
    }

    #[test]
    fn the_first_field_of_every_line_is_an_id() {
        let numbers = ["7", "8", "9"];
        for text in ["# c\n7\n\n8 x\n9", "7,a\r\n8,b\r\n9", "\u{feff}7|\n8\n9|x"] {
            assert_eq!(read("v.txt", text.as_bytes(), &EdgeListOptions::default()).unwrap(), numbers, "{text:?}");
        }
        assert_eq!(read("v.csv", b"id,name\n7,a\n8,b\n9,c\n", &EdgeListOptions::default()).unwrap(), numbers);
        assert_eq!(read("v", b"", &EdgeListOptions::default()).unwrap(), [""; 0]);
        assert_eq!(read("v", b"ab\n8\n", &EdgeListOptions::default()).unwrap(), ["ab8 [2, 3]"]);
    }

    #[test]
    fn bad_ids_are_refused_at_their_place_or_skipped() {
        let ids = IdRule::Integer { largest: Some(5) };
        let options = EdgeListOptions { ids, ..EdgeListOptions::default() };
        let error = read("v", b"5\n 6\n", &options).unwrap_err().to_string();
        assert_eq!(error, "v:2:2: found `6`, expected a whole number from 0 to 5");
        let options = EdgeListOptions { on_error: OnError::Skip { max_errors: 1 }, ..options };
        assert_eq!(read("v", b"5\n 6\n4", &options).unwrap(), ["5", "4"]);
        assert_eq!(read("v", b"5\n 6\nx", &options).unwrap_err().exit_code(), 3);
        assert_eq!(read("v", b"OUTCROPE", &options).unwrap_err().exit_code(), 3);
    }
}
