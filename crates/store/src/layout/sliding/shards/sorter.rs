//! Sorts the arcs into an interval by block, source and target, and encodes them.

use super::block;
use crate::access::{ArcBlock, Neighbors};
use crate::component::{UNIT_HEADER_BYTES, UnitSeal};
use crate::layout::sliding::finder::{Finder, position};
use outcrop_types::{Error, Result, VertexId, WeightType, index_from, length_from};
use std::ops::Range;

/// Maximum number of arcs of a block, so that its length fits in 32 bits.
pub(super) const MAX_BLOCK_ARCS: u64 = 1 << 28;

/// Encoded blocks of a shard, or consecutive ones, as they are written to a file.
#[derive(Debug, Default)]
pub struct EncodedShard {
    bytes: Vec<u8>,
    blocks: Vec<EncodedBlock>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EncodedBlock {
    /// Position in file order.
    pub position: u64,
    pub arcs: u32,
    pub bytes: u32,
}

impl EncodedShard {
    /// Returns the maximum memory of `arcs` arcs in `blocks` blocks, in bytes.
    pub const fn most_bytes(arcs: u64, blocks: u64, weights: Option<WeightType>) -> u64 {
        let each = block::most_bytes(0, weights) + length_from(UNIT_HEADER_BYTES + size_of::<EncodedBlock>()) + 3;
        block::most_bytes(arcs, weights) + blocks * each
    }

    /// Removes all blocks and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.blocks.clear();
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn blocks(&self) -> &[EncodedBlock] {
        &self.blocks
    }

    /// Appends a block with its checksum.
    fn push(&mut self, place: Place, arcs: &ArcBlock, relative: &mut Vec<u32>) -> Result<()> {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(&[0; UNIT_HEADER_BYTES]);
        block::encode(arcs, place.bases, place.weights, relative, &mut self.bytes);
        let (header, payload) = self.bytes[begin..].split_at_mut(UNIT_HEADER_BYTES);
        header.copy_from_slice(&place.seal.checksum(place.position, payload).to_le_bytes());
        let bytes = u32::try_from(UNIT_HEADER_BYTES + payload.len()).map_err(|_| too_large(arcs.len()))?;
        let arcs = u32::try_from(arcs.len()).map_err(|_| too_large(arcs.len()))?;
        self.blocks.push(EncodedBlock { position: place.position, arcs, bytes });
        Ok(())
    }
}

/// Destination of a block.
struct Place {
    position: u64,
    /// Starts of its intervals.
    bases: (VertexId, VertexId),
    weights: Option<WeightType>,
    seal: UnitSeal,
}

fn too_large(arcs: usize) -> Error {
    let most = MAX_BLOCK_ARCS;
    Error::Usage(format!("a shard block has {arcs} arcs, more than the limit of {most}; increase --intervals"))
}

/// Sorter and encoder, one per thread.
#[derive(Debug)]
pub struct ShardSorter {
    finder: Finder,
    seal: UnitSeal,
    /// `true` if loops and repeated arcs are removed.
    simple: bool,
    /// Start of the arcs of each block; during encoding, their end.
    places: Vec<usize>,
    arcs: Arcs,
    block: ArcBlock,
    relative: Vec<u32>,
}

/// Source and target in one number that sorts like the arc, and a weight as a number with the same order.
#[derive(Debug)]
enum Arcs {
    Plain(Vec<u64>),
    Weighted(WeightType, Vec<(u64, u64)>),
}

impl ShardSorter {
    /// Returns the memory of a sorter for `intervals` intervals and `arcs` arcs at once, at most `largest` of them in
    /// one block, in bytes.
    pub const fn bytes(intervals: u32, arcs: u64, largest: u64, weights: Option<WeightType>) -> u64 {
        Finder::bytes(intervals) + (intervals as u64 + 1) * 8 + Self::bytes_of(arcs, largest, weights.is_some())
    }

    /// Returns the memory per arc for collecting, sorting and encoding, in bytes.
    pub const fn bytes_each(weights: Option<WeightType>) -> u64 {
        let collected = if weights.is_some() { 12 } else { 4 };
        collected + Self::bytes_of(1, 1, weights.is_some()) + 9 + WeightType::bytes_of(weights)
    }

    const fn bytes_of(arcs: u64, largest: u64, weighted: bool) -> u64 {
        // Sorting weighted arcs takes another half of their memory.
        let (sorted, decoded) = if weighted { (24, 20) } else { (8, 12) };
        arcs * sorted + largest * decoded
    }

    pub(in crate::layout::sliding) fn new(finder: &Finder, seal: UnitSeal, weights: Option<WeightType>) -> Self {
        let arcs = weights.map_or(Arcs::Plain(Vec::new()), |kind| Arcs::Weighted(kind, Vec::new()));
        let finder = finder.clone();
        let block = ArcBlock::default();
        Self { finder, seal, simple: false, places: Vec::new(), arcs, block, relative: Vec::new() }
    }

    /// Removes loops and repeated arcs; keeps the smallest weight of each arc.
    #[must_use]
    pub fn simple(mut self) -> Self {
        self.simple = true;
        self
    }

