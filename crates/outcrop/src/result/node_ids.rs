//! Translation of ranks to original IDs.

use super::source::{TEXT_MEMORY, TableSource};
use arrow_array::builder::{LargeStringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, LargeStringArray, UInt64Array};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use outcrop_algorithms::UNREACHED;
use outcrop_io::IoChoice;
use outcrop_store::writing::IdBatch;
use outcrop_store::{OriginalIdReader, OriginalIds, RankReader, Store};
use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, VertexId, VertexRange, length_from};
use std::ops::Range;
use std::sync::Arc;

/// Maximum gap between ranks that one read covers.
const READ_GAP: u32 = 1 << 10;
/// Maximum span of ranks per read.
const READ_SPAN: u32 = 1 << 15;

/// Lookup of original IDs: all in memory if the budget allows it, otherwise from disk in batches.
pub struct NodeIds<'s> {
    kind: OriginalIds,
    store: &'s Store,
    reader: OriginalIdReader<'s>,
    loaded: Option<(IdBatch, Reservation)>,
    /// Maximum memory for the texts of a column, in bytes.
    room: u64,
}

impl<'s> NodeIds<'s> {
    /// Opens the IDs; with `any_rank`, loads them if they fit, since ranks will be requested in any order.
    pub(crate) fn open(source: &'s TableSource, any_rank: bool) -> Result<Self> {
        let store = &*source.store;
        let mut reader = OriginalIdReader::open(store, source.io)?;
        let kind = store.manifest().numbering.ids;
        let wanted = any_rank && kind != OriginalIds::Dense;
        let held =
            wanted.then(|| source.budget.reserve(Self::bytes_of_all(store), Purpose::IdMap)).and_then(Result::ok);
        let loaded = held.map(|held| Ok((reader.ids(0..store.manifest().graph.vertices)?, held))).transpose()?;
        Ok(Self { kind, store, reader, loaded, room: TEXT_MEMORY })
    }

    /// Returns the memory of all IDs of `store`, in bytes.
    pub(crate) fn bytes_of_all(store: &Store) -> u64 {
        let files = store.manifest().files.iter().filter(|file| file.name.starts_with("ids."));
        let bytes: u64 = files.map(|file| file.bytes).sum();
        // Strings and their ends are in memory twice while they are read.
        if store.manifest().numbering.ids == OriginalIds::Text { 2 * bytes } else { bytes }
    }

    /// Returns the memory for keeping all IDs of `store` and its vertex order as they are read, in bytes.
    pub(crate) fn bytes_to_keep(store: &Store) -> u64 {
        let files = store.manifest().files.iter();
        files
            .filter(|file| file.name.starts_with("ids.") || file.name.starts_with("order."))
            .map(|file| file.bytes)
            .sum()
    }

    /// Returns the result of `make`; if the memory for texts of IDs does not suffice, extends it to all that `budget`
    /// has left.
    ///
    /// # Errors
    ///
    /// Returns the error of `make`, or an error if the budget cannot hold the texts.
    pub(super) fn in_any_room<T>(
        &mut self,
        budget: &MemoryBudget,
        mut make: impl FnMut(&mut Self) -> Result<Option<T>>,
    ) -> Result<T> {
        if let Some(made) = make(self)? {
            return Ok(made);
        }
        let room = budget.available();
        let _texts = budget.reserve(room, Purpose::Results)?;
        self.room = self.room.saturating_add(room);
        make(self)?.ok_or_else(|| no_room(budget))
    }

    /// Returns the type of ID columns.
    pub fn data_type(kind: OriginalIds) -> DataType {
        if kind == OriginalIds::Text { DataType::LargeUtf8 } else { DataType::UInt64 }
    }

    /// Returns the longest prefix of `ranks` whose IDs fit in a batch.
    pub(crate) fn batch(&mut self, ranks: Range<u32>) -> Result<Range<u32>> {
        Ok(ranks.start..self.reader.batch_end(ranks, TEXT_MEMORY / 2)?)
    }

    /// Returns the vertices of `ranks`.
    pub(crate) fn vertices(&mut self, ranks: Range<u32>) -> Result<Vec<VertexId>> {
        self.reader.vertices(ranks)
    }

    /// Returns the IDs of consecutive ranks.
    pub(crate) fn of_range(&mut self, ranks: Range<u32>) -> Result<ArrayRef> {
        match (&self.loaded, self.kind) {
            (_, OriginalIds::Dense) => Ok(Arc::new(UInt64Array::from_iter_values(ranks.map(u64::from)))),
            (Some((ids, _)), _) => pick(ids, &ranks.map(Some).collect::<Vec<_>>(), u64::MAX).and_then(fitting),
            (None, _) => {
                let ids = self.reader.ids(ranks)?;
                self.array_of(ids)
            }
        }
    }

    fn array_of(&self, ids: IdBatch) -> Result<ArrayRef> {
        match ids {
            IdBatch::Integers(ids) => Ok(Arc::new(UInt64Array::from(ids))),
            IdBatch::Texts { bytes, ends } => {
                let ends = std::iter::once(0).chain(ends).map(|end| end as i64);
                let offsets = OffsetBuffer::new(ScalarBuffer::from_iter(ends));
                let array = LargeStringArray::try_new(offsets, bytes.into(), None);
                Ok(Arc::new(
                    array.map_err(|error| Error::corrupt(self.store.folder().join("ids.texts"), error.to_string()))?,
                ))
            }
        }
    }

