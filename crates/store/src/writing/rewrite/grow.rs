//! Insertion of new vertices into a copy of a store.

use crate::component::ComponentWriter;
use crate::journal::JournalUpdate;
use crate::manifest::{FileEntry, Order, OriginalIds};
use crate::original_ids::{
    INTEGERS_NAME, OriginalIdReader, RANK_OF_VERTEX_NAME, RankReader, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME,
};
use crate::store::Store;
use crate::updates::EdgeChanges;
use crate::writing::context::{Writing, vertex_count};
use crate::writing::edges::IdBatch;
use outcrop_types::{
    Error, MemoryPlan, Purpose, Result, VertexId, VertexRange, WeightRounding, index_from, length_from, number_from,
};
use std::ops::Range;

/// Ranks read at once.
const BATCH_RANKS: u32 = 1 << 13;
/// Bytes of texts read at once.
const BATCH_BYTES: u64 = 1 << 20;

/// New vertices of a store, with the changes of its lists.
#[derive(Clone, Copy, Debug)]
pub struct Growth<'g> {
    /// Number of new vertices.
    pub vertices: u32,
    /// Original IDs of the new vertices, ascending; none is in the store. Ignored for dense IDs, which are the numbers
    /// from the store's number of vertices on.
    pub ids: &'g IdBatch,
    /// Changes of the out-lists, as in their files: the new vertices have the numbers after those of the store, in the
    /// order of `ids`.
    pub changes: &'g EdgeChanges,
    /// Rounded weights in `changes`.
    pub rounding: &'g WeightRounding,
    /// Edges of the update, as given by the user.
    pub journal: &'g JournalUpdate,
}

/// Positions of new vertices among the ranks of a store.
#[derive(Debug, Default)]
pub(super) struct Inserted {
    /// Number of old IDs less than each new one; none for new IDs after all old ones.
    before: Vec<u32>,
    /// Number of new vertices.
    new: u32,
    /// Number of vertices of the old store.
    old: u32,
    /// True if vertices are in the order of their IDs.
    in_order: bool,
}

impl Inserted {
    fn rank_of_new(&self, place: usize) -> u32 {
        let before = self.before.get(place).copied().unwrap_or(self.old);
        before.saturating_add(number_from(place))
    }

    fn rank_of_old(&self, rank: u32) -> u32 {
        rank.saturating_add(number_from(self.before.partition_point(|before| *before <= rank)))
    }

    /// Returns the vertex of the new store for `vertex`, which is an old vertex, or a new one numbered after the old
    /// ones.
    #[inline]
    pub(super) fn number(&self, vertex: VertexId) -> VertexId {
        match vertex.checked_sub(self.old) {
            _ if !self.in_order => vertex,
            None => self.rank_of_old(vertex),
            Some(place) => self.rank_of_new(index_from(u64::from(place))),
        }
    }

    /// Returns the number of vertices of the new store.
    pub(super) fn vertices(&self) -> Result<u32> {
        vertex_count(u64::from(self.old) + u64::from(self.new))
    }
}

impl Growth<'_> {
    /// Returns the memory of tables and journal, without the writers; 4 bytes per new vertex are in use until the store
    /// is written.
    pub(super) fn memory(store: &Store) -> MemoryPlan {
        let journal = JournalUpdate::memory(store);
        MemoryPlan::new().with(Purpose::IoBuffers, Self::buffer_bytes()).with(Purpose::SortSpace, journal)
    }

    fn buffer_bytes() -> u64 {
        OriginalIdReader::MEMORY_BYTES + RankReader::MEMORY_BYTES + 2 * ComponentWriter::MEMORY_BYTES + 4 * BATCH_BYTES
    }

    /// Writes the IDs and the order of all vertices, and returns the positions of the new ones.
    pub(super) fn write_tables(&self, store: &Store, writing: &Writing<'_>) -> Result<(Inserted, Vec<FileEntry>)> {
        let _buffers = writing.context.work.budget.reserve(Self::buffer_bytes(), Purpose::IoBuffers)?;
        let manifest = store.manifest();
        let (old, in_order) = (manifest.graph.vertices, manifest.numbering.order == Order::Original);
        let mut inserted = Inserted { before: Vec::new(), new: self.vertices, old, in_order };
        let mut files = match manifest.numbering.ids {
            OriginalIds::Dense => Vec::new(),
            OriginalIds::Integer | OriginalIds::Text => self.merge_ids(store, writing, &mut inserted)?,
        };
        if !in_order {
            files.extend(write_order(store, writing, &inserted)?);
        }
        Ok((inserted, files))
    }

    fn merge_ids(&self, store: &Store, writing: &Writing<'_>, inserted: &mut Inserted) -> Result<Vec<FileEntry>> {
        let mut reader = OriginalIdReader::open(store, writing.context.work.io)?;
        let mut table = IdTable::create(store.manifest().numbering.ids, writing)?;
        let (mut next, mut start, vertices) = (0, 0, store.manifest().graph.vertices);
        while start < vertices {
            writing.context.work.cancellation().check()?;
            let end = reader.batch_end(start..start.saturating_add(BATCH_RANKS).min(vertices), BATCH_BYTES)?;
            let old = reader.ids(start..end)?;
            for (rank, place) in (start..end).zip(0..) {
                while next < self.ids.len() && self.ids.compare(next, &old, place).is_lt() {
                    inserted.before.push(rank);
                    table.push(self.ids, next)?;
                    next += 1;
                }
                if next < self.ids.len() && self.ids.compare(next, &old, place).is_eq() {
                    return Err(Error::internal("a new vertex already exists"));
                }
                table.push(&old, place)?;
            }
            start = end;
        }
        for place in next..self.ids.len() {
            inserted.before.push(vertices);
            table.push(self.ids, place)?;
        }
        table.finish()
    }
}

