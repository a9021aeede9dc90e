//! Reads blocks of shards and verifies each.

use super::block::{self};
use super::file::{BlockFile, malformed};
use super::pieces::{PIECE_BYTES, Piece, pieces};
use super::resident_blocks::ResidentBlocks;
use super::table::{Largest, ShardTable};
use crate::access::{AccessStatistics, ArcBlock, BlockId, Shards};
use crate::component::UnitSeal;
use crate::layout::sliding::entry::SlidingEntry;
use outcrop_types::{Cancellation, Error, MemoryBudget, Result, VertexId, WeightType, index_from, length_from};
use std::ops::Range;
use std::path::Path;

/// Shards in a file.
pub struct BlockShards<F> {
    file: F,
    table: ShardTable,
    seal: UnitSeal,
    held: ResidentBlocks,
    statistics: AccessStatistics,
    cancellation: Cancellation,
}

/// Figures that determine the memory of a reading thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Number of intervals.
    pub intervals: u32,
    /// Size of all blocks, in bytes.
    pub bytes: u64,
    /// Maxima over all blocks.
    pub largest: Largest,
    /// `true` if arcs have weights.
    pub weighted: bool,
    /// Memory of the file's own buffers, in bytes.
    pub buffers: u64,
}

impl Reading {
    /// Returns the memory of a thread that reads one block per interval at once, in bytes: requests, bytes in flight,
    /// the bytes of one block and its arcs.
    pub(crate) const fn bytes(&self) -> u64 {
        let each = length_from(size_of::<Piece>() + size_of::<Range<u64>>() + size_of::<BlockId>() + 1);
        let most = self.largest.bytes.saturating_mul(self.intervals as u64);
        let read = if most < self.bytes { most } else { self.bytes };
        let requests = 2 * (self.intervals as u64 + read / PIECE_BYTES) * each;
        let arcs = self.largest.arcs * if self.weighted { 16 } else { 8 };
        self.buffers + requests + self.largest.bytes + PIECE_BYTES + arcs
    }
}

impl<F: BlockFile> BlockShards<F> {
    pub(in crate::layout::sliding) fn new(
        file: F,
        table: ShardTable,
        seal: UnitSeal,
        cancellation: &Cancellation,
    ) -> Self {
        let (held, statistics) = (ResidentBlocks::default(), AccessStatistics::default());
        Self { file, table, seal, held, statistics, cancellation: cancellation.clone() }
    }

    /// Keeps blocks in memory from now on, in their encoded form: the first blocks read, up to `bytes` in total.
    /// Reserves at most the memory of all blocks.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn keep_resident(&mut self, bytes: u64, budget: &MemoryBudget) -> Result<()> {
        self.held = ResidentBlocks::default();
        self.held = ResidentBlocks::new(self.table.blocks(), bytes.min(self.whole_bytes()), budget)?;
        Ok(())
    }

    /// Reserves the memory that [`BlockShards::keep_resident`] would for `bytes`, regardless of the number of resident
    /// blocks.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, or if no block can be resident although `bytes` has room for one.
    pub(in crate::layout::sliding) fn charge_as(&mut self, bytes: u64) -> Result<()> {
        self.held.charge_as(self.table.blocks(), bytes.min(self.whole_bytes()))
    }

    /// Returns the memory of [`BlockShards::keep_resident`] for all blocks, in bytes.
    pub fn whole_bytes(&self) -> u64 {
        ResidentBlocks::whole_bytes(self.table.blocks(), self.table.end())
    }

    /// Returns [`BlockShards::whole_bytes`] for the shards of a manifest entry.
    pub const fn whole_bytes_of(entry: &SlidingEntry) -> u64 {
        ResidentBlocks::whole_bytes(entry.intervals as u64 * entry.intervals as u64, entry.block_bytes)
    }

    /// Returns the memory reserved for resident blocks, in bytes.
    pub fn resident_bytes(&self) -> u64 {
        self.held.reserved()
    }

    /// Returns the number of arcs of all blocks.
    pub const fn total_arcs(&self) -> u64 {
        self.table.total()
    }

    /// Returns the size of all blocks, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.table.end()
    }

    /// Returns the table of the blocks.
    pub(in crate::layout::sliding) const fn table(&self) -> &ShardTable {
        &self.table
    }

    /// Returns true if a block is resident.
    pub(in crate::layout::sliding) fn is_resident(&self, block: BlockId) -> bool {
        self.held.get(self.table.position(block)).is_some()
    }

    /// Returns the file of the blocks.
    pub(in crate::layout::sliding) const fn file(&self) -> &F {
        &self.file
    }

    /// Returns the file, to change how it is read.
    pub(in crate::layout::sliding) const fn file_mut(&mut self) -> &mut F {
        &mut self.file
    }

    /// Sets the `cancellation` of later reads and resets the statistics.
    pub(in crate::layout::sliding) fn resume(&mut self, cancellation: &Cancellation) {
        self.cancellation = cancellation.clone();
        self.statistics = AccessStatistics::default();
    }

    /// Returns the path of the blocks.
    pub(in crate::layout::sliding) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the bytes and requests for reading `blocks`.
    pub(in crate::layout::sliding) fn requests_for(&self, blocks: impl Iterator<Item = BlockId>) -> (u64, u64) {
        let places: Vec<_> = blocks.map(|block| self.table.place(block)).filter(|place| !place.is_empty()).collect();
        let pieces = pieces(&joined(places), self.file.alignment());
        (pieces.iter().map(|piece| piece.length).sum(), length_from(pieces.len()))
    }

    /// Calls [`Shards::read`], with the checksum of each nonempty block that is not resident.
    pub(in crate::layout::sliding) fn read_with_checksums(&self, blocks: &[BlockId], take: Take<'_>) -> Result<()> {
        let wanted: Vec<bool> = blocks.iter().map(|block| self.is_wanted(*block)).collect();
        let places = blocks.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
        let runs = joined(places.map(|(block, _)| self.table.place(*block)));
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

    /// Returns true if a block must be read.
    fn is_wanted(&self, block: BlockId) -> bool {
        !self.table.place(block).is_empty() && !self.is_resident(block)
    }
}