    /// Returns the IDs of any ranks; null for [`UNREACHED`]. Returns `None` if there are several and their texts exceed
    /// the memory.
    pub(crate) fn of_ranks(&mut self, ranks: &[u32]) -> Result<Option<ArrayRef>> {
        let room = if ranks.len() > 1 { self.room } else { u64::MAX };
        let ranks: Vec<Option<u32>> = ranks.iter().map(|rank| Some(*rank).filter(|rank| *rank != UNREACHED)).collect();
        if self.kind == OriginalIds::Dense {
            return Ok(Some(Arc::new(ranks.iter().map(|rank| rank.map(u64::from)).collect::<UInt64Array>())));
        }
        if let Some((ids, _)) = &self.loaded {
            return pick(ids, &ranks, room);
        }
        self.of_ranks_on_disk(&ranks, room)
    }

    /// Reads the ranges that contain the requested ranks, and gathers the IDs.
    fn of_ranks_on_disk(&mut self, ranks: &[Option<u32>], room: u64) -> Result<Option<ArrayRef>> {
        let mut wanted: Vec<u32> = ranks.iter().copied().flatten().collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut found = IdBatch::empty(if self.kind == OriginalIds::Text {
            outcrop_store::writing::IdKind::Text
        } else {
            outcrop_store::writing::IdKind::Integer
        });
        let mut rest = &wanted[..];
        // IDs in memory are copied one by one.
        let gap = if self.reader.prefetch(&wanted)? { 1 } else { READ_GAP };
        while let Some(first) = rest.first().copied() {
            let near = |pair: &[u32]| pair[1] - pair[0] <= gap && pair[1] - first < READ_SPAN;
            let count = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
            let end = rest.get(count - 1).map_or(first, |last| last + 1);
            let end = self.reader.batch_end(first..end, TEXT_MEMORY / 2)?;
            let (now, later) = rest.split_at(rest.partition_point(|rank| *rank < end));
            let stretch = self.reader.ids(first..end)?;
            now.iter().for_each(|rank| found.push_from(&stretch, (rank - first) as usize));
            if text_bytes(&found) > room {
                return Ok(None);
            }
            rest = later;
        }
        let places: Vec<_> =
            ranks.iter().map(|rank| rank.and_then(|rank| wanted.binary_search(&rank).ok()).map(|p| p as u32)).collect();
        pick(&found, &places, room)
    }
}

/// Returns the bytes of all texts.
fn text_bytes(ids: &IdBatch) -> u64 {
    if let IdBatch::Texts { bytes, .. } = ids { length_from(bytes.len()) } else { 0 }
}

/// Returns the error for rows whose texts exceed the memory that `budget` has left.
fn no_room(budget: &MemoryBudget) -> Error {
    let missing = budget.reserve(budget.available().saturating_add(1), Purpose::Results);
    missing.err().unwrap_or_else(|| Error::internal("a budget reserves more than it has"))
}

fn fitting(array: Option<ArrayRef>) -> Result<ArrayRef> {
    array.ok_or_else(|| Error::internal("a column without a limit does not fit"))
}

/// Returns the IDs at `places`, with null for `None`. Returns `None` if their texts exceed `room` bytes.
fn pick(ids: &IdBatch, places: &[Option<u32>], room: u64) -> Result<Option<ArrayRef>> {
    let position = |place: &Option<u32>| place.map(|place| place as usize);
    match ids {
        IdBatch::Integers(ids) => {
            let mut column = UInt64Builder::with_capacity(places.len());
            places
                .iter()
                .map(position)
                .for_each(|place| column.append_option(place.and_then(|place| ids.get(place).copied())));
            Ok(Some(Arc::new(column.finish())))
        }
        IdBatch::Texts { .. } => {
            let bytes: usize = places.iter().filter_map(position).map(|place| ids.text(place).len()).sum();
            if length_from(bytes) > room {
                return Ok(None);
            }
            let mut column = LargeStringBuilder::with_capacity(places.len(), bytes);
            for place in places.iter().map(position) {
                column.append_option(place.map(|place| text_at(ids, place)).transpose()?);
            }
            Ok(Some(Arc::new(column.finish())))
        }
    }
}

fn text_at(ids: &IdBatch, place: usize) -> Result<&str> {
    std::str::from_utf8(ids.text(place)).map_err(|_| Error::corrupt("ids.texts", "an ID is not in UTF-8"))
}

/// Returns the ID of one vertex, for messages.
pub(crate) fn name_of_vertex(store: &Store, io: IoChoice, vertex: VertexId) -> Result<String> {
    let mut rank = vec![vertex];
    if let Some(mut ranks) = RankReader::open(store, io)? {
        ranks.read(VertexRange::new(vertex, vertex.saturating_add(1)), &mut rank)?;
    }
    let rank = rank.first().ok_or_else(|| Error::internal("a vertex has no rank"))?;
    name_of(&OriginalIdReader::open(store, io)?.ids(*rank..rank.saturating_add(1))?)
}

/// Returns the first ID of `ids`, as results show it.
pub(crate) fn name_of(ids: &IdBatch) -> Result<String> {
    match ids {
        IdBatch::Integers(ids) => ids.first().map(u64::to_string).ok_or_else(|| Error::internal("a rank has no ID")),
        IdBatch::Texts { .. } => text_at(ids, 0).map(str::to_owned),
    }
}
