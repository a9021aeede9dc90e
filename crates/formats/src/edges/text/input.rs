//! Blocks of several consecutive texts, each with the syntax of its file.

use super::blocks::{Block, BlockReader, BlockSizes};
use super::dialect::{Sample, Samples, decide};
use super::fields::{is_blank_line, line_at};
use super::file::TextFile;
use super::line::{Lines, check_bytes};
use super::preface::{Preface, StatedDirection, stated_edges};
use super::syntax::{Listing, Syntax, of_preface, says_nothing};
use super::tally::Tally;
use crate::edges::LONGEST_LINE;
use crate::edges::format::EdgeFormat;
use crate::edges::input::{Content, Origin, Progress};
use crate::edges::options::{EdgeListOptions, Header, OnError, Separator};
use crate::edges::reader::no_times;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, FileSummary, Location, Result, TimeRule, length_from};
use std::collections::VecDeque;
use std::sync::Arc;

/// Number of lines that determine the syntax.
const SAMPLES: usize = 1000;

/// Maximum bytes of these lines, unless the first two are longer; their blocks stay in memory.
const SAMPLED_BYTES: usize = 512 << 10;

/// Properties of the first block, extrapolated to the whole text for estimates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Density {
    /// Ratio of text bytes to bytes on disk.
    pub(crate) expansion: f64,
    /// Average bytes of text per line.
    pub(crate) line_length: f64,
}

/// Texts that are split into blocks.
pub(crate) struct TextInput {
    origins: VecDeque<Origin>,
    current: Option<(BlockReader, Arc<TextFile>)>,
    ready: VecDeque<Block>,
    options: EdgeListOptions,
    listing: Listing,
    sizes: BlockSizes,
    progress: Arc<Progress>,
    kind: Option<IdKind>,
    /// Rule for times, if they are read and it is known.
    pub(crate) times: Option<TimeRule>,
    /// True if no block of the current file was returned yet.
    silent: bool,
    pub(crate) density: Option<Density>,
}

impl TextInput {
    pub(crate) fn new(
        origins: VecDeque<Origin>,
        options: &EdgeListOptions,
        listing: Listing,
        sizes: BlockSizes,
        progress: &Arc<Progress>,
    ) -> Self {
        Self {
            origins,
            current: None,
            ready: VecDeque::new(),
            options: options.clone(),
            listing,
            sizes,
            progress: Arc::clone(progress),
            kind: None,
            times: options.times,
            silent: true,
            density: None,
        }
    }

    /// Advances to the first text with data and determines the kind of IDs, unless `kind` gives it. If there are no
    /// IDs, they are integers.
    pub(crate) fn decide_kind(&mut self, kind: Option<IdKind>) -> Result<IdKind> {
        self.kind = kind;
        while self.ready.is_empty() && self.open_next()? {}
        Ok(*self.kind.get_or_insert(IdKind::Integer))
    }

