//! Index of about one byte per vertex: classes with ranks, mini neighbors, bit-packed chunk numbers.

use super::class_block::{Class, ClassBlock};
use super::load::{Loader, PART_BUFFERS};
use super::packed_numbers::PackedNumbers;
use super::place::{First, Place};
use crate::access::{StoredNeighbors, StoredWeights};
use crate::component::{Component, PAYLOAD_BYTES};
use crate::layout::chunked::entry::ChunkedEntry;
use crate::layout::chunked::format::{classes_name, mini_weights_name, minis_name, places_name};
use crate::layout::chunked::table::{ChunkTable, NumbersInFile};
use outcrop_types::{
    Cancellation, Error, Purpose, Result, VertexId, VertexRange, VertexValues, WeightType, index_from, length_from,
    number_from,
};
use std::ops::Range;

const NO_VERTEX: &str = "it contains a vertex that does not exist";
const NO_WEIGHT: &str = "it contains a weight that is not a number";
const NO_CHUNK: &str = "it places a list in a chunk that does not exist";

/// Compact index; see the module.
#[derive(Debug)]
pub(crate) struct CompactIndex {
    blocks: VertexValues<ClassBlock>,
    minis: VertexValues<VertexId>,
    /// Weights of mini vertices, in the store's encoding.
    mini_weights: Option<(WeightType, VertexValues<u8>)>,
    places: PackedNumbers,
}

impl CompactIndex {
    /// Returns the memory of the index without the chunk table, in bytes.
    pub(super) fn bytes(entry: &ChunkedEntry, vertices: u32, weights: Option<WeightType>) -> u64 {
        let mini = entry.mini_entries.saturating_mul(4 + WeightType::bytes_of(weights));
        let width = PackedNumbers::width_for(entry.chunks());
        ClassBlock::bytes(vertices).saturating_add(mini).saturating_add(PackedNumbers::bytes(entry.located, width))
    }

    pub(super) fn load(loader: &Loader<'_>, table: &ChunkTable) -> Result<Self> {
        let (entry, vertices) = (loader.entry, loader.store.manifest().graph.vertices);
        let blocks = loader.array::<ClassBlock>(classes_name, u64::from(vertices.div_ceil(ClassBlock::VERTICES)))?;
        if !consistent(&blocks, entry, vertices) {
            let path = loader.component(classes_name, ClassBlock::bytes(vertices))?.path().to_owned();
            return Err(Error::corrupt(path, "its classes are inconsistent, or differ from the manifest"));
        }
        let minis = loader.array::<VertexId>(minis_name, entry.mini_entries)?;
        if minis.iter().any(|neighbor| *neighbor >= vertices) {
            let path = loader.component(minis_name, entry.mini_entries * 4)?.path().to_owned();
            return Err(Error::corrupt(path, NO_VERTEX));
        }
        let weight_bytes = |kind: WeightType| entry.mini_entries.saturating_mul(kind.bytes());
        let mini_weights = match loader.store.manifest().weights() {
            Some(kind) => Some((kind, loader.array::<u8>(mini_weights_name, weight_bytes(kind))?)),
            None => None,
        };
        if let Some((kind, _)) = mini_weights.as_ref().filter(|(kind, weights)| !kind.are_finite(weights)) {
            let path = loader.component(mini_weights_name, weight_bytes(*kind))?.path().to_owned();
            return Err(Error::corrupt(path, NO_WEIGHT));
        }
        Ok(Self { blocks, minis, mini_weights, places: Places::open(loader, table)?.load(loader.cancellation)? })
    }

