//! The user's own ids, and the numbers that vertices have among them.
//!
//! The *rank* of a vertex is its position among all vertices in ascending original id. In a store in original order it
//! is the vertex's number; other orders keep two tables, from rank to vertex and back.

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

/// Integer ids, ascending, 8 bytes each.
pub const INTEGERS_NAME: &str = "ids.integers";
/// Text ids in ascending order, one after the other.
pub const TEXTS_NAME: &str = "ids.texts";
/// End of each text, 8 bytes each.
pub const TEXT_ENDS_NAME: &str = "ids.ends";
/// The vertex of each rank, 4 bytes each; absent in original order.
pub const VERTEX_OF_RANK_NAME: &str = "order.vertices";
/// The rank of each vertex, 4 bytes each; absent in original order.
pub const RANK_OF_VERTEX_NAME: &str = "order.ranks";

/// Ids that are compared at once with many that are looked for, and the bytes of texts that are.
const FOUND_RANKS: u32 = 1 << 13;
const FOUND_BYTES: u64 = 1 << 20;

/// Original ID of a vertex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OriginalId {
    /// A whole number.
    Integer(u64),
    /// A text.
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

/// Reads original ids by rank and finds the vertex of an id.
pub struct OriginalIdReader<'s> {
    store: &'s Store,
    integers: Option<ComponentReader>,
    texts: Option<(ComponentReader, ComponentReader)>,
    vertex_of_rank: Option<ComponentReader>,
}

impl<'s> OriginalIdReader<'s> {
    /// Memory of its readers, in bytes.
    pub const MEMORY_BYTES: u64 = 3 * Component::READER_BYTES;

    /// Opens what the store keeps about ids.
    ///
    /// # Errors
    /// A component is missing or of the wrong length.
    pub fn open(store: &'s Store, io: IoChoice) -> Result<Self> {
        let reader = |name: &str, needed: bool| match needed {
            true => store.component(name, io)?.reader().map(Some),
            false => Ok(None),
        };
        let ids = store.manifest().ids;
        let text = ids == OriginalIds::Text;
        Ok(Self {
            store,
            integers: reader(INTEGERS_NAME, ids == OriginalIds::Integer)?,
            texts: reader(TEXT_ENDS_NAME, text)?.zip(reader(TEXTS_NAME, text)?),
            vertex_of_rank: reader(VERTEX_OF_RANK_NAME, store.manifest().order != Order::Original)?,
        })
    }

    /// The original ids of the ranks `ranks`, ascending.
    ///
    /// # Errors
    /// A damaged or failed read.
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

    /// End of a batch that begins with `ranks` and has at most `bytes` bytes of text, or a single text: for bounded
    /// memory.
    ///
    /// # Errors
    /// A damaged or failed read.
    pub fn batch_end(&mut self, ranks: Range<u32>, bytes: u64) -> Result<u32> {
        let Some((ends, _)) = &mut self.texts else { return Ok(ranks.end) };
        let start = text_start(ends, ranks.start)?;
        let count = index_from(u64::from(ranks.end.saturating_sub(ranks.start)));
        let ends: Vec<u64> = read_array(ends, ranks.start, count)?;
        let fitting = (ranks.start..ranks.end).zip(ends).take_while(|(_, end)| end.saturating_sub(start) <= bytes);
        let after = fitting.last().map_or(ranks.start, |(rank, _)| rank + 1);
        Ok(after.max(ranks.start.saturating_add(1)).min(ranks.end))
    }

    /// The vertices of the ranks `ranks`.
    ///
    /// # Errors
    /// A damaged or failed read.
    pub fn vertices(&mut self, ranks: Range<u32>) -> Result<Vec<VertexId>> {
        let Some(reader) = &mut self.vertex_of_rank else { return Ok(ranks.collect()) };
        let vertices: Vec<VertexId> = read_array(reader, ranks.start, ranks.len())?;
        match vertices.iter().all(|vertex| *vertex < self.store.manifest().vertices) {
            true => Ok(vertices),
            false => Err(Error::corrupt(
                self.store.folder().join(VERTEX_OF_RANK_NAME),
                "it contains a vertex that does not exist",
            )),
        }
    }

