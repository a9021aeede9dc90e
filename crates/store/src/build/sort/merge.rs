//! Merges sorted runs with a tree of losers: one comparison a level for each record.

use super::record::Record;
use outcrop_io::{SpillFile, SpillReader};
use outcrop_types::Result;

/// One run, read through a buffer.
struct RunReader<R> {
    file: SpillReader,
    buffer: Vec<R>,
    next: usize,
    filled: usize,
}

impl<R: Record> RunReader<R> {
    fn open(run: &SpillFile, records: usize) -> Result<Self> {
        Ok(Self { file: run.open()?, buffer: vec![R::zeroed(); records.max(1)], next: 0, filled: 0 })
    }

    #[inline]
    fn next(&mut self) -> Result<Option<R>> {
        if self.next == self.filled {
            self.fill()?;
        }
        let record = self.buffer[..self.filled].get(self.next).copied();
        self.next += 1;
        Ok(record)
    }

    fn fill(&mut self) -> Result<()> {
        self.filled = self.file.read(bytemuck::cast_slice_mut(&mut self.buffer))? / size_of::<R>();
        self.next = 0;
        Ok(())
    }
}

/// The records of several runs in one order; records with equal keys in the order of the runs.
pub struct Merge<R: Record> {
    runs: Vec<RunReader<R>>,
    heads: Vec<Option<R>>,
    /// Node 0 holds the winner, each other node the loser of the match played there.
    tree: Vec<usize>,
}

impl<R: Record> Merge<R> {
    /// Begins to merge `runs` with `bytes` of buffers.
    ///
    /// # Errors
    /// A run cannot be read.
    pub fn new(runs: &[SpillFile], bytes: usize) -> Result<Self> {
        let records = bytes / runs.len().max(1) / size_of::<R>();
        let mut runs = runs.iter().map(|run| RunReader::open(run, records)).collect::<Result<Vec<_>>>()?;
        let heads = runs.iter_mut().map(RunReader::next).collect::<Result<Vec<_>>>()?;
        let mut merge = Self { tree: vec![usize::MAX; runs.len().max(1)], runs, heads };
        for run in 0..merge.runs.len() {
            merge.enter(run);
        }
        Ok(merge)
    }

    /// Lets `run` play its way up until it meets an empty place: how the tree is filled at first.
    fn enter(&mut self, run: usize) {
        let mut winner = run;
        let mut node = (run + self.runs.len()) / 2;
        while node > 0 {
            if self.tree[node] == usize::MAX {
                self.tree[node] = winner;
                return;
            }
            self.play(node, &mut winner);
            node /= 2;
        }
        self.tree[0] = winner;
    }

    #[inline]
    fn play(&mut self, node: usize, winner: &mut usize) {
        if self.before(self.tree[node], *winner) {
            std::mem::swap(&mut self.tree[node], winner);
        }
    }

    #[inline]
    fn before(&self, a: usize, b: usize) -> bool {
        match (&self.heads[a], &self.heads[b]) {
            (Some(left), Some(right)) => (left.key(), a) < (right.key(), b),
            (left, _) => left.is_some(),
        }
    }

    /// The next record in order.
    ///
    /// # Errors
    /// A run cannot be read.
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        let mut winner = self.tree[0];
        let Some(record) = self.heads[winner] else { return Ok(None) };
        self.heads[winner] = self.runs[winner].next()?;
        let mut node = (winner + self.runs.len()) / 2;
        while node > 0 {
            self.play(node, &mut winner);
            node /= 2;
        }
        self.tree[0] = winner;
        Ok(Some(record))
    }
}