    /// Loads the parts of the index with the lists of `members`. Those of other vertices must not be read.
    pub(super) fn load_of(loader: &Loader<'_>, table: &ChunkTable, members: &[VertexId]) -> Result<Self> {
        let (entry, manifest) = (loader.entry, loader.store.manifest());
        let vertices = manifest.graph.vertices;
        let mut blocks =
            loader.parts::<ClassBlock>(classes_name, u64::from(vertices.div_ceil(ClassBlock::VERTICES)))?;
        let mut minis = loader.parts::<VertexId>(minis_name, entry.mini_entries)?;
        let bytes = |kind: WeightType| entry.mini_entries.saturating_mul(kind.bytes());
        let weights = manifest.weights().map(|kind| Ok((kind, loader.parts::<u8>(mini_weights_name, bytes(kind))?)));
        let mut weights = weights.transpose()?;
        let block = |vertex: &VertexId| u64::from(vertex / ClassBlock::VERTICES);
        let of_members: Vec<_> = members.iter().map(|vertex| block(vertex)..block(vertex) + 1).collect();
        blocks.read(&of_members)?;
        let (mut lists, mut located) = (Vec::new(), Vec::new());
        for (vertex, block) in members.iter().zip(&of_members) {
            match blocks.values(block).first().map_or(Class::Empty, |block| block.class(*vertex)) {
                Class::Empty => {}
                Class::Located(rank) => located.push(rank),
                Class::Mini(first, degree) => lists.push(first..first.saturating_add(length_from(degree))),
            }
        }
        minis.read(&lists)?;
        if lists.iter().any(|list| minis.values(list).iter().any(|neighbor| *neighbor >= vertices)) {
            return Err(Error::corrupt(minis.reader.path(), NO_VERTEX));
        }
        if let Some((kind, weights)) = &mut weights {
            let of_lists = |list: &Range<u64>| list.start * kind.bytes()..list.end * kind.bytes();
            let of_lists: Vec<_> = lists.iter().map(of_lists).collect();
            weights.read(&of_lists)?;
            if !of_lists.iter().all(|list| kind.are_finite(weights.values(list))) {
                return Err(Error::corrupt(weights.reader.path(), NO_WEIGHT));
            }
        }
        let mut places = Places::open(loader, table)?;
        places.read(located)?;
        let mini_weights = weights.map(|(kind, weights)| (kind, weights.values));
        Ok(Self { blocks: blocks.values, minis: minis.values, mini_weights, places: places.numbers })
    }

    #[inline]
    pub(super) fn place(&self, vertex: VertexId) -> Place<'_> {
        self.place_of(self.class(vertex))
    }

    #[inline]
    fn place_of(&self, class: Class) -> Place<'_> {
        match class {
            Class::Empty => Place::Empty,
            Class::Mini(first, degree) => Place::Mini(self.minis(first, degree)),
            Class::Located(rank) => Place::Chunk(self.places.get(rank)),
        }
    }

    #[inline]
    pub(super) fn for_each_place<'i>(
        &'i self,
        first: VertexId,
        wanted: u64,
        mut take: impl FnMut(VertexId, Place<'i>),
    ) {
        if let Some(block) = self.block(first) {
            block.for_each(wanted, |bit, class| take(first + bit, self.place_of(class)));
        }
    }

    #[inline]
    fn block(&self, vertex: VertexId) -> Option<&ClassBlock> {
        self.blocks.get(index_from(u64::from(vertex / ClassBlock::VERTICES)))
    }

    #[inline]
    pub(super) fn class(&self, vertex: VertexId) -> Class {
        self.block(vertex).map_or(Class::Empty, |block| block.class(vertex))
    }

    /// Returns the located vertices among the 64 from `vertex` on as bits, and their number before.
    #[inline]
    pub(super) fn located(&self, vertex: VertexId) -> (u64, u32) {
        self.block(vertex).map_or((0, 0), ClassBlock::located)
    }

    #[inline]
    pub(super) fn for_each_first(&self, vertex: VertexId, wanted: u64, mut take: impl FnMut(u32, First)) {
        let Some(block) = self.block(vertex) else { return };
        block.for_each(wanted, |bit, class| match class {
            Class::Located(rank) => take(bit, First::Located(rank)),
            Class::Mini(first, _) => {
                let first = self.minis.get(index_from(first));
                take(bit, first.map_or(First::None, |first| First::Neighbor(*first)));
            }
            Class::Empty => take(bit, First::None),
        });
    }

    #[inline]
    pub(super) fn minis(&self, first: u64, degree: usize) -> StoredNeighbors<'_> {
        let first = index_from(first);
        // Default: an index entry beyond the end yields no neighbors.
        let ids = self.minis.get(first..first + degree).unwrap_or_default();
        let weights = self.mini_weights.as_ref().map(|(kind, weights)| StoredWeights::new(*kind, weights));
        StoredNeighbors::new(ids, weights.map(|weights| weights.part(first..first + degree)))
    }

    #[inline]
    pub(super) fn chunk(&self, rank: u32) -> u32 {
        self.places.get(rank)
    }

    #[inline]
    pub(super) fn for_each_outside_chunks<'i>(
        &'i self,
        range: VertexRange,
        mut take: impl FnMut(VertexId, StoredNeighbors<'i>),
    ) {
        let mut start = range.start;
        while start < range.end {
            let block = start / ClassBlock::VERTICES;
            let end = range.end.min((block + 1).saturating_mul(ClassBlock::VERTICES));
            if let Some(block) = self.blocks.get(index_from(u64::from(block))) {
                block.for_each_outside_chunks(VertexRange::new(start, end), |vertex, first, degree| {
                    take(vertex, self.minis(first, degree));
                });
            }
            start = end;
        }
    }
}

