//! Merges sorted runs with a tree of losers: one comparison a level for each record.

use super::key::{Record, SortKey};
use outcrop_io::{SpillFile, SpillReader};
use outcrop_types::{Purpose, Result, index_from, length_from, memory};
use std::hint::select_unpredictable;
use std::ops::Range;

/// One run, read through a buffer.
struct RunReader<R> {
    file: SpillReader,
    /// Bytes of the run that are not yet in the buffer.
    left: u64,
    buffer: Vec<R>,
    next: usize,
}

impl<R: Record> RunReader<R> {
    fn open(file: &SpillFile, run: &Range<u64>, records: usize) -> Result<Self> {
        let left = run.end - run.start;
        let records = records.clamp(1, index_from(left) / size_of::<R>() + 1);
        let buffer = memory::filled(records, Purpose::SortSpace, |_| R::zeroed())?;
        let mut reader = Self { file: file.open()?.at(run.start), left, buffer, next: 0 };
        reader.fill()?;
        Ok(reader)
    }

    /// Takes the record at the front.
    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.next += 1;
        if self.next == self.buffer.len() { self.fill() } else { Ok(()) }
    }

    fn fill(&mut self) -> Result<()> {
        let records = self.buffer.len().min(index_from(self.left) / size_of::<R>());
        self.buffer.truncate(records);
        self.file.read_exact(bytemuck::cast_slice_mut(&mut self.buffer))?;
        self.left -= length_from(records * size_of::<R>());
        self.next = 0;
        Ok(())
    }
}

/// A run in the tree: the key at its front, then the run's number, so that equal keys come in the order of the runs.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Contender<K> {
    key: K,
    run: usize,
}

impl<K: SortKey> Contender<K> {
    /// A run that has ended: behind all others.
    const ENDED: Self = Self { key: K::MAX, run: usize::MAX };
}

/// The records of several runs in one order; records with equal keys in the order of the runs.
pub struct Merge<R: Record> {
    runs: Vec<RunReader<R>>,
    /// Node 0 holds the winner, each other node the loser of the match played there. It has as many nodes as there are leaves: a
    /// power of two, so that all ways up are of one length, which can be foreseen.
    tree: Vec<Contender<R::Key>>,
}

impl<R: Record> Merge<R> {
    /// Begins to merge the `runs` in `file` with `bytes` of buffers.
    ///
    /// # Errors
    /// A run cannot be read.
    pub fn new(file: &SpillFile, runs: &[Range<u64>], bytes: usize) -> Result<Self> {
        let records =
            (bytes / runs.len().max(1)).saturating_sub(index_from(SpillReader::MEMORY_BYTES)) / size_of::<R>();
        let runs = runs.iter().map(|run| RunReader::open(file, run, records)).collect::<Result<Vec<_>>>()?;
        let mut merge = Self { tree: vec![Contender::ENDED; runs.len().next_power_of_two()], runs };
        merge.tree[0] = merge.first_winner(1);
        Ok(merge)
    }

    /// Plays all matches below `node` and leaves the losers there; the winner. The leaves are numbered behind the nodes.
    fn first_winner(&mut self, node: usize) -> Contender<R::Key> {
        if node >= self.tree.len() {
            return self.contender(node - self.tree.len());
        }
        let (left, right) = (self.first_winner(2 * node), self.first_winner(2 * node + 1));
        let (winner, loser) = if right < left { (right, left) } else { (left, right) };
        self.tree[node] = loser;
        winner
    }

    #[inline]
    fn contender(&self, run: usize) -> Contender<R::Key> {
        let front = self.runs.get(run).and_then(|reader| reader.buffer.get(reader.next));
        front.map_or(Contender::ENDED, |record| Contender { key: record.key(), run })
    }

    /// The next record in order.
    ///
    /// # Errors
    /// A run cannot be read.
    #[inline]
    pub fn next(&mut self) -> Result<Option<R>> {
        let run = self.tree[0].run;
        let Some(reader) = self.runs.get_mut(run) else { return Ok(None) };
        let record = reader.buffer[reader.next];
        reader.advance()?;
        let mut winner = self.contender(run);
        let mut node = (run + self.tree.len()) / 2;
        while node > 0 {
            let loser = self.tree[node];
            // Which of the two is smaller cannot be foreseen: moves, no branch.
            let turned = (loser.key < winner.key) | ((loser.key == winner.key) & (loser.run < winner.run));
            self.tree[node] = select_unpredictable(turned, winner, loser);
            winner = select_unpredictable(turned, loser, winner);
            node /= 2;
        }
        self.tree[0] = winner;
        Ok(Some(record))
    }
}
