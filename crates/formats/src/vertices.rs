//! Files of vertex IDs: `--vertices`.

use crate::edges::columnar::{open_arrow, open_parquet};
use crate::edges::input::{Origin, Progress, READ_AHEAD};
use crate::edges::reader::{FileReader, OpenReader, ReaderContext};
use crate::edges::text::{
    Block, BlockSizes, Lines, Listing, Oddity, Skipped, Tally, TextFile, TextInput, check_name, first_field, is_padded,
    overlong, parse_id,
};
use crate::edges::{EdgeFormat, EdgeInput, EdgeListOptions, OpenedEdges};
use crate::remote::Client;
use outcrop_store::writing::{EdgeBatch, IdBatch, IdKind, VertexSource};
use outcrop_types::{Error, FileSummary, Location, MemoryBudget, Purpose, Reservation, Result, length_from};
use std::collections::VecDeque;
use std::io::Read;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Returns the bytes that reading IDs reserves from the budget, without the zstd window.
pub const fn vertex_buffer_bytes() -> u64 {
    let sizes = BlockSizes::usual();
    (2 * sizes.longest_line + 9 * sizes.block + 2 * READ_AHEAD) as u64
}

/// Opens the IDs in `input`: a column of a table (`.csv`, `.tsv`), the first field of lines that start with integers,
/// or otherwise whole lines. Empty lines and comments are skipped. `kind` is the kind of IDs if the options do not set
/// it. Options that concern edges are ignored.
///
/// # Errors
///
/// Returns an error if the file is missing or unreadable, or if the budget cannot hold [`vertex_buffer_bytes`].
pub fn open_vertices(
    input: &EdgeInput,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
    budget: &MemoryBudget,
) -> Result<Box<dyn VertexSource>> {
    open(Origin::inspect(input, &Client::new(budget))?, options, kind, budget)
}

/// Opens the IDs in `input` as strings, including integers of a table; every line is an ID, also comments.
///
/// # Errors
///
/// Returns an error under the same conditions as [`open_vertices`].
pub fn open_names(input: &EdgeInput, budget: &MemoryBudget) -> Result<Box<dyn VertexSource>> {
    let options = EdgeListOptions { comments: Vec::new(), ..EdgeListOptions::default() };
    let origin = Origin::inspect(input, &Client::new(budget))?;
    match origin.recognized {
        Some(EdgeFormat::Parquet | EdgeFormat::Arrow) => Ok(Box::new(AsTexts(open(origin, &options, None, budget)?))),
        _ => open(origin, &options, Some(IdKind::Text), budget),
    }
}

/// IDs converted to strings.
struct AsTexts(Box<dyn VertexSource>);

impl VertexSource for AsTexts {
    fn id_kind(&self) -> IdKind {
        IdKind::Text
    }

    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool> {
        let mut ids = IdBatch::empty(self.0.id_kind());
        let more = self.0.next_batch(&mut ids)?;
        *batch = IdBatch::empty(IdKind::Text);
        (0..ids.len()).for_each(|place| batch.push_from(&ids, place));
        Ok(more)
    }

    fn summary(&self) -> Vec<FileSummary> {
        self.0.summary()
    }
}

impl OpenedEdges {
    /// Opens the vertices that the files state, those in companion files, and those of `input`; returns `None` if there
    /// are none.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`open_vertices`].
    pub fn further_vertices(
        &self,
        input: Option<&EdgeInput>,
        options: &EdgeListOptions,
        budget: &MemoryBudget,
    ) -> Result<Option<Box<dyn VertexSource>>> {
        let kind = Some(self.source.id_kind());
        let beside = EdgeListOptions::default();
        let beside = self.vertex_files.iter().map(|path| open_vertices(&EdgeInput::from(path), &beside, kind, budget));
        let mut lists = beside.collect::<Result<VecDeque<_>>>()?;
        lists.extend(input.map(|input| open_vertices(input, options, kind, budget)).transpose()?);
        if lists.is_empty() && self.vertices.is_empty() {
            return Ok(None);
        }
        let ranges = self.vertices.iter().cloned().collect();
        Ok(Some(Box::new(FurtherVertices { ranges, lists, ended: Vec::new() })))
    }
}