/// Writer of the IDs of the new store.
struct IdTable {
    ids: ComponentWriter,
    /// Ends of the IDs, if they are texts.
    ends: Option<ComponentWriter>,
    end: u64,
}

impl IdTable {
    fn create(ids: OriginalIds, writing: &Writing<'_>) -> Result<Self> {
        let text = ids == OriginalIds::Text;
        let ids = writing.component(if text { TEXTS_NAME } else { INTEGERS_NAME })?;
        let ends = text.then(|| writing.component(TEXT_ENDS_NAME)).transpose()?;
        Ok(Self { ids, ends, end: 0 })
    }

    fn push(&mut self, ids: &IdBatch, place: usize) -> Result<()> {
        match (ids, &mut self.ends) {
            (IdBatch::Integers(ids), None) => {
                let id = ids.get(place).ok_or_else(|| Error::internal("an ID to be written is missing"))?;
                self.ids.write(&id.to_le_bytes())
            }
            (IdBatch::Texts { .. }, Some(ends)) => {
                let text = ids.text(place);
                self.end += length_from(text.len());
                self.ids.write(text)?;
                ends.write(&self.end.to_le_bytes())
            }
            _ => Err(Error::internal("new IDs differ in type from those of the store")),
        }
    }

    fn finish(self) -> Result<Vec<FileEntry>> {
        let ids = self.ids.finish()?;
        let ends = self.ends.map(ComponentWriter::finish).transpose()?;
        Ok(std::iter::once(ids).chain(ends).collect())
    }
}

/// Writes both tables of an order that puts the new vertices last.
fn write_order(store: &Store, writing: &Writing<'_>, inserted: &Inserted) -> Result<Vec<FileEntry>> {
    let vertices = store.manifest().graph.vertices;
    let mut table = writing.component(VERTEX_OF_RANK_NAME)?;
    let mut reader = OriginalIdReader::open(store, writing.context.work.io)?;
    let mut new = (vertices..).zip(&inserted.before).peekable();
    for batch in batches(vertices) {
        writing.context.work.cancellation().check()?;
        for (rank, vertex) in batch.clone().zip(reader.vertices(batch)?) {
            while let Some((number, _)) = new.next_if(|(_, before)| **before <= rank) {
                table.write(&number.to_le_bytes())?;
            }
            table.write(&vertex.to_le_bytes())?;
        }
    }
    new.try_for_each(|(number, _)| table.write(&number.to_le_bytes()))?;
    let listed = number_from(inserted.before.len());
    (listed..inserted.new).try_for_each(|place| table.write(&vertices.saturating_add(place).to_le_bytes()))?;
    drop(reader);
    let vertex_of_rank = table.finish()?;
    let mut table = writing.component(RANK_OF_VERTEX_NAME)?;
    let mut ranks = Vec::new();
    if let Some(mut reader) = RankReader::open(store, writing.context.work.io)? {
        for batch in batches(vertices) {
            writing.context.work.cancellation().check()?;
            reader.read(VertexRange::new(batch.start, batch.end), &mut ranks)?;
            ranks.iter().try_for_each(|rank| table.write(&inserted.rank_of_old(*rank).to_le_bytes()))?;
        }
    }
    (0..index_from(u64::from(inserted.new)))
        .try_for_each(|place| table.write(&inserted.rank_of_new(place).to_le_bytes()))?;
    Ok(vec![vertex_of_rank, table.finish()?])
}

fn batches(vertices: u32) -> impl Iterator<Item = Range<u32>> {
    (0..vertices)
        .step_by(index_from(u64::from(BATCH_RANKS)))
        .map(move |start| start..start.saturating_add(BATCH_RANKS).min(vertices))
}
