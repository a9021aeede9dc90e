//! Original IDs, and the ranks of vertices among them.
//!
//! The *rank* of a vertex is its position among all vertices in ascending order of original IDs. In a store in original
//! order, it is the vertex's number; other orders have two tables, from rank to vertex and back.

use crate::component::{Component, ComponentReader};
use crate::manifest::{Order, OriginalIds};
use crate::store::Store;
use crate::writing::IdBatch;
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, length_from,
};
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

/// Integer IDs, ascending, 8 bytes each.
pub(crate) const INTEGERS_NAME: &str = "ids.integers";
/// Concatenated string IDs in ascending order.
pub(crate) const TEXTS_NAME: &str = "ids.texts";
/// End of each string, 8 bytes each.
pub(crate) const TEXT_ENDS_NAME: &str = "ids.ends";
/// Vertex of each rank, 4 bytes each; absent in original order.
pub(crate) const VERTEX_OF_RANK_NAME: &str = "order.vertices";
/// Rank of each vertex, 4 bytes each; absent in original order.
pub(crate) const RANK_OF_VERTEX_NAME: &str = "order.ranks";

/// Number of IDs compared at once in a merge with many requested IDs, and the bytes of their texts.
const FOUND_RANKS: u32 = 1 << 13;
const FOUND_BYTES: u64 = 1 << 20;

/// Original ID of a vertex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OriginalId {
    /// An integer.
    Integer(u64),
    /// A string.
    Text(String),
}

impl fmt::Display for OriginalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => write!(f, "{id}"),
            Self::Text(id) => f.write_str(id),
        }
    }
}

/// Reader of original IDs by rank, which also finds the vertex of an ID.
pub struct OriginalIdReader<'s> {
    store: &'s Store,
    integers: Option<ComponentReader>,
    texts: Option<(ComponentReader, ComponentReader)>,
    vertex_of_rank: Option<ComponentReader>,
}

impl<'s> OriginalIdReader<'s> {
    /// Memory of its readers, in bytes.
    pub const MEMORY_BYTES: u64 = 3 * Component::READER_BYTES;

    /// Opens the ID components of the store.
    ///
    /// # Errors
    ///
    /// Returns an error if a component is missing or has the wrong length.
    pub fn open(store: &'s Store, io: IoChoice) -> Result<Self> {
        let reader = |name: &str, needed: bool| match needed {
            true => store.component(name, io)?.reader().map(Some),
            false => Ok(None),
        };
        let ids = store.manifest().numbering.ids;
        let text = ids == OriginalIds::Text;
        Ok(Self {
            store,
            integers: reader(INTEGERS_NAME, ids == OriginalIds::Integer)?,
            texts: reader(TEXT_ENDS_NAME, text)?.zip(reader(TEXTS_NAME, text)?),
            vertex_of_rank: reader(VERTEX_OF_RANK_NAME, store.manifest().numbering.order != Order::Original)?,
        })
    }