/// Returns true if each block continues the previous one, and the last ends as the manifest states.
fn consistent(blocks: &[ClassBlock], entry: &ChunkedEntry, vertices: u32) -> bool {
    let mut expected = ClassBlock::default();
    let mut left = vertices;
    for block in blocks {
        if !block.agrees_with(&expected, left) {
            return false;
        }
        expected = block.next();
        left = left.saturating_sub(ClassBlock::VERTICES);
    }
    expected.before() == (entry.mini_entries, entry.located)
}

/// Chunks of located vertices, numbered in file order.
struct Places {
    component: Component,
    in_file: NumbersInFile,
    numbers: PackedNumbers,
    located: u32,
}

impl Places {
    fn open(loader: &Loader<'_>, table: &ChunkTable) -> Result<Self> {
        let entry = loader.entry;
        let component = loader.component(places_name, u64::from(entry.located) * 4)?;
        let width = PackedNumbers::width_for(entry.chunks());
        let numbers = PackedNumbers::new(loader.budget, Purpose::Index, entry.located, width)?;
        let in_file = table.numbers_in_file(loader.budget, &entry.settings)?;
        Ok(Self { component, in_file, numbers, located: entry.located })
    }

    fn set(&mut self, rank: u32, bits: [u8; 4]) -> Result<()> {
        let chunk = self.in_file.of(u32::from_le_bytes(bits));
        self.numbers.set(rank, chunk.ok_or_else(|| Error::corrupt(self.component.path(), NO_CHUNK))?);
        Ok(())
    }

    /// Reads the chunks of some located vertices.
    fn read(&mut self, mut ranks: Vec<u32>) -> Result<()> {
        ranks.sort_unstable();
        if ranks.last().is_some_and(|last| *last >= self.located) {
            return Err(Error::corrupt(self.component.path(), NO_CHUNK));
        }
        let bytes = ranks.iter().map(|rank| u64::from(*rank) * 4..u64::from(*rank) * 4 + 4);
        self.component.reader_of(PART_BUFFERS)?.for_each_unit_with(bytes, |number, payload| {
            let first = number * length_from(PAYLOAD_BYTES / 4);
            let start = ranks.partition_point(|rank| u64::from(*rank) < first);
            let chunks = payload.as_chunks().0;
            let here = ranks[start..]
                .iter()
                .map_while(|rank| chunks.get(index_from(u64::from(*rank) - first)).map(|bits| (*rank, *bits)));
            here.into_iter().try_for_each(|(rank, bits)| self.set(rank, bits))
        })
    }

    /// Reads all chunks.
    fn load(mut self, cancellation: &Cancellation) -> Result<PackedNumbers> {
        let units = 0..self.component.units();
        self.component.reader()?.for_each_unit(units, cancellation, |number, payload| {
            let first = number * length_from(PAYLOAD_BYTES / 4);
            let count = u64::from(self.located).saturating_sub(first);
            let mut numbers = (first..).zip(payload.as_chunks().0).take(index_from(count));
            numbers.try_for_each(|(rank, bits)| self.set(number_from(rank), *bits))
        })?;
        Ok(self.numbers)
    }
}
