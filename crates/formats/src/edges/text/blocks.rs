//! Splits a text into blocks of whole lines, in memory independent of the length of the text.

use crate::edges::LONGEST_LINE;
use crate::edges::input::TextStream;
use memchr::{memchr, memchr_iter, memrchr};
use outcrop_types::{Result, length_from};

/// Sizes of text processed at once, in bytes. Tests make them tiny.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSizes {
    /// Size of a block, unless a line is longer.
    pub(crate) block: usize,
    /// Maximum length of a line, including its end.
    pub(crate) longest_line: usize,
}

impl BlockSizes {
    /// Returns the sizes used by builds.
    pub(crate) const fn usual() -> Self {
        Self { block: 128 << 10, longest_line: LONGEST_LINE }
    }
}

/// Whole lines of a text.
#[derive(Debug)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Number of the first line, starting at 1.
    pub(crate) first_line: u64,
    /// Offset in the text of a single line that is too long, if the block stands for one.
    pub(crate) overlong_at: Option<u64>,
}

impl Block {
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Removes the first `bytes`, which are `lines` lines.
    pub(crate) fn skip(&mut self, bytes: usize, lines: u64) {
        self.start = self.end.min(self.start + bytes);
        self.first_line += lines;
    }

    /// Returns a block without lines.
    pub(crate) const fn empty() -> Self {
        Self { bytes: Vec::new(), start: 0, end: 0, first_line: 1, overlong_at: None }
    }

    /// Returns the buffer for reuse.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reader that splits a text into blocks.
pub(crate) struct BlockReader {
    stream: TextStream,
    sizes: BlockSizes,
    carry: Vec<u8>,
    line: u64,
    offset: u64,
    ended: bool,
    inside_overlong: bool,
}

impl BlockReader {
    pub(crate) const fn new(stream: TextStream, sizes: BlockSizes) -> Self {
        Self { stream, sizes, carry: Vec::new(), line: 1, offset: 0, ended: false, inside_overlong: false }
    }

    /// Skips the first `bytes` of the text, which are `lines` lines.
    pub(crate) fn pass(&mut self, bytes: usize, lines: u64) -> Result<()> {
        let mut buffer = vec![0; bytes];
        let filled = self.fill(&mut buffer, 0)?;
        self.offset += length_from(filled);
        self.line += lines;
        Ok(())
    }

    /// Returns the next lines, in the memory of `buffer`; `None` at the end.
    pub(crate) fn next_block(&mut self, mut buffer: Vec<u8>) -> Result<Option<Block>> {
        if self.inside_overlong {
            self.pass_overlong(&mut buffer)?;
        }
        buffer.resize(self.sizes.block.max(self.carry.len()), 0);
        let mut filled = self.carry.len();
        buffer[..filled].copy_from_slice(&self.carry);
        loop {
            filled = self.fill(&mut buffer, filled)?;
            let text = &buffer[..filled];
            if let Some(last) = memrchr(b'\n', text) {
                self.keep(&text[last + 1..]);
                return Ok(Some(self.cut(buffer, last + 1)));
            }
            if self.ended {
                self.keep(&[]);
                return Ok((filled > 0).then(|| self.cut(buffer, filled)));
            }
            if filled >= self.sizes.longest_line {
                return Ok(Some(self.overlong(filled)));
            }
            buffer.resize((filled * 2).clamp(1, self.sizes.longest_line), 0);
        }
    }

    fn keep(&mut self, rest: &[u8]) {
        self.carry.clear();
        self.carry.extend_from_slice(rest);
    }

    fn fill(&mut self, buffer: &mut [u8], mut filled: usize) -> Result<usize> {
        while !self.ended && filled < buffer.len() {
            let count = self.stream.read(&mut buffer[filled..])?;
            self.ended = count == 0;
            filled += count;
        }
        Ok(filled)
    }

    fn cut(&mut self, bytes: Vec<u8>, end: usize) -> Block {
        let text = &bytes[..end];
        let first_line = self.line;
        self.line += length_from(memchr_iter(b'\n', text).count());
        self.offset += length_from(end);
        Block { bytes, start: 0, end, first_line, overlong_at: None }
    }

    fn overlong(&mut self, filled: usize) -> Block {
        let block =
            Block { bytes: Vec::new(), start: 0, end: 0, first_line: self.line, overlong_at: Some(self.offset) };
        self.offset += length_from(filled);
        self.inside_overlong = true;
        self.keep(&[]);
        block
    }

    /// Discards the rest of a line that is too long.
    fn pass_overlong(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize(self.sizes.block.max(1), 0);
        self.inside_overlong = false;
        loop {
            let count = self.stream.read(buffer)?;
            let text = &buffer[..count];
            if let Some(end) = memchr(b'\n', text) {
                self.keep(&text[end + 1..]);
                self.offset += length_from(end + 1);
                self.line += 1;
                return Ok(());
            }
            self.offset += length_from(count);
            self.ended = count == 0;
            if self.ended {
                return Ok(());
            }
        }
    }
}
