//! The blocks of several texts, one after the other, each with the syntax of its file.

use super::blocks::{Block, BlockReader, BlockSizes};
use super::line::{Lines, check_bytes};
use super::syntax::{Listing, Sample, TextFile, decide, says_nothing};
use crate::edges::input::{Content, Origin, Progress};
use crate::edges::options::{EdgeListOptions, OnError};
use outcrop_store::build::IdKind;
use outcrop_types::{Result, length_from};
use std::collections::VecDeque;
use std::sync::Arc;

/// As much of a line as decides on the syntax, in bytes.
const SAMPLE: usize = 64 << 10;

/// As many blocks as are held while looking for the first lines that say something: two with a sample, the others damaged.
const MOST_BLOCKS: usize = 4;

/// What the first block says about the whole text, for estimates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Density {
    /// Bytes of text over bytes on disk.
    pub(crate) expansion: f64,
    /// Bytes of text over lines.
    pub(crate) line_length: f64,
}

/// Texts on their way into blocks.
pub(crate) struct TextInput {
    origins: VecDeque<Origin>,
    current: Option<(BlockReader, Arc<TextFile>)>,
    ready: VecDeque<Block>,
    options: EdgeListOptions,
    listing: Listing,
    sizes: BlockSizes,
    progress: Arc<Progress>,
    kind: Option<IdKind>,
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
            density: None,
        }
    }

    /// Goes on to the first text that says anything and decides what the ids are, unless `kind` says it.
    /// Ids of which there are none are whole numbers.
    pub(crate) fn decide_kind(&mut self, kind: Option<IdKind>) -> Result<IdKind> {
        self.kind = kind;
        while self.ready.is_empty() && self.open_next()? {}
        Ok(*self.kind.get_or_insert(IdKind::Integer))
    }

    /// The next lines, in the memory of `buffer`; `None` at the end of the last text.
    pub(crate) fn next_block(&mut self, buffer: Vec<u8>) -> Result<Option<(Block, Arc<TextFile>)>> {
        let mut buffer = Some(buffer);
        loop {
            if let Some((reader, file)) = &mut self.current {
                let block = match self.ready.pop_front() {
                    Some(block) => Some(block),
                    None => reader.next_block(buffer.take().unwrap_or_default())?,
                };
                if let Some(block) = block {
                    return Ok(Some((block, Arc::clone(file))));
                }
                self.current = None;
            }
            if !self.open_next()? {
                return Ok(None);
            }
        }
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(origin) = self.origins.pop_front() else { return Ok(false) };
        let (name, compressed) = (origin.name.clone(), origin.content != Content::Plain);
        let before = self.progress.done();
        let mut reader = BlockReader::new(origin.open_text(&self.progress)?, self.sizes);
        let mut start = Start::default();
        start.look(&mut reader, &self.options)?;
        let consumed = self.progress.done().saturating_sub(before);
        self.density = self.density.or_else(|| start.density(if compressed { consumed } else { 0 }));
        let (syntax, header) = decide(&name, self.listing, &start.samples, &self.options, self.kind)?;
        if start.samples.len() > usize::from(header) {
            self.kind = Some(syntax.ids);
        }
        if header {
            start.drop_header();
        }
        self.ready = start.blocks;
        self.current = Some((reader, Arc::new(TextFile { name, syntax })));
        Ok(true)
    }
}

/// Whether a block has a line that is bad whatever it says.
fn has_bad_bytes(block: &Block) -> bool {
    let mut lines = Lines::of(block);
    let mut bad = block.overlong_at.is_some();
    while !bad && !lines.at_end() {
        bad = check_bytes(lines.next_line()).is_err();
    }
    bad
}

/// The first blocks of a file, as many as hold two lines that say something.
#[derive(Default)]
struct Start {
    blocks: VecDeque<Block>,
    samples: Vec<Sample>,
    /// The line behind the first sample: its block, where in it that line begins, and how many lines are before it.
    behind_first: (usize, usize, u64),
}

impl Start {
    fn look(&mut self, reader: &mut BlockReader, options: &EdgeListOptions) -> Result<()> {
        while self.samples.len() < 2 && self.blocks.len() < MOST_BLOCKS {
            let Some(block) = reader.next_block(Vec::new())? else { break };
            let known = self.samples.len();
            self.look_at(&block, &options.comments);
            let fatal = block.overlong_at.is_some() && options.on_error == OnError::Stop;
            if self.samples.len() > known || has_bad_bytes(&block) {
                self.blocks.push_back(block);
            }
            if fatal {
                break;
            }
        }
        Ok(())
    }

    fn look_at(&mut self, block: &Block, comments: &[u8]) {
        let mut lines = Lines::of(block);
        while !lines.at_end() && self.samples.len() < 2 {
            let number = lines.number;
            let line = lines.next_line();
            if says_nothing(line, comments) {
                continue;
            }
            let text = line.get(..SAMPLE).unwrap_or(line).to_vec();
            if self.samples.is_empty() {
                self.behind_first = (self.blocks.len(), lines.position(), lines.number - block.first_line);
            }
            self.samples.push(Sample { line: number, text });
        }
    }

    fn drop_header(&mut self) {
        let (block, bytes, lines) = self.behind_first;
        if let Some(block) = self.blocks.get_mut(block) {
            block.skip(bytes, lines);
        }
    }

    /// `consumed` is what the blocks took on disk, 0 where they are not compressed.
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