    /// Returns the original IDs of `ranks`, ascending.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn ids(&mut self, ranks: Range<u32>) -> Result<IdBatch> {
        let count = index_from(u64::from(ranks.end.saturating_sub(ranks.start)));
        if let Some(integers) = &mut self.integers {
            return Ok(IdBatch::Integers(read_array(integers, ranks.start, count)?));
        }
        let Some((ends, texts)) = &mut self.texts else {
            return Ok(IdBatch::Integers(ranks.map(u64::from).collect()));
        };
        let start = text_start(ends, ranks.start)?;
        let absolute: Vec<u64> = read_array(ends, ranks.start, count)?;
        let end = absolute.last().copied().unwrap_or(start);
        let damaged = || Error::corrupt(self.store.folder().join(TEXT_ENDS_NAME), "its offsets are not sorted");
        let within = absolute.is_sorted() && end >= start && end - start <= self.store.manifest().bytes();
        let length = within.then(|| index_from(end - start)).ok_or_else(damaged)?;
        let mut bytes = vec![0; length];
        texts.read_at(start, &mut bytes)?;
        let relative = absolute.iter().map(|end| end.checked_sub(start).map(index_from)).collect::<Option<Vec<_>>>();
        Ok(IdBatch::Texts { bytes, ends: relative.ok_or_else(damaged)? })
    }

    /// Reads the IDs of the ascending `ranks`, many at once, if the store keeps them in memory; returns false if not.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn prefetch(&mut self, ranks: &[u32]) -> Result<bool> {
        if let Some(integers) = &mut self.integers {
            return integers.prefetch(ranks.iter().map(|rank| u64::from(*rank) * 8..u64::from(*rank) * 8 + 8));
        }
        let Some((ends, texts)) = &mut self.texts else { return Ok(true) };
        let of_ends = |rank: &u32| u64::from(rank.saturating_sub(1)) * 8..u64::from(*rank) * 8 + 8;
        if !ends.prefetch(ranks.iter().map(of_ends))? {
            return Ok(false);
        }
        let mut bytes = Vec::with_capacity(ranks.len());
        for rank in ranks {
            bytes.push(text_start(ends, *rank)?..read_array::<u64>(ends, *rank, 1)?[0]);
        }
        // Offsets that are damaged are reported when the texts are used.
        let most = self.store.manifest().bytes();
        texts.prefetch(bytes.into_iter().filter(|bytes| bytes.start < bytes.end && bytes.end <= most))
    }

    /// Returns the end of a batch that starts at the start of `ranks` and has at most `bytes` bytes of text, or a
    /// single string, to bound memory.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn batch_end(&mut self, ranks: Range<u32>, bytes: u64) -> Result<u32> {
        let Some((ends, _)) = &mut self.texts else { return Ok(ranks.end) };
        let start = text_start(ends, ranks.start)?;
        let count = index_from(u64::from(ranks.end.saturating_sub(ranks.start)));
        let ends: Vec<u64> = read_array(ends, ranks.start, count)?;
        let fitting = (ranks.start..ranks.end).zip(ends).take_while(|(_, end)| end.saturating_sub(start) <= bytes);
        let after = fitting.last().map_or(ranks.start, |(rank, _)| rank + 1);
        Ok(after.max(ranks.start.saturating_add(1)).min(ranks.end))
    }

    /// Returns the vertices of `ranks`.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn vertices(&mut self, ranks: Range<u32>) -> Result<Vec<VertexId>> {
        let Some(reader) = &mut self.vertex_of_rank else { return Ok(ranks.collect()) };
        let vertices: Vec<VertexId> = read_array(reader, ranks.start, ranks.len())?;
        match vertices.iter().all(|vertex| *vertex < self.store.manifest().graph.vertices) {
            true => Ok(vertices),
            false => Err(Error::corrupt(
                self.store.folder().join(VERTEX_OF_RANK_NAME),
                "it contains a vertex that does not exist",
            )),
        }
    }

    /// Returns the vertex whose original ID is written as `text`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn find(&mut self, text: &str) -> Result<Option<VertexId>> {
        let Some(rank) = self.rank_of(text)? else { return Ok(None) };
        Ok(self.vertices(rank..rank + 1)?.first().copied())
    }

    /// Finds the vertices of the ascending `ids`: calls `found` with the position of each ID and its vertex, or `None`
    /// if there is none. Makes one pass over the IDs of the store and checks `cancellation` before each batch.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn find_all(
        &mut self,
        ids: &IdBatch,
        cancellation: &Cancellation,
        mut found: impl FnMut(usize, Option<VertexId>),
    ) -> Result<()> {
        let (mut place, mut start, vertices) = (0, 0, self.store.manifest().graph.vertices);
        while place < ids.len() && start < vertices {
            cancellation.check()?;
            let end = self.batch_end(start..start.saturating_add(FOUND_RANKS).min(vertices), FOUND_BYTES)?;
            let last = self.ids(end - 1..end)?;
            // Skip batches that contain no requested ID.
            if ids.compare(place, &last, 0).is_gt() {
                start = end;
                continue;
            }
            let (known, numbers) = (self.ids(start..end)?, self.vertices(start..end)?);
            let mut rank = 0;
            while place < ids.len() && ids.compare(place, &last, 0).is_le() {
                while rank + 1 < known.len() && ids.compare(place, &known, rank).is_gt() {
                    rank += 1;
                }
                let there = ids.compare(place, &known, rank).is_eq();
                found(place, numbers.get(rank).copied().filter(|_| there));
                place += 1;
            }
            start = end;
        }
        (place..ids.len()).for_each(|place| found(place, None));
        Ok(())
    }

    fn rank_of(&mut self, text: &str) -> Result<Option<u32>> {
        let vertices = self.store.manifest().graph.vertices;
        match self.store.manifest().numbering.ids {
            OriginalIds::Dense => Ok(number(text).filter(|id| *id < vertices)),
            OriginalIds::Integer => match number::<u64>(text) {
                Some(wanted) => self.search(|reader, rank| Ok(reader.integer(rank)?.cmp(&wanted))),
                None => Ok(None),
            },
            OriginalIds::Text => self.search(|reader, rank| Ok(reader.text(rank)?.as_slice().cmp(text.as_bytes()))),
        }
    }

    fn search(&mut self, mut compare: impl FnMut(&mut Self, u32) -> Result<Ordering>) -> Result<Option<u32>> {
        let (mut low, mut high) = (0, self.store.manifest().graph.vertices);
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(self, middle)? {
                Ordering::Equal => return Ok(Some(middle)),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    fn integer(&mut self, rank: u32) -> Result<u64> {
        match self.ids(rank..rank + 1)? {
            IdBatch::Integers(ids) => {
                ids.first().copied().ok_or_else(|| Error::internal("an original ID was not resolved"))
            }
            IdBatch::Texts { .. } => Ok(0),
        }
    }

    fn text(&mut self, rank: u32) -> Result<Vec<u8>> {
        match self.ids(rank..rank + 1)? {
            IdBatch::Texts { bytes, .. } => Ok(bytes),
            IdBatch::Integers(_) => Ok(Vec::new()),
        }
    }
}

/// Parses an integer that consists of digits only, as inputs do.
fn number<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn text_start(ends: &mut ComponentReader, rank: u32) -> Result<u64> {
    match rank.checked_sub(1) {
        None => Ok(0),
        Some(before) => read_array::<u64>(ends, before, 1)?
            .first()
            .copied()
            .ok_or_else(|| Error::internal("an original ID was not resolved")),
    }
}

fn read_array<T: bytemuck::Pod>(reader: &mut ComponentReader, first: u32, count: usize) -> Result<Vec<T>> {
    let mut values = vec![T::zeroed(); count];
    let position = u64::from(first) * length_from(size_of::<T>());
    reader.read_at(position, bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}

/// Reader of the ranks of vertex ranges, for work that does not keep the ranks of all vertices.
pub struct RankReader {
    component: Component,
    reader: ComponentReader,
    vertices: u32,
}

impl RankReader {
    /// Memory of a reader, in bytes; its owner reserves it.
    pub const MEMORY_BYTES: u64 = Component::READER_BYTES;

    /// Opens the ranks of `store`; returns `None` in original order, where the rank of a vertex is its number.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is missing or its length differs from that in the manifest.
    pub fn open(store: &Store, io: IoChoice) -> Result<Option<Self>> {
        if store.manifest().numbering.order == Order::Original {
            return Ok(None);
        }
        let component = store.component(RANK_OF_VERTEX_NAME, io)?;
        Ok(Some(Self { reader: component.reader()?, component, vertices: store.manifest().graph.vertices }))
    }

    /// Reads the ranks of the ascending `vertices`, many at once, if the store keeps them in memory; returns false
    /// otherwise.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is damaged, too short or unreadable.
    pub(crate) fn prefetch(&mut self, vertices: impl Iterator<Item = VertexId>) -> Result<bool> {
        self.reader.prefetch(vertices.map(|vertex| u64::from(vertex) * 4..u64::from(vertex) * 4 + 4))
    }

    /// Replaces the content of `into` with the ranks of the vertices of `range`.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is damaged, too short or unreadable.
    pub fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        into.resize(index_from(u64::from(range.end.saturating_sub(range.start))), 0);
        self.reader.read_at(u64::from(range.start) * 4, bytemuck::cast_slice_mut(into))?;
        match into.iter().all(|rank| *rank < self.vertices) {
            true => Ok(()),
            false => Err(no_such_rank(&self.component)),
        }
    }
}

fn no_such_rank(component: &Component) -> Error {
    Error::corrupt(component.path(), "it contains a rank that does not exist")
}

/// Returns the rank of every vertex, 4 bytes per vertex; `None` in original order, where it is the vertex's number.
///
/// # Errors
///
/// Returns an error if the budget is too small or the table is damaged.
pub fn ranks(
    store: &Store,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<Option<VertexValues<u32>>> {
    if store.manifest().numbering.order == Order::Original {
        return Ok(None);
    }
    let vertices = store.manifest().graph.vertices;
    let mut ranks = VertexValues::new(budget, Purpose::IdMap, index_from(u64::from(vertices)), |_| 0_u32)?;
    let component = store.component(RANK_OF_VERTEX_NAME, io)?;
    cancellation.check()?;
    component.reader()?.read_at(0, bytemuck::cast_slice_mut(&mut ranks))?;
    match ranks.iter().all(|rank| *rank < vertices) {
        true => Ok(Some(ranks)),
        false => Err(no_such_rank(&component)),
    }
}
