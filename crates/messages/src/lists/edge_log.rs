//! The edge log (MultiLogVC section V.C): lists of vertices that are likely to be active in the next superstep and are
//! on little-used pages. The lists are stored in the order of their next use.

use super::batch::{Batch, Loaded};
use bytemuck::{cast, cast_slice, cast_slice_mut};
use outcrop_io::{SpillFolder, SpillReader, SpillWriter};
use outcrop_types::{BitSet, Error, Result, VertexId, index_from, length_from};
use std::collections::VecDeque;

/// Number of words before the entries of a list: the vertex, and the number of entries per side.
const HEAD: usize = 3;
/// Number of words per weight.
const WEIGHT: usize = 2;

/// The log to read, and the log being written.
#[derive(Debug)]
pub(crate) struct EdgeLog<'g> {
    spill: &'g SpillFolder,
    /// Number of words buffered before a write, and after a read: half of the log's memory each.
    capacity: usize,
    weighted: bool,
    vertices: u32,
    read: Option<Reading>,
    written: Writing,
    pub figures: EdgeLogFigures,
}

/// Figures of an edge log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgeLogFigures {
    pub logged: u64,
    pub served: u64,
    pub bytes_written: u64,
    pub bytes_read: u64,
}

#[derive(Debug, Default)]
struct Writing {
    words: Vec<u32>,
    file: Option<SpillWriter>,
    /// Number of words per write.
    blocks: VecDeque<usize>,
    members: BitSet,
    lists: u64,
}

#[derive(Debug)]
struct Reading {
    /// Unread part of the file.
    file: Option<SpillReader>,
    blocks: VecDeque<usize>,
    /// End of the log, which is still in memory.
    rest: Vec<u32>,
    /// Words from the file, or the remaining words of the rest, from `place` on.
    words: Vec<u32>,
    place: usize,
    members: BitSet,
}

impl<'g> EdgeLog<'g> {
    /// Memory for the vertex sets of a log, in bytes.
    pub(crate) const fn member_bytes(vertices: u32) -> u64 {
        2 * BitSet::bytes(vertices)
    }

    /// Creates an empty log of the lists of `vertices` vertices, with `memory` bytes of memory.
    pub(crate) fn new(spill: &'g SpillFolder, vertices: u32, weighted: bool, memory: u64) -> Self {
        let capacity = index_from(memory / 3 / 4).max(HEAD);
        let written = Writing { members: BitSet::empty(vertices), ..Writing::default() };
        Self { spill, capacity, weighted, vertices, read: None, written, figures: EdgeLogFigures::default() }
    }

    /// Returns the vertices in the readable log.
    pub(crate) fn members(&self) -> Option<&BitSet> {
        self.read.as_ref().map(|read| &read.members)
    }

    /// Appends the lists of the member at `position` if they fit in the memory of the log.
    ///
    /// # Errors
    /// Returns an error on [`Error::DiskFull`] or [`Error::Io`].
    pub(crate) fn append(&mut self, batch: &Batch, loaded: &Loaded, position: usize) -> Result<()> {
        let lists = [0, 1].map(|side| loaded.list(batch, side, position));
        let entries = lists[0].len() + lists[1].len();
        let words = HEAD + entries * if self.weighted { 1 + WEIGHT } else { 1 };
        if words > self.capacity {
            return Ok(());
        }
        if self.written.words.len() + words > self.capacity {
            self.flush()?;
        }
        let vertex = batch.members()[position];
        self.written.words.extend([vertex, lists[0].len() as u32, lists[1].len() as u32]);
        for list in lists {
            self.written.words.extend_from_slice(list.ids());
            if self.weighted {
                // Default: only empty lists of a weighted graph have none.
                let weights = list.weights().unwrap_or_default();
                self.written.words.extend(weights.iter().flat_map(|weight| cast::<_, [u32; WEIGHT]>(*weight)));
            }
        }
        self.written.members.insert(vertex);
        self.written.lists += 1;
        self.figures.logged += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let Writing { words, file, blocks, .. } = &mut self.written;
        let writer = match file {
            Some(writer) => writer,
            None => file.insert(self.spill.create()?),
        };
        writer.write(cast_slice(words))?;
        self.figures.bytes_written += length_from(words.len() * 4);
        blocks.push_back(words.len());
        words.clear();
        Ok(())
    }

