//! Index of the paper, with 12 bytes per vertex (ChunkGraph, section 3.2).

use super::class_block::{Class, ClassBlock};
use super::compact::CompactIndex;
use super::load::Loader;
use super::place::Place;
use crate::access::StoredNeighbors;
use crate::layout::chunked::format::entries_name;
use outcrop_types::{Purpose, Result, VertexId, VertexValues, index_from, number_from};

/// Degrees, and the neighbors of mini vertices or the chunk and entry of others.
#[derive(Debug)]
pub(crate) struct DirectIndex {
    /// Degree 0, 1 or 2 of vertices without a chunked list, otherwise 3: reading needs no more.
    degrees: VertexValues<u32>,
    slots: VertexValues<[u32; 2]>,
    /// Index of weighted lists: weights do not fit in the slots, which then contain the position of the entries.
    weighted: Option<CompactIndex>,
}

impl DirectIndex {
    /// Returns the memory of the index, in bytes.
    pub(super) fn bytes(vertices: u32) -> u64 {
        let vertices = u64::from(vertices);
        VertexValues::<u32>::bytes(vertices) + VertexValues::<[u32; 2]>::bytes(vertices)
    }

    pub(super) fn load(loader: &Loader<'_>, compact: CompactIndex) -> Result<Self> {
        let vertices = index_from(u64::from(loader.store.manifest().graph.vertices));
        let entries = loader.array::<u32>(entries_name, u64::from(loader.entry.located))?;
        let mut degrees = VertexValues::new(loader.budget, Purpose::Index, vertices, |_| 0_u32)?;
        let mut slots = VertexValues::new(loader.budget, Purpose::Index, vertices, |_| [0_u32; 2])?;
        for (vertex, (degree, slot)) in (0..).zip(degrees.iter_mut().zip(slots.iter_mut())) {
            match compact.class(vertex) {
                Class::Empty => {}
                Class::Mini(first, count) => {
                    *degree = number_from(count);
                    let ids = compact.minis(first, count);
                    slot.iter_mut().zip(ids.ids()).for_each(|(slot, id)| *slot = *id);
                }
                Class::Located(rank) => {
                    *degree = number_from(ClassBlock::LOCATED);
                    *slot = [compact.chunk(rank), entries.get(index_from(u64::from(rank))).copied().unwrap_or(0)];
                }
            }
        }
        let weighted = loader.store.manifest().weights().map(|_| compact);
        Ok(Self { degrees, slots, weighted })
    }

    /// Returns the entry in the chunk's directory for the list of `vertex`, which must be in a chunk.
    #[inline]
    pub(super) fn entry(&self, vertex: VertexId) -> Option<usize> {
        self.slots.get(index_from(u64::from(vertex))).map(|slot| index_from(u64::from(slot[1])))
    }

    #[inline]
    pub(super) fn place(&self, vertex: VertexId) -> Place<'_> {
        let position = index_from(u64::from(vertex));
        let (Some(degree), Some(slot)) = (self.degrees.get(position), self.slots.get(position)) else {
            return Place::Empty;
        };
        match (*degree, &self.weighted) {
            (0, _) => Place::Empty,
            (1 | 2, Some(weighted)) => weighted.place(vertex),
            (1, None) => Place::Mini(StoredNeighbors::new(&slot[..1], None)),
            (2, None) => Place::Mini(StoredNeighbors::new(slot, None)),
            _ => Place::Chunk(slot[0]),
        }
    }
}