    /// Returns the next lines, in the memory of `buffer`; `None` at the end of the last text.
    pub(crate) fn next_block(&mut self, buffer: Vec<u8>) -> Result<Option<(Block, Arc<TextFile>)>> {
        let mut buffer = Some(buffer);
        loop {
            if let Some((reader, file)) = &mut self.current {
                let block = match self.ready.pop_front() {
                    Some(block) => Some(block),
                    // Default: the previous block took the buffer.
                    None => reader.next_block(buffer.take().unwrap_or_default())?,
                };
                if let Some(block) = block {
                    self.silent = false;
                    return Ok(Some((block, Arc::clone(file))));
                }
                // A file without data also gets a summary.
                let silent = self.silent.then(|| Arc::clone(file));
                self.current = None;
                if let Some(file) = silent {
                    return Ok(Some((Block::empty(), file)));
                }
            }
            if !self.open_next()? {
                return Ok(None);
            }
        }
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(mut origin) = self.origins.pop_front() else { return Ok(false) };
        self.silent = true;
        let preface = origin.preface.take();
        let account = FileSummary {
            name: origin.name.clone(),
            format: origin.format.name().to_owned(),
            compression: origin.content.name().map(str::to_owned),
            ..FileSummary::default()
        };
        let (bytes, content, mirrored) = (origin.bytes, origin.content, origin.mirrored);
        let before = self.progress.done();
        let mut reader = BlockReader::new(origin.open_text(&self.progress)?, self.sizes);
        if let Some(preface) = preface {
            reader.pass(preface.bytes, preface.tally.lines)?;
            return self.open_stated(reader, preface, account, bytes);
        }
        let format = account.format.clone();
        let options = EdgeListOptions {
            header: if format == EdgeFormat::Ldbc.name() { Header::No } else { self.options.header },
            times: self.times,
            ..self.options.clone()
        };
        let mut start = Start::default();
        start.look(&mut reader, &account.name, &options)?;
        let separator = start.separator.filter(|_| options.separator == Separator::Auto);
        let options = EdgeListOptions { separator: separator.unwrap_or(options.separator), ..options };
        let consumed = self.progress.done().saturating_sub(before);
        let compressed = content != Content::Plain;
        self.density = self.density.or_else(|| start.density(if compressed { consumed } else { 0 }));
        let decision = decide(&account.name, self.listing, &start.samples, &options, self.kind)?;
        if start.samples.lines.len() > usize::from(decision.header.is_some()) {
            self.kind = Some(decision.syntax.ids);
            self.times = decision.syntax.time.map(|(_, rule)| rule);
        }
        if decision.header.is_some() {
            start.drop_header(&options.comments);
        }
        let stated = start.direction.as_ref().and_then(|stated| stated.contradicts(self.options.directed));
        let notes = decision.notes.into_iter().chain(stated).collect();
        let account = FileSummary { header: decision.header, columns: decision.columns, notes, ..account };
        let (name, syntax) = (account.name.clone(), Syntax { mirror: mirrored, ..decision.syntax });
        self.ready = start.blocks;
        let first_line = start.samples.lines.first().map_or(0, |sample| sample.line);
        let (before, stated_edges) = (start.before, start.stated_edges);
        let file = TextFile { name, syntax, before, account, preface: None, first_line, stated_edges };
        self.current = Some((reader, Arc::new(file)));
        Ok(true)
    }

    /// Starts after the preface of a file.
    fn open_stated(
        &mut self,
        reader: BlockReader,
        preface: Preface,
        account: FileSummary,
        bytes: Option<u64>,
    ) -> Result<bool> {
        let name = account.name.clone();
        if preface.weights.is_none() && self.options.wants_weights() {
            let message = "found edges without weights, expected edges with weights";
            return Err(Error::bad_input(Location::file(name), message));
        }
        if self.options.wants_times() {
            return Err(no_times(&name));
        }
        let syntax = of_preface(&preface, &self.options);
        self.kind = Some(syntax.ids);
        if let (None, Some(bytes)) = (self.density, bytes) {
            let line_length = bytes as f64 / (preface.entries.max(1) as f64);
            self.density = Some(Density { expansion: 1.0, line_length: line_length.max(1.0) });
        }
        let unused = preface.weights.filter(|_| syntax.weight.is_none());
        let advice = self.options.on_unread_weights("use --weighted to read them");
        let notes = unused.map(|kind| format!("its weights ({kind}) were not read; {advice}"));
        let account = FileSummary {
            stated_vertices: Some(preface.vertices),
            stated_directed: Some(preface.directed),
            weights: preface.weights.map(str::to_owned),
            notes: notes.into_iter().collect(),
            ..account
        };
        let before = preface.tally.clone();
        let (first_line, stated_edges) = (0, None);
        let file = TextFile { name, syntax, before, account, preface: Some(preface), first_line, stated_edges };
        self.current = Some((reader, Arc::new(file)));
        Ok(true)
    }
}

/// Returns true if a block has a line that is malformed in any syntax.
fn has_bad_bytes(block: &Block) -> bool {
    let mut lines = Lines::of(block);
    let mut bad = block.overlong_at.is_some();
    while !bad && !lines.at_end() {
        bad = check_bytes(lines.next_line()).is_err();
    }
    bad
}

/// Returns the counts of the lines that start in the first `bytes` of a block and are blank, comments, or a header.
fn quiet_lines(block: &Block, bytes: usize, comments: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut lines = Lines::of(block);
    while !lines.at_end() && lines.position() < bytes {
        let line = lines.next_line();
        tally.lines += 1;
        if says_nothing(line, comments) {
            tally.quiet_line(line.iter().all(u8::is_ascii_whitespace));
        }
    }
    tally
}

/// First blocks of a file, which contain the lines that determine its syntax.
#[derive(Default)]
struct Start {
    blocks: VecDeque<Block>,
    samples: Samples,
    /// Line after the first sample: its block, its offset in the block, and the number of lines before it.
    behind_first: (usize, usize, u64),
    /// Counts of the lines outside of all blocks.
    before: Tally,
    /// Direction of edges stated in a comment before the first edge.
    direction: Option<StatedDirection>,
    /// Number of edges stated in a comment, with the comment.
    stated_edges: Option<(u64, String)>,
    /// Separator stated by the first line.
    separator: Option<Separator>,
}