/// Maximum number of IDs of a range per batch.
const RANGE_PIECE: u64 = 1 << 13;

/// Source of vertex IDs: ranges first, then lists.
struct FurtherVertices {
    ranges: VecDeque<RangeInclusive<u64>>,
    lists: VecDeque<Box<dyn VertexSource>>,
    /// Summaries of the completed lists.
    ended: Vec<FileSummary>,
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
            self.ended.extend(self.lists.pop_front().into_iter().flat_map(|list| list.summary()));
        }
        batch.clear();
        Ok(false)
    }

    fn summary(&self) -> Vec<FileSummary> {
        self.ended.clone()
    }
}

/// Opens the IDs of a stream, which messages call `name`.
///
/// # Errors
///
/// Returns an error under the same conditions as [`open_vertices`].
pub fn read_vertices(
    name: &str,
    reader: Box<dyn Read + Send>,
    options: &EdgeListOptions,
    budget: &MemoryBudget,
) -> Result<Box<dyn VertexSource>> {
    open(Origin::of_reader(name, reader)?, options, None, budget)
}

fn open(
    origin: Origin,
    options: &EdgeListOptions,
    kind: Option<IdKind>,
    budget: &MemoryBudget,
) -> Result<Box<dyn VertexSource>> {
    origin.refuse_foreign(options)?;
    let table: Option<OpenReader> = match origin.recognized {
        Some(EdgeFormat::Parquet) => Some(open_parquet),
        Some(EdgeFormat::Arrow) => Some(open_arrow),
        Some(format) if format != EdgeFormat::EdgeList => {
            let message = format!("found edges in the format {}, expected IDs in a text file or table", format.name());
            return Err(Error::bad_input(Location::file(origin.name), message));
        }
        _ => None,
    };
    if let Some(open) = table {
        let (progress, listing, kind) = (&Arc::default(), Listing::Vertices, options.ids.kind().or(kind));
        let context = ReaderContext { options, progress, listing, budget, kind };
        let reader = open(origin, &context)?;
        // Default: a table states the kind of its IDs.
        let kind = reader.declared_facts().id_kind.unwrap_or(IdKind::Integer);
        return Ok(Box::new(VertexTable { reader, kind, batch: EdgeBatch::empty(kind) }));
    }
    let held = budget.reserve(vertex_buffer_bytes() + origin.stream_bytes(), Purpose::InputBuffers)?;
    let progress = Arc::new(Progress::default());
    let sizes = BlockSizes::usual();
    let mut text = TextInput::new([origin].into(), options, Listing::Vertices, sizes, &progress);
    let kind = text.decide_kind(options.ids.kind().or(kind))?;
    let options = options.clone();
    let (skipped, account) = (Skipped::default(), None);
    Ok(Box::new(VertexList { text, options, kind, buffer: Vec::new(), skipped, account, _held: held }))
}

/// IDs of a table, whose reader returns each as a self-loop.
struct VertexTable {
    reader: Box<dyn FileReader>,
    kind: IdKind,
    batch: EdgeBatch,
}

impl VertexSource for VertexTable {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn next_batch(&mut self, batch: &mut IdBatch) -> Result<bool> {
        *batch = IdBatch::empty(self.kind);
        let more = self.reader.next_batch(&mut self.batch)?;
        (0..self.batch.len()).for_each(|edge| batch.push_from(&self.batch.endpoints, 2 * edge));
        Ok(more)
    }

    fn summary(&self) -> Vec<FileSummary> {
        vec![self.reader.summary()]
    }
}

/// IDs of a text.
struct VertexList {
    text: TextInput,
    options: EdgeListOptions,
    kind: IdKind,
    buffer: Vec<u8>,
    skipped: Skipped,
    /// The file, and its counts so far.
    account: Option<(Arc<TextFile>, Tally)>,
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
            self.account.get_or_insert_with(|| (file, Tally::default())).1.add(tally);
            if !batch.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn summary(&self) -> Vec<FileSummary> {
        let mut account: Vec<_> = self.account.iter().map(|(file, tally)| file.account_of(tally.clone())).collect();
        account.iter_mut().filter(|file| file.edges == 0).for_each(|file| file.notes.push("it has no IDs".to_owned()));
        account
    }
}