    /// The vertex whose original id is written as `text`; `None` where the graph has none.
    ///
    /// # Errors
    /// A damaged or failed read.
    pub fn find(&mut self, text: &str) -> Result<Option<VertexId>> {
        let Some(rank) = self.rank_of(text)? else { return Ok(None) };
        Ok(self.vertices(rank..rank + 1)?.first().copied())
    }

    /// The vertices of `ids`, which ascend: calls `found` with the place of each and its vertex, `None` where the graph
    /// has none. One pass over the ids of the store; stops before each batch where `cancellation` says so.
    ///
    /// # Errors
    /// A damaged or failed read; interruption.
    pub fn find_all(
        &mut self,
        ids: &IdBatch,
        cancellation: &Cancellation,
        mut found: impl FnMut(usize, Option<VertexId>),
    ) -> Result<()> {
        let (mut place, mut start, vertices) = (0, 0, self.store.manifest().vertices);
        while place < ids.len() && start < vertices {
            cancellation.check()?;
            let end = self.batch_end(start..start.saturating_add(FOUND_RANKS).min(vertices), FOUND_BYTES)?;
            let last = self.ids(end - 1..end)?;
            // Where nothing that is looked for is in a batch, it is passed over.
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
        let vertices = self.store.manifest().vertices;
        match self.store.manifest().ids {
            OriginalIds::Dense => Ok(number(text).filter(|id| *id < vertices)),
            OriginalIds::Integer => match number::<u64>(text) {
                Some(wanted) => self.search(|reader, rank| Ok(reader.integer(rank)?.cmp(&wanted))),
                None => Ok(None),
            },
            OriginalIds::Text => self.search(|reader, rank| Ok(reader.text(rank)?.as_slice().cmp(text.as_bytes()))),
        }
    }

    fn search(&mut self, mut compare: impl FnMut(&mut Self, u32) -> Result<Ordering>) -> Result<Option<u32>> {
        let (mut low, mut high) = (0, self.store.manifest().vertices);
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

/// A whole number as inputs write it: digits only.
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

/// Reads the ranks of stretches of vertices, for work that does not hold those of all.
pub struct RankReader {
    component: Component,
    reader: ComponentReader,
    vertices: u32,
}

impl RankReader {
    /// Memory of a reader, in bytes; its owner pays for it.
    pub const MEMORY_BYTES: u64 = Component::READER_BYTES;

    /// The ranks of `store`; `None` in original order, where a vertex's rank is its number.
    ///
    /// # Errors
    /// The component is missing or has another length than the manifest says.
    pub fn open(store: &Store, io: IoChoice) -> Result<Option<Self>> {
        if store.manifest().order == Order::Original {
            return Ok(None);
        }
        let component = store.component(RANK_OF_VERTEX_NAME, io)?;
        Ok(Some(Self { reader: component.reader()?, component, vertices: store.manifest().vertices }))
    }

    /// Replaces `into` by the ranks of the vertices of `range`.
    ///
    /// # Errors
    /// The component is damaged, too short or cannot be read.
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

/// The rank of every vertex, 4 bytes a vertex; `None` in original order, where it is the vertex's number.
///
/// # Errors
/// The budget is too small, or the table is damaged.
pub fn ranks(
    store: &Store,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<Option<VertexValues<u32>>> {
    if store.manifest().order == Order::Original {
        return Ok(None);
    }
    let vertices = store.manifest().vertices;
    let mut ranks = VertexValues::new(budget, Purpose::IdMap, index_from(u64::from(vertices)), |_| 0_u32)?;
    let component = store.component(RANK_OF_VERTEX_NAME, io)?;
    cancellation.check()?;
    component.reader()?.read_at(0, bytemuck::cast_slice_mut(&mut ranks))?;
    match ranks.iter().all(|rank| *rank < vertices) {
        true => Ok(Some(ranks)),
        false => Err(no_such_rank(&component)),
    }
}