impl Start {
    fn look(&mut self, reader: &mut BlockReader, name: &str, options: &EdgeListOptions) -> Result<()> {
        let mut bytes = 0;
        while self.wants_more(bytes) {
            let Some(mut block) = reader.next_block(Vec::new())? else {
                self.samples.whole = true;
                break;
            };
            if block.first_line == 1 && block.text().starts_with(b"%%MatrixMarket") {
                let message = "found a Matrix Market file, expected an edge list; use --format matrix-market";
                return Err(Error::bad_input(Location::file(name), message));
            }
            self.take_separator(&mut block);
            let known = self.samples.lines.len();
            self.look_at(&block, &options.comments);
            let fatal = block.overlong_at.is_some() && options.on_error == OnError::Stop;
            let longest = if block.overlong_at.is_some() { LONGEST_LINE } else { 0 };
            bytes += block.text().len().max(longest);
            if self.samples.lines.len() > known || has_bad_bytes(&block) {
                self.blocks.push_back(block);
            } else {
                self.before.add(quiet_lines(&block, usize::MAX, &options.comments));
            }
            if fatal {
                break;
            }
        }
        Ok(())
    }

    /// Removes a first line `sep=;`, as Excel writes and reads it, and stores its separator.
    fn take_separator(&mut self, block: &mut Block) {
        let (line, next) = line_at(block.text(), 0);
        let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
        if let (1, [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign]) = (block.first_line, line) {
            self.separator = Some(Separator::Char(char::from(*sign)));
            (self.before.lines, self.before.comments) = (1, 1);
            block.skip(next, 1);
        }
    }

    /// Returns true if the lines in the first `bytes` do not suffice; at least two lines are needed.
    fn wants_more(&self, bytes: usize) -> bool {
        match self.samples.lines.len() {
            0 | 1 => self.blocks.len() < 2 * SAMPLES && self.held() < 4 * LONGEST_LINE,
            lines => lines < SAMPLES && bytes < SAMPLED_BYTES,
        }
    }

    /// Returns the bytes of the blocks in memory.
    fn held(&self) -> usize {
        let bytes = |block: &Block| if block.overlong_at.is_some() { LONGEST_LINE } else { block.text().len() };
        self.blocks.iter().map(bytes).sum()
    }

    fn look_at(&mut self, block: &Block, comments: &[u8]) {
        let mut lines = Lines::of(block);
        while !lines.at_end() && self.samples.lines.len() < SAMPLES {
            let number = lines.number;
            let line = lines.next_line();
            if says_nothing(line, comments) {
                self.direction = self.direction.take().or_else(|| StatedDirection::of_comment(number, line));
                self.stated_edges = self.stated_edges.take().or_else(|| stated_edges(number, line));
                if self.samples.lines.is_empty() && !is_blank_line(line) {
                    self.samples.comments.truncate(SAMPLES - 1);
                    self.samples.comments.push(Sample { line: number, text: line.to_vec() });
                }
                continue;
            }
            if self.samples.lines.is_empty() {
                self.behind_first = (self.blocks.len(), lines.position(), lines.number - block.first_line);
            }
            self.samples.lines.push(Sample { line: number, text: line.to_vec() });
        }
    }

    fn drop_header(&mut self, comments: &[u8]) {
        let (block, bytes, lines) = self.behind_first;
        if let Some(block) = self.blocks.get_mut(block) {
            self.before.add(quiet_lines(block, bytes, comments));
            block.skip(bytes, lines);
        }
    }

    /// Computes the density. `consumed` is the size of the blocks on disk, or 0 if they are not compressed.
    fn density(&self, consumed: u64) -> Option<Density> {
        const USUAL_EXPANSION: f64 = 4.0;
        let bytes: usize = self.blocks.iter().map(|block| block.text().len()).sum();
        let lines: usize = self.blocks.iter().map(|b| memchr::memchr_iter(b'\n', b.text()).count()).sum();
        let bytes = length_from(bytes) as f64;
        let expansion = match consumed {
            0 => 1.0,
            _ if bytes < 4096.0 => USUAL_EXPANSION,
            _ => (bytes / consumed as f64).max(1.0),
        };
        (bytes > 0.0).then(|| Density { expansion, line_length: bytes / (lines.max(1) as f64) })
    }
}
