//! Reads blocks of shards, every one verified.

use super::block::{self};
use super::file::{BlockFile, malformed};
use super::held::Held;
use super::pieces::{PIECE_BYTES, Piece, pieces};
use super::table::ShardTable;
use crate::access::{AccessStatistics, ArcBlock, BlockId, Shards};
use crate::component::UnitSeal;
use outcrop_types::{Cancellation, Error, MemoryBudget, Result, VertexId, index_from, length_from};
use std::ops::Range;

/// Shards in a file.
pub struct BlockShards<F> {
    file: F,
    table: ShardTable,
    seal: UnitSeal,
    held: Held,
    statistics: AccessStatistics,
    cancellation: Cancellation,
}

impl<F: BlockFile> BlockShards<F> {
    pub(super) fn new(file: F, table: ShardTable, seal: UnitSeal, cancellation: &Cancellation) -> Self {
        let (held, statistics) = (Held::default(), AccessStatistics::default());
        Self { file, table, seal, held, statistics, cancellation: cancellation.clone() }
    }

    /// Keeps blocks in memory from now on, as they are in the file: the first that are read, up to `bytes` in all.
    ///
    /// # Errors
    /// The budget does not hold as much.
    pub fn hold(&mut self, bytes: u64, budget: &MemoryBudget) -> Result<()> {
        self.held = Held::default();
        self.held = Held::new(self.table.blocks(), bytes, budget)?;
        Ok(())
    }

    /// Memory of [`BlockShards::hold`] that holds all blocks, in bytes.
    pub fn whole_bytes(&self) -> u64 {
        Held::whole_bytes(self.table.blocks(), self.table.end())
    }

    /// Memory that is reserved to hold blocks, in bytes.
    pub fn held_bytes(&self) -> u64 {
        self.held.reserved()
    }

    /// How many arcs all blocks have.
    pub const fn total_arcs(&self) -> u64 {
        self.table.total()
    }

    /// Bytes of all blocks.
    pub fn total_bytes(&self) -> u64 {
        self.table.end()
    }

    pub(super) const fn file(&self) -> &F {
        &self.file
    }

    /// Which of `blocks` are to be read, and where they lie: those that follow each other in the file together.
    fn wanted(&self, blocks: &[BlockId]) -> (Vec<bool>, Vec<Range<u64>>) {
        let mut runs: Vec<Range<u64>> = Vec::new();
        let wanted = blocks.iter().map(|block| {
            let place = self.table.place(*block);
            let wanted = !place.is_empty() && self.held.get(self.table.position(*block)).is_none();
            match runs.last_mut() {
                _ if !wanted => {}
                Some(last) if last.end == place.start => last.end = place.end,
                _ => runs.push(place),
            }
            wanted
        });
        (wanted.collect(), runs)
    }
}

impl<F: BlockFile> Shards for BlockShards<F> {
    fn bounds(&self) -> &[VertexId] {
        self.table.bounds()
    }

    fn weighted(&self) -> bool {
        self.table.weighted()
    }

    fn arcs(&self, block: BlockId) -> u64 {
        u64::from(self.table.arcs(block))
    }

    fn bytes(&self, block: BlockId) -> u64 {
        let place = self.table.place(block);
        place.end - place.start
    }

    fn read(&self, blocks: &[BlockId], take: &mut dyn FnMut(usize, &ArcBlock) -> Result<()>) -> Result<()> {
        let (wanted, runs) = self.wanted(blocks);
        let pieces = pieces(&runs, self.file.alignment());
        let mut delivery = Delivery::new(self, blocks, &wanted, take);
        delivery.advance()?;
        let waited = self.file.read(&pieces, &self.cancellation, &mut |piece, bytes| delivery.feed(piece, bytes))?;
        let misses = length_from(wanted.iter().filter(|wanted| **wanted).count());
        if delivery.next != blocks.len() {
            return Err(Error::corrupt(self.file.path(), "its blocks end too early"));
        }
        self.statistics.count_waiting(waited);
        self.statistics.count_misses(misses);
        self.statistics.count_hits(delivery.held);
        Ok(())
    }

    fn reading_bytes(&self) -> u64 {
        let blocks = u64::from(self.table.intervals());
        let each = length_from(size_of::<Piece>() + size_of::<Range<u64>>() + 1);
        let largest = self.table.largest();
        let requests = 2 * (blocks + self.table.end() / PIECE_BYTES) * each;
        self.file.buffer_bytes() + requests + largest.bytes + PIECE_BYTES + self.table.decoded_bytes()
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

/// Hands over blocks in order as their bytes arrive.
struct Delivery<'d, F> {
    shards: &'d BlockShards<F>,
    blocks: &'d [BlockId],
    /// Which of them come from the file.
    wanted: &'d [bool],
    take: &'d mut dyn FnMut(usize, &ArcBlock) -> Result<()>,
    next: usize,
    held: u64,
    /// Bytes that have arrived, of which the first `used` are handed over.
    bytes: Vec<u8>,
    used: usize,
    arcs: ArcBlock,
}

impl<'d, F: BlockFile> Delivery<'d, F> {
    fn new(
        shards: &'d BlockShards<F>,
        blocks: &'d [BlockId],
        wanted: &'d [bool],
        take: &'d mut dyn FnMut(usize, &ArcBlock) -> Result<()>,
    ) -> Self {
        Self { shards, blocks, wanted, take, next: 0, held: 0, bytes: Vec::new(), used: 0, arcs: ArcBlock::default() }
    }

    /// Takes the bytes of a piece.
    fn feed(&mut self, piece: &Piece, bytes: &[u8]) -> Result<()> {
        self.shards.statistics.count_request(piece.length);
        self.bytes.drain(..self.used.min(self.bytes.len()));
        self.used = 0;
        let wanted = piece.wanted(bytes);
        self.bytes.reserve_exact(wanted.len());
        self.bytes.extend_from_slice(wanted);
        self.advance()
    }

    /// Hands over blocks as far as their bytes are there.
    fn advance(&mut self) -> Result<()> {
        while let Some(block) = self.blocks.get(self.next).copied() {
            let table = &self.shards.table;
            let (position, place) = (table.position(block), table.place(block));
            if self.wanted.get(self.next).copied().unwrap_or(false) {
                let length = index_from(place.end - place.start);
                let Some(bytes) = self.bytes.get(self.used..self.used + length) else { return Ok(()) };
                let payload = self.shards.seal.open(position, bytes, self.shards.file.path())?;
                decode(self.shards, block, payload, &mut self.arcs)?;
                self.shards.held.keep(position, bytes);
                self.used += length;
            } else if let Some(bytes) = self.shards.held.get(position) {
                decode(self.shards, block, block::payload(bytes), &mut self.arcs)?;
                self.held += 1;
            } else {
                self.arcs.clear();
            }
            (self.take)(self.next, &self.arcs)?;
            self.next += 1;
        }
        Ok(())
    }
}

fn decode<F: BlockFile>(shards: &BlockShards<F>, id: BlockId, payload: &[u8], into: &mut ArcBlock) -> Result<()> {
    let malformed = |_| malformed(shards.file.path(), shards.table.position(id));
    block::decode(payload, shards.table.shape(id), into).map_err(malformed)
}