    /// Makes the written log readable and starts an empty one.
    ///
    /// # Errors
    /// Returns an error on [`Error::Io`].
    pub(crate) fn turn(&mut self) -> Result<()> {
        let mut next = Writing { members: BitSet::empty(0), ..Writing::default() };
        if let Some(read) = self.read.take() {
            next.members = read.members;
            next.words = read.rest;
        }
        if next.members.universe() != self.vertices {
            next.members = BitSet::empty(self.vertices);
        }
        next.words.clear();
        if self.written.lists == 0 {
            // Nothing to read: the buffer is kept for the next superstep.
            return Ok(());
        }
        next.members.clear();
        let written = std::mem::replace(&mut self.written, next);
        let file = written.file.map(|writer| writer.finish()?.open()).transpose()?;
        self.read = Some(Reading {
            file,
            blocks: written.blocks,
            rest: written.words,
            words: Vec::new(),
            place: 0,
            members: written.members,
        });
        Ok(())
    }

    /// Discards the written log, because the graph changed.
    pub(crate) fn forget(&mut self) {
        self.written.words.clear();
        self.written.file = None;
        self.written.blocks.clear();
        self.written.members.clear();
        self.written.lists = 0;
    }

    /// Fills in the lists of the members of `batch` that are in the log. Batches come in ascending order.
    ///
    /// # Errors
    /// Returns an error if a read fails or the log is damaged.
    pub(crate) fn fill(&mut self, batch: &Batch, loaded: &mut Loaded) -> Result<()> {
        let Some(read) = &mut self.read else { return Ok(()) };
        let end = batch.range().end;
        while let Some([vertex, out, into]) = read.head(&mut self.figures)? {
            if vertex >= end {
                break;
            }
            let times = if self.weighted { 1 + WEIGHT } else { 1 };
            let lengths = [out as usize, into as usize];
            let entries = read.take(HEAD + (lengths[0] + lengths[1]) * times);
            let Ok(position) = batch.members().binary_search(&vertex) else { continue };
            let put = entries.is_some_and(|entries| {
                put(&entries[HEAD..], lengths, self.weighted, |side, ids, weights| {
                    loaded.put(batch, side, position, (ids, weights))
                })
            });
            if !put {
                return Err(Error::corrupt(self.spill.path(), "a temporary file in this folder has a wrong checksum"));
            }
            self.figures.served += 1;
        }
        Ok(())
    }
}

/// Splits a list into the IDs of each side, followed by the weights, if any.
fn put(
    mut rest: &[u32],
    lengths: [usize; 2],
    weighted: bool,
    mut put: impl FnMut(usize, &[VertexId], &[f64]) -> bool,
) -> bool {
    let mut weights = Vec::new();
    lengths.into_iter().enumerate().filter(|(_, length)| *length > 0).all(|(side, length)| {
        let (ids, behind) = rest.split_at(length);
        let (words, behind) = behind.split_at(if weighted { WEIGHT * length } else { 0 });
        rest = behind;
        weights.clear();
        weights.extend(words.as_chunks::<WEIGHT>().0.iter().map(|words| cast::<_, f64>(*words)));
        put(side, ids, &weights)
    })
}

impl Reading {
    /// Returns the head of the next list and loads its entries into memory; `None` at the end.
    fn head(&mut self, figures: &mut EdgeLogFigures) -> Result<Option<[u32; HEAD]>> {
        if self.place == self.words.len() {
            self.next_block(figures)?;
        }
        let head = self.words.get(self.place..self.place + HEAD);
        Ok(head.and_then(|head| head.try_into().ok()))
    }

    /// Reads the next written block, which contains whole lists.
    fn next_block(&mut self, figures: &mut EdgeLogFigures) -> Result<()> {
        self.place = 0;
        self.words.clear();
        match (self.blocks.pop_front(), &mut self.file) {
            (Some(length), Some(file)) => {
                self.words.resize(length, 0);
                file.read_exact(cast_slice_mut(&mut self.words))?;
                figures.bytes_read += length_from(length * 4);
            }
            _ => std::mem::swap(&mut self.words, &mut self.rest),
        }
        Ok(())
    }

    /// Returns the next `words` words, or `None` if fewer are left.
    fn take(&mut self, words: usize) -> Option<&[u32]> {
        let begin = self.place;
        self.place += words;
        self.words.get(begin..self.place)
    }
}