    /// Appends to `into` the blocks from the intervals `from` into the interval `to`. `lists` are the in-lists of the
    /// vertices of that interval; neighbors in other intervals are skipped.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for a block of more than 2^28 arcs.
    pub fn encode<'l>(
        &mut self,
        (from, to): (Range<u32>, u32),
        lists: impl Iterator<Item = (VertexId, Neighbors<'l>)> + Clone,
        into: &mut EncodedShard,
    ) -> Result<()> {
        let sources = self.finder.range(from.start).start..self.finder.range(from.end.saturating_sub(1)).end;
        self.count(&sources, lists.clone());
        let arcs = self.places.last().copied().unwrap_or(0);
        match &mut self.arcs {
            Arcs::Plain(keys) => {
                keys.clear();
                keys.reserve_exact(arcs);
                keys.resize(arcs, 0);
                entries(&sources, lists).for_each(|(target, source, _)| {
                    put(&mut self.places, self.finder.find(source), keys, key(source, target));
                });
            }
            Arcs::Weighted(_, keys) => {
                keys.clear();
                keys.reserve_exact(arcs);
                keys.resize(arcs, (0, 0));
                entries(&sources, lists).for_each(|(target, source, weight)| {
                    put(&mut self.places, self.finder.find(source), keys, (key(source, target), ordered(weight)));
                });
            }
        }
        from.into_iter().try_for_each(|from| self.finish(from, to, into))
    }

    /// Fills `places` with the start of the arcs of each block, followed by their total number.
    fn count<'l>(&mut self, sources: &Range<VertexId>, lists: impl Iterator<Item = (VertexId, Neighbors<'l>)>) {
        self.places.clear();
        self.places.resize(self.finder.intervals() + 1, 0);
        entries(sources, lists).for_each(|(_, source, _)| {
            if let Some(count) = self.places.get_mut(self.finder.find(source)) {
                *count += 1;
            }
        });
        let mut begin = 0;
        for place in &mut self.places {
            let count = std::mem::replace(place, begin);
            begin += count;
        }
    }

    /// Sorts and encodes the arcs from the interval `from`; those of the previous interval end at their start.
    fn finish(&mut self, from: u32, to: u32, into: &mut EncodedShard) -> Result<()> {
        let number = index_from(u64::from(from));
        let begin = number.checked_sub(1).and_then(|before| self.places.get(before)).copied().unwrap_or(0);
        let places = begin..self.places.get(number).copied().unwrap_or(begin);
        let position = position(self.finder.intervals(), from, to);
        if length_from(places.len()) > MAX_BLOCK_ARCS {
            return Err(too_large(places.len()));
        }
        self.fill_block(places);
        if self.block.is_empty() {
            into.blocks.push(EncodedBlock { position, arcs: 0, bytes: 0 });
            return Ok(());
        }
        let weights = match self.arcs {
            Arcs::Plain(_) => None,
            Arcs::Weighted(kind, _) => Some(kind),
        };
        let bases = (self.finder.range(from).start, self.finder.range(to).start);
        into.push(Place { position, bases, weights, seal: self.seal }, &self.block, &mut self.relative)
    }

    fn fill_block(&mut self, places: Range<usize>) {
        let (block, simple) = (&mut self.block, self.simple);
        block.clear();
        block.sources.reserve_exact(places.len());
        block.targets.reserve_exact(places.len());
        self.relative.clear();
        self.relative.reserve_exact(places.len());
        match &mut self.arcs {
            Arcs::Plain(keys) => {
                let keys = &mut keys[places];
                keys.sort_unstable();
                fill(block, keys.iter().map(|key| (*key, None)), simple);
            }
            Arcs::Weighted(_, keys) => {
                let keys = &mut keys[places];
                // Repeated arcs stay in input order, unless only one of them is kept.
                if simple {
                    keys.sort_unstable()
                } else {
                    keys.sort_by_key(|(key, _)| *key)
                }
                fill(block, keys.iter().map(|(key, weight)| (*key, Some(*weight))), simple);
            }
        }
    }
}

/// Fills `block` with sorted arcs.
#[inline]
fn fill(block: &mut ArcBlock, arcs: impl Iterator<Item = (u64, Option<u64>)>, simple: bool) {
    let mut last = None;
    for (key, weight) in arcs {
        let (source, target) = (high(key), low(key));
        if simple && (source == target || last.replace(key) == Some(key)) {
            continue;
        }
        block.sources.push(source);
        block.targets.push(target);
        block.weights.extend(weight.map(unordered));
    }
}

/// Yields the entries of `lists` with a neighbor in `sources`: the vertex of the list, the neighbor and the weight.
#[inline]
fn entries<'l>(
    sources: &Range<VertexId>,
    lists: impl Iterator<Item = (VertexId, Neighbors<'l>)>,
) -> impl Iterator<Item = (VertexId, VertexId, f64)> {
    lists.flat_map(move |(target, list)| {
        let weights = list.weights();
        let weight = move |place: usize| weights.and_then(|weights| weights.get(place)).copied().unwrap_or(1.0);
        let all = list.ids().iter().enumerate().filter(|(_, source)| sources.contains(source));
        all.map(move |(place, source)| (target, *source, weight(place)))
    })
}

/// Converts a weight to a number with the same order.
#[inline]
const fn ordered(weight: f64) -> u64 {
    let bits = weight.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[inline]
const fn unordered(number: u64) -> f64 {
    f64::from_bits(if number >> 63 == 1 { number & !(1 << 63) } else { !number })
}

/// Appends an arc to its block.
#[inline]
fn put<T>(places: &mut [usize], block: usize, arcs: &mut [T], arc: T) {
    if let Some(place) = places.get_mut(block) {
        if let Some(slot) = arcs.get_mut(*place) {
            *slot = arc;
        }
        *place += 1;
    }
}

#[inline]
fn key(source: VertexId, target: VertexId) -> u64 {
    u64::from(source) << 32 | u64::from(target)
}

#[inline]
fn high(key: u64) -> VertexId {
    (key >> 32) as VertexId
}

#[inline]
fn low(key: u64) -> VertexId {
    (key & u64::from(u32::MAX)) as VertexId
}