/// Function called with the position of a block, its arcs and its checksum.
type Take<'t> = &'t mut dyn FnMut(usize, &ArcBlock, Option<u64>) -> Result<()>;

/// Joins consecutive places.
fn joined(places: impl IntoIterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for place in places {
        match runs.last_mut() {
            Some(last) if last.end == place.start => last.end = place.end,
            _ => runs.push(place),
        }
    }
    runs
}

impl<F: BlockFile> Shards for BlockShards<F> {
    fn bounds(&self) -> &[VertexId] {
        self.table.bounds()
    }

    fn weights(&self) -> Option<WeightType> {
        self.table.weights()
    }

    fn arcs(&self, block: BlockId) -> u64 {
        u64::from(self.table.arcs(block))
    }

    fn bytes(&self, block: BlockId) -> u64 {
        let place = self.table.place(block);
        place.end - place.start
    }

    fn read(&self, blocks: &[BlockId], take: &mut dyn FnMut(usize, &ArcBlock) -> Result<()>) -> Result<()> {
        self.read_with_checksums(blocks, &mut |place, arcs, _| take(place, arcs))
    }

    fn reading_bytes(&self) -> u64 {
        let table = &self.table;
        let (intervals, bytes, largest, weighted) =
            (table.intervals(), table.end(), table.largest(), table.weights().is_some());
        Reading { intervals, bytes, largest, weighted, buffers: self.file.buffer_bytes() }.bytes()
    }

    fn statistics(&self) -> &AccessStatistics {
        &self.statistics
    }
}

/// Delivers blocks in order as their bytes arrive.
struct Delivery<'d, F> {
    shards: &'d BlockShards<F>,
    blocks: &'d [BlockId],
    /// `true` for blocks read from the file.
    wanted: &'d [bool],
    take: Take<'d>,
    next: usize,
    held: u64,
    /// Arrived bytes, of which the first `used` are delivered.
    bytes: Vec<u8>,
    used: usize,
    arcs: ArcBlock,
}

impl<'d, F: BlockFile> Delivery<'d, F> {
    fn new(shards: &'d BlockShards<F>, blocks: &'d [BlockId], wanted: &'d [bool], take: Take<'d>) -> Self {
        Self { shards, blocks, wanted, take, next: 0, held: 0, bytes: Vec::new(), used: 0, arcs: ArcBlock::default() }
    }

    /// Adds the bytes of a piece.
    fn feed(&mut self, piece: &Piece, bytes: &[u8]) -> Result<()> {
        self.shards.statistics.count_request(piece.length);
        self.bytes.drain(..self.used.min(self.bytes.len()));
        self.used = 0;
        let wanted = piece.wanted(bytes);
        self.bytes.reserve_exact(wanted.len());
        self.bytes.extend_from_slice(wanted);
        self.advance()
    }

    /// Delivers blocks as far as their bytes have arrived.
    fn advance(&mut self) -> Result<()> {
        while let Some(block) = self.blocks.get(self.next).copied() {
            let table = &self.shards.table;
            let (position, place) = (table.position(block), table.place(block));
            let mut checksum = None;
            if self.wanted.get(self.next).copied().unwrap_or(false) {
                let length = index_from(place.end - place.start);
                let Some(bytes) = self.bytes.get(self.used..self.used + length) else { return Ok(()) };
                let payload = self.shards.seal.open(position, bytes, self.shards.file.path())?;
                decode(self.shards, block, payload, &mut self.arcs)?;
                checksum = bytes.first_chunk().map(|header| u64::from_le_bytes(*header));
                self.shards.held.keep(position, bytes);
                self.used += length;
            } else if let Some(bytes) = self.shards.held.get(position) {
                decode(self.shards, block, block::payload(bytes), &mut self.arcs)?;
                self.held += 1;
            } else {
                self.arcs.clear();
            }
            (self.take)(self.next, &self.arcs, checksum)?;
            self.next += 1;
        }
        Ok(())
    }
}

fn decode<F: BlockFile>(shards: &BlockShards<F>, id: BlockId, payload: &[u8], into: &mut ArcBlock) -> Result<()> {
    let malformed = |_| malformed(shards.file.path(), shards.table.position(id));
    block::decode(payload, shards.table.shape(id), into).map_err(malformed)
}
