//! First neighbors of chunked lists, in a separate component: if a visitor needs only the first neighbor, neither the
//! list nor its chunk is read. In degree order, the first neighbor is the one of the highest degree, which most
//! searches reach early (Beamer, Asanović and Patterson, SC 2012, section 5, on the order of neighbors).

use crate::access::{AccessStatistics, BitBlock, Visit};
use crate::component::{Component, ComponentReader, PAYLOAD_BYTES, UNIT_BYTES, units_for};
use crate::layout::chunked::entry::ChunkedEntry;
use crate::layout::chunked::format::firsts_name;
use crate::layout::chunked::index::{ChunkIndex, ClassBlock, First};
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{Error, Result, VertexId, index_from, length_from};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Number of vertices that a worker looks up at once.
pub(super) const VERTICES_AT_ONCE: u32 = 1 << 14;
/// Maximum bytes of first neighbors to read per list: about a quarter of the smallest chunk.
const WORTH_READING: u32 = 1 << 10;

/// Component with the first neighbors of a direction, open for reading.
pub(super) struct FirstNeighbors {
    component: Component,
    vertices: u32,
    /// Readers of idle workers.
    readers: Mutex<Vec<FirstReader>>,
}

/// Reader of one worker.
struct FirstReader {
    reader: ComponentReader,
    firsts: Vec<VertexId>,
}

impl FirstNeighbors {
    /// Memory of one worker's reader, in bytes.
    pub(super) const WORKER_BYTES: u64 = 4 * VERTICES_AT_ONCE as u64 + Self::BUFFER_BYTES;
    /// Buffer for all units that a block's first neighbors may span, in bytes.
    const BUFFER_BYTES: u64 = length_from((4 * VERTICES_AT_ONCE as usize / PAYLOAD_BYTES + 2) * UNIT_BYTES);

    /// Opens the component; `None` if the store does not have it.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened, or differs from the manifest in length.
    pub(super) fn open(store: &Store, entry: &ChunkedEntry, io: IoChoice) -> Result<Option<Self>> {
        let (name, manifest) = (firsts_name(entry.direction), store.manifest());
        if manifest.file(&name).is_none() {
            return Ok(None);
        }
        let (component, units) = (store.component(&name, io)?, units_for(4 * u64::from(entry.located)));
        if component.units() != units {
            let message = format!("it has {} units, but the manifest lists {units}", component.units());
            return Err(Error::corrupt(component.path(), message));
        }
        Ok(Some(Self { component, vertices: manifest.graph.vertices, readers: Mutex::default() }))
    }

    /// Releases the readers.
    pub(super) fn suspend(&self) {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Passes the first neighbors of the lists in `block` to `visit`, and clears empty lists and lists that they
    /// settle.
    ///
    /// # Errors
    /// Returns an error if a read fails or is damaged.
    pub(super) fn peek(
        &self,
        index: &ChunkIndex,
        block: &mut BitBlock,
        visit: &dyn Visit,
        statistics: &AccessStatistics,
    ) -> Result<()> {
        let wanted = RequestedRanks::of(index, block);
        if wanted.lists == 0 || wanted.span().len() > index_from(u64::from(wanted.lists * WORTH_READING / 4)) {
            return settle(index, block, visit, None);
        }
        let vacant = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = vacant.map_or_else(|| self.reader(), Ok)?;
        self.read(&mut reader, wanted.span(), statistics)?;
        settle(index, block, visit, Some((wanted.from, &reader.firsts)))?;
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        Ok(())
    }

    fn reader(&self) -> Result<FirstReader> {
        let reader = self.component.reader_of(index_from(Self::BUFFER_BYTES))?;
        Ok(FirstReader { reader, firsts: Vec::with_capacity(index_from(u64::from(VERTICES_AT_ONCE))) })
    }

    fn read(&self, reader: &mut FirstReader, span: Range<u32>, statistics: &AccessStatistics) -> Result<()> {
        reader.firsts.clear();
        reader.firsts.resize(span.len(), 0);
        reader.reader.read_at(4 * u64::from(span.start), bytemuck::cast_slice_mut(&mut reader.firsts))?;
        statistics.count_request(units_for(4 * length_from(span.len())) * length_from(UNIT_BYTES));
        match reader.firsts.iter().find(|first| **first >= self.vertices) {
            None => Ok(()),
            Some(_) => Err(Error::corrupt(self.component.path(), "it contains a vertex that does not exist")),
        }
    }
}

/// Passes the first neighbors of requested lists to `visit`, and clears empty lists and lists that they settle; of
/// chunked lists, those from a rank on, if they were read.
fn settle(index: &ChunkIndex, block: &mut BitBlock, visit: &dyn Visit, read: Option<(u32, &[VertexId])>) -> Result<()> {
    let mut neighbors = [0; ClassBlock::VERTICES as usize];
    block.try_for_each_word(|vertex, wanted| {
        let (mut shown, mut missing, mut empty) = (0, false, 0);
        index.for_each_first(vertex, *wanted, |bit, first| {
            let neighbor = match (first, read) {
                (First::None, _) => {
                    empty |= 1_u64 << bit;
                    return;
                }
                (First::Neighbor(neighbor), _) => Some(neighbor),
                (First::Located(rank), Some((from, firsts))) => {
                    let first = rank.checked_sub(from).and_then(|rank| firsts.get(rank as usize));
                    missing |= first.is_none();
                    first.copied()
                }
                (First::Located(_), None) => None,
            };
            if let Some(neighbor) = neighbor {
                neighbors[bit as usize] = neighbor;
                shown |= 1_u64 << bit;
            }
        });
        if missing {
            return Err(Error::internal("fewer first neighbors were read than lists were requested"));
        }
        // An empty list on disk may have new entries.
        *wanted &= !empty | visit.changed(vertex);
        if shown != 0 {
            *wanted &= !shown | visit.peek(vertex, shown, &neighbors);
        }
        Ok(())
    })
}

/// Returns the number of bits below `bit`.
const fn rank_of(bits: u64, bit: u32) -> u32 {
    (bits & ((1 << bit) - 1)).count_ones()
}

/// Number of chunked lists that a block requests, and their first and last rank.
#[derive(Default)]
struct RequestedRanks {
    lists: u32,
    from: u32,
    to: u32,
}

impl RequestedRanks {
    fn of(index: &ChunkIndex, block: &BitBlock) -> Self {
        let (first, words) = block.words();
        let mut all = Self::default();
        for (word, vertex) in words.iter().zip((first..).step_by(ClassBlock::VERTICES as usize)) {
            let (located, before) = index.located(vertex);
            let wanted = word & located;
            if wanted != 0 {
                all.from = if all.lists == 0 { before + rank_of(located, wanted.trailing_zeros()) } else { all.from };
                all.to = before + rank_of(located, wanted.ilog2()) + 1;
                all.lists += wanted.count_ones();
            }
        }
        all
    }

    const fn span(&self) -> Range<u32> {
        self.from..self.to
    }
}