fn parse_ids(block: &Block, file: &TextFile, batch: &mut IdBatch) -> Result<Tally> {
    let mut tally = Tally::default();
    let before = batch.len();
    if let Some(offset) = block.overlong_at {
        tally.lines = 1;
        file.bad_line(block.first_line, overlong(offset), &mut tally)?;
    }
    let mut lines = Lines::of(block);
    while !lines.at_end() {
        let number = lines.number;
        let line = lines.next_line();
        tally.lines += 1;
        let field = first_field(line, &file.syntax);
        if let Ok(None) = field {
            file.quiet_line(number, line, file.syntax.ids == IdKind::Text, &mut tally);
        }
        let pushed = field.and_then(|field| match (field, &mut *batch) {
            (None, _) => Ok(()),
            (Some(field), IdBatch::Integers(ids)) => parse_id(&field, &file.syntax).map(|id| {
                if is_padded(&field) {
                    file.odd_line(Oddity::Padded, number, &field.text, &mut tally);
                }
                ids.push(id);
            }),
            (Some(field), IdBatch::Texts { bytes, ends }) => check_name(&field).map(|()| {
                file.odd_names(number, &[&field.text], &mut tally);
                bytes.extend_from_slice(&field.text);
                ends.push(bytes.len());
            }),
        });
        if let Err(wrong) = pushed {
            file.bad_line(number, wrong, &mut tally)?;
        }
    }
    tally.edges = length_from(batch.len() - before);
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{IdRule, OnError};
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
    fn lists_in_doubt_are_noted_or_refused() {
        let budget = MemoryBudget::new(4 << 20);
        for (name, text, expected) in [
            ("v.txt", "7 8 9\n10\n", "lines have 3 fields, and the first one was read as the ID"),
            ("v.csv", "q,r\ns,t\n", "lines have 2 fields"),
            ("v.csv", "id\n", "it has no IDs"),
            ("v.txt", "node\nq\n", "the first line (`node`) was read as an ID"),
            ("v.txt", "a\n#b\n", "1 line after the first edge was skipped as a comment"),
            ("v.csv", "name;dept\nAl;IT\n", "the first line (`name;dept`) was read as an ID"),
            ("v.csv", "id\n007\n8\n", "1 line has an ID with leading zeros"),
            ("v.csv", "name,personId:ID\nAl,p1\n", ""),
            ("v.txt", "NA\nb\n", "looks like a missing value"),
            ("v.csv", "id,name\n7,a\n", ""),
            ("v.txt", "7\n# c\n8\n", ""),
        ] {
            let reader = Box::new(Cursor::new(text.as_bytes()));
            let mut source = read_vertices(name, reader, &EdgeListOptions::default(), &budget).unwrap();
            while source.next_batch(&mut IdBatch::empty(IdKind::Text)).unwrap() {}
            let notes = source.summary().remove(0).notes.join("; ");
            assert!(notes.contains(expected) && notes.is_empty() == expected.is_empty(), "{text:?}: {notes}");
        }
        for json in ["{\"node\":\"a\"}\n", "[1, 2]\n"] {
            let error = read("r.jsonl", json.as_bytes(), &EdgeListOptions::default()).unwrap_err();
            assert!(error.exit_code() == 3 && error.to_string().contains("found JSON"), "{error}");
        }
    }

    #[test]
    fn bad_ids_are_refused_at_their_place_or_skipped() {
        let ids = IdRule::Integer { largest: Some(5) };
        let options = EdgeListOptions { ids, ..EdgeListOptions::default() };
        let error = read("v", b"5\n 6\n", &options).unwrap_err().to_string();
        assert_eq!(error, "v:2:2: found `6`, expected an integer from 0 to 5");
        let options = EdgeListOptions { on_error: OnError::Skip { max_errors: 1 }, ..options };
        assert_eq!(read("v", b"5\n 6\n4", &options).unwrap(), ["5", "4"]);
        assert_eq!(read("v", b"5\n 6\nx", &options).unwrap_err().exit_code(), 3);
        assert_eq!(read("v", b"OUTCROPE", &options).unwrap_err().exit_code(), 3);
    }
}
