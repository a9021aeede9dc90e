//! Original IDs, and the ranks of vertices among them.
//!
//! The *rank* of a vertex is its position among all vertices in ascending order of original IDs. In a store in original
//! order, it is the vertex's number; other orders have two tables, from rank to vertex and back. The files contain the
//! vertices with lists; vertices that pending updates added are inserted when IDs and ranks are read.

use crate::component::{Component, ComponentReader};
use crate::manifest::{Manifest, Order, OriginalIds};
use crate::store::Store;
use crate::updates::{NewVertices, Ranked};
use crate::writing::IdBatch;
use outcrop_io::IoChoice;
use outcrop_types::{
    Cancellation, Error, MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, index_from, length_from,
    number_from,
};
use serde::Serialize;
use std::borrow::Cow;
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

/// Number of vertices of a store per looked-up one from which single reads are faster than a pass over all.
const VERTICES_PER_FEW: usize = 1 << 7;

/// Original ID of a vertex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
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
    new: NewVertices,
}

impl<'s> OriginalIdReader<'s> {
    /// Memory of a reader of a store without pending new vertices, in bytes.
    pub const LISTED_BYTES: u64 = 3 * Component::READER_BYTES;

    /// Returns the memory of a reader of a store with this `manifest`, in bytes.
    pub fn memory(manifest: &Manifest) -> u64 {
        Self::LISTED_BYTES + NewVertices::bytes(manifest)
    }

    /// Opens the ID components of the store; the caller reserves [`OriginalIdReader::memory`].
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
            new: NewVertices::load(store, io)?,
        })
    }

    /// Returns the original IDs of `ranks`, ascending.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn ids(&mut self, ranks: Range<u32>) -> Result<IdBatch> {
        if self.integers.is_none() && self.texts.is_none() {
            return Ok(IdBatch::Integers(ranks.map(u64::from).collect()));
        }
        let (listed, new) = self.new.split(&ranks);
        if new.is_empty() {
            return self.listed_ids(listed);
        }
        let mut ids = self.room_for(&listed, new)?;
        for start in ranks.clone().step_by(index_from(u64::from(FOUND_RANKS))) {
            let some = start..start.saturating_add(FOUND_RANKS).min(ranks.end);
            let (listed, _) = self.new.split(&some);
            let first = listed.start;
            let known = self.listed_ids(listed)?;
            self.new.ranked(&some).for_each(|vertex| match vertex {
                Ranked::Listed(rank) => ids.push_from(&known, index_from(u64::from(rank - first))),
                Ranked::New(place) => ids.push_from(self.new.ids(), place),
            });
        }
        Ok(ids)
    }

    /// Returns an empty batch with room for the IDs of vertices with lists and of new ones.
    fn room_for(&mut self, listed: &Range<u32>, new: Range<usize>) -> Result<IdBatch> {
        let count = listed.len() + new.len();
        let Some((ends, _)) = &mut self.texts else { return Ok(IdBatch::Integers(Vec::with_capacity(count))) };
        let known = text_start(ends, listed.end)?.saturating_sub(text_start(ends, listed.start)?);
        let added: usize = new.map(|place| self.new.ids().text(place).len()).sum();
        // Offsets that are damaged are reported when the texts are read.
        let bytes = index_from(known.min(self.store.manifest().bytes())) + added;
        Ok(IdBatch::Texts { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(count) })
    }

    /// Returns the IDs of vertices with lists, by their ranks among these.
    fn listed_ids(&mut self, ranks: Range<u32>) -> Result<IdBatch> {
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
        let ranks = self.listed_ranks(ranks);
        if let Some(integers) = &mut self.integers {
            return integers.prefetch(ranks.iter().map(|rank| u64::from(*rank) * 8..u64::from(*rank) * 8 + 8));
        }
        let Some((ends, texts)) = &mut self.texts else { return Ok(true) };
        let of_ends = |rank: &u32| u64::from(rank.saturating_sub(1)) * 8..u64::from(*rank) * 8 + 8;
        if !ends.prefetch(ranks.iter().map(of_ends))? {
            return Ok(false);
        }
        let mut bytes = Vec::with_capacity(ranks.len());
        for rank in &*ranks {
            bytes.push(text_start(ends, *rank)?..read_array::<u64>(ends, *rank, 1)?[0]);
        }
        // Offsets that are damaged are reported when the texts are used.
        let most = self.store.manifest().bytes();
        texts.prefetch(bytes.into_iter().filter(|bytes| bytes.start < bytes.end && bytes.end <= most))
    }

    /// Reads the vertices of the ascending `ranks`, as [`OriginalIdReader::prefetch`] does their IDs.
    fn prefetch_vertices(&mut self, ranks: &[u32]) -> Result<bool> {
        let ranks = self.listed_ranks(ranks);
        let Some(vertices) = &mut self.vertex_of_rank else { return Ok(true) };
        vertices.prefetch(ranks.iter().map(|rank| u64::from(*rank) * 4..u64::from(*rank) * 4 + 4))
    }

    /// Returns those of `ranks` that belong to vertices with lists, as ranks among these.
    fn listed_ranks<'r>(&self, ranks: &'r [u32]) -> Cow<'r, [u32]> {
        if self.new.count() == 0 {
            return Cow::Borrowed(ranks);
        }
        ranks.iter().flat_map(|rank| self.new.split(&(*rank..rank.saturating_add(1))).0).collect()
    }

    /// Returns the end of a batch that starts at the start of `ranks` and has at most `bytes` bytes of text, or a
    /// single string, to bound memory.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn batch_end(&mut self, ranks: Range<u32>, bytes: u64) -> Result<u32> {
        let Some((ends, _)) = &mut self.texts else { return Ok(ranks.end) };
        let (listed, _) = self.new.split(&ranks);
        let start = text_start(ends, listed.start)?;
        let ends: Vec<u64> = read_array(ends, listed.start, listed.len())?;
        let (mut known, mut end, mut inserted) = (ends.into_iter(), start, 0);
        let sizes = self.new.ranked(&ranks).map(|vertex| {
            match vertex {
                Ranked::Listed(_) => end = known.next().unwrap_or(end),
                Ranked::New(place) => inserted += length_from(self.new.ids().text(place).len()),
            }
            end.saturating_sub(start).saturating_add(inserted)
        });
        let fitting = (ranks.start..ranks.end).zip(sizes).take_while(|(_, size)| *size <= bytes);
        let after = fitting.last().map_or(ranks.start, |(rank, _)| rank + 1);
        Ok(after.max(ranks.start.saturating_add(1)).min(ranks.end))
    }

    /// Returns the vertices of `ranks`.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn vertices(&mut self, ranks: Range<u32>) -> Result<Vec<VertexId>> {
        let (listed, new) = self.new.split(&ranks);
        let first = listed.start;
        let known: Vec<VertexId> = match &mut self.vertex_of_rank {
            Some(reader) => read_array(reader, first, listed.len())?,
            None => listed.collect(),
        };
        if !known.iter().all(|vertex| *vertex < self.new.listed()) {
            let path = self.store.folder().join(VERTEX_OF_RANK_NAME);
            return Err(Error::corrupt(path, "it contains a vertex that does not exist"));
        }
        if new.is_empty() {
            return Ok(known);
        }
        let vertex = |vertex| match vertex {
            Ranked::Listed(rank) => known.get(index_from(u64::from(rank - first))).copied().unwrap_or(rank),
            Ranked::New(place) => self.new.vertex(place),
        };
        Ok(self.new.ranked(&ranks).map(vertex).collect())
    }

    /// Returns the vertex whose original ID is written as `text`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged.
    pub fn find(&mut self, text: &str) -> Result<Option<VertexId>> {
        let id = if self.store.manifest().numbering.ids == OriginalIds::Text {
            IdBatch::Texts { bytes: text.as_bytes().to_vec(), ends: vec![text.len()] }
        } else {
            let Some(id) = number(text) else { return Ok(None) };
            IdBatch::Integers(vec![id])
        };
        let mut vertex = None;
        self.find_few(&id, &Cancellation::new(), |_, _, found| vertex = found)?;
        Ok(vertex)
    }

    /// Finds the vertices of the ascending `ids`: calls `found` with the position of each ID, the number of smaller IDs
    /// in the store, and its vertex, or `None` if there is none. If there are few, and `budget` has the memory to keep
    /// what is read, they are bisected together; otherwise, makes one pass over the IDs of the store. Checks
    /// `cancellation` before each batch of reads.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn find_all(
        &mut self,
        ids: &IdBatch,
        budget: &MemoryBudget,
        cancellation: &Cancellation,
        mut found: impl FnMut(usize, u32, Option<VertexId>),
    ) -> Result<()> {
        if !ids.is_empty() && are_few(self.store, ids.len()) {
            let already = self.prefetch(&[])?;
            if already || self.readers().try_for_each(|reader| reader.component().keep(budget)).is_ok() {
                let outcome = self.find_few(ids, cancellation, found);
                if !already {
                    self.release();
                }
                return outcome;
            }
            self.release();
        }
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
                found(place, start.saturating_add(number_from(rank)), numbers.get(rank).copied().filter(|_| there));
                place += 1;
            }
            start = end;
        }
        (place..ids.len()).for_each(|place| found(place, vertices, None));
        Ok(())
    }

    fn release(&self) {
        self.readers().for_each(|reader| reader.component().release());
    }

    fn readers(&self) -> impl Iterator<Item = &ComponentReader> {
        let texts = self.texts.iter().flat_map(|(ends, texts)| [ends, texts]);
        self.integers.iter().chain(texts).chain(&self.vertex_of_rank)
    }

    /// Same as [`OriginalIdReader::find_all`] by bisection, one step of all IDs at a time.
    fn find_few(
        &mut self,
        ids: &IdBatch,
        cancellation: &Cancellation,
        mut found: impl FnMut(usize, u32, Option<VertexId>),
    ) -> Result<()> {
        let vertices = self.store.manifest().graph.vertices;
        let middle = |(low, high): &(u32, u32)| (low < high).then(|| low + (high - low) / 2);
        // The rank of each ID is between these bounds, which ascend with the IDs.
        let mut bounds = vec![(0, vertices); ids.len()];
        loop {
            cancellation.check()?;
            let mut middles: Vec<u32> = bounds.iter().filter_map(middle).collect();
            middles.dedup();
            if middles.is_empty() {
                break;
            }
            self.prefetch(&middles)?;
            for (place, bounds) in bounds.iter_mut().enumerate() {
                let Some(middle) = middle(bounds) else { continue };
                let known = self.ids(middle..middle + 1)?;
                if ids.compare(place, &known, 0).is_gt() { bounds.0 = middle + 1 } else { bounds.1 = middle }
            }
        }
        let mut ranks: Vec<u32> = bounds.iter().map(|(rank, _)| *rank).filter(|rank| *rank < vertices).collect();
        ranks.dedup();
        self.prefetch(&ranks)?;
        self.prefetch_vertices(&ranks)?;
        for (place, (rank, _)) in bounds.into_iter().enumerate() {
            let there = rank < vertices && ids.compare(place, &self.ids(rank..rank + 1)?, 0).is_eq();
            let vertex = if there { self.vertices(rank..rank + 1)?.first().copied() } else { None };
            found(place, rank, vertex);
        }
        Ok(())
    }
}

/// Returns true if so many vertices of `store` are found or read faster by themselves than in a pass over all.
pub(crate) fn are_few(store: &Store, count: usize) -> bool {
    count <= index_from(u64::from(store.manifest().graph.vertices)) / VERTICES_PER_FEW
}

/// Parses an integer that consists of digits only, as inputs do.
fn number(text: &str) -> Option<u64> {
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
    /// Ranks of the vertices with lists; `None` in original order.
    listed: Option<(Component, ComponentReader)>,
    new: NewVertices,
}

impl RankReader {
    /// Returns the memory of a reader of a store with this `manifest`, in bytes; its owner reserves it.
    pub fn memory(manifest: &Manifest) -> u64 {
        Component::READER_BYTES + NewVertices::bytes(manifest)
    }

    /// Opens the ranks of `store`; returns `None` if the rank of every vertex is its number.
    ///
    /// # Errors
    ///
    /// Returns an error if a component is missing, damaged, or of another length than in the manifest.
    pub fn open(store: &Store, io: IoChoice) -> Result<Option<Self>> {
        if store.manifest().is_in_rank_order() {
            return Ok(None);
        }
        let new = NewVertices::load(store, io)?;
        let original = store.manifest().numbering.order == Order::Original;
        let component = (!original).then(|| store.component(RANK_OF_VERTEX_NAME, io)).transpose()?;
        let listed = component.map(|component| Ok((component.clone(), component.reader()?))).transpose()?;
        Ok(Some(Self { listed, new }))
    }

    /// Reads the ranks of the ascending `vertices`, many at once, if the store keeps them in memory; returns false
    /// otherwise.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is damaged, too short or unreadable.
    pub(crate) fn prefetch(&mut self, vertices: impl Iterator<Item = VertexId>) -> Result<bool> {
        let Some((_, reader)) = &mut self.listed else { return Ok(true) };
        let listed = vertices.filter(|vertex| *vertex < self.new.listed());
        reader.prefetch(listed.map(|vertex| u64::from(vertex) * 4..u64::from(vertex) * 4 + 4))
    }

    /// Replaces the content of `into` with the ranks of the vertices of `range`.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is damaged, too short or unreadable.
    pub fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        into.resize(index_from(u64::from(range.end.saturating_sub(range.start))), 0);
        let listed = self.listed.as_mut().map(|(component, reader)| (&*component, reader));
        read_ranks(listed, &self.new, range.start, into)
    }
}

/// Fills `into` with the ranks of the vertices from `first` on.
fn read_ranks(
    listed: Option<(&Component, &mut ComponentReader)>,
    new: &NewVertices,
    first: VertexId,
    into: &mut [u32],
) -> Result<()> {
    let count = index_from(u64::from(new.listed().saturating_sub(first))).min(into.len());
    let (known, added) = into.split_at_mut(count);
    match listed {
        None => known.iter_mut().zip(first..).for_each(|(slot, vertex)| *slot = vertex),
        Some((component, reader)) => {
            reader.read_at(u64::from(first) * 4, bytemuck::cast_slice_mut(known))?;
            if known.iter().any(|rank| *rank >= new.listed()) {
                return Err(Error::corrupt(component.path(), "it contains a rank that does not exist"));
            }
        }
    }
    if new.count() > 0 {
        known.iter_mut().for_each(|rank| *rank = new.rank_of_listed(*rank));
    }
    let first = first.max(new.listed());
    added.iter_mut().zip(first..).for_each(|(slot, vertex)| *slot = new.rank_of_new(vertex));
    Ok(())
}

/// Returns the memory of [`ranks`], in bytes.
pub fn ranks_memory(manifest: &Manifest) -> u64 {
    match manifest.is_in_rank_order() {
        true => 0,
        false => VertexValues::<u32>::bytes(u64::from(manifest.graph.vertices)) + NewVertices::bytes(manifest),
    }
}

/// Returns the rank of every vertex, 4 bytes per vertex; `None` if it is the vertex's number.
///
/// # Errors
///
/// Returns an error if the budget is too small or a table is damaged.
pub fn ranks(
    store: &Store,
    io: IoChoice,
    budget: &MemoryBudget,
    cancellation: &Cancellation,
) -> Result<Option<VertexValues<u32>>> {
    let manifest = store.manifest();
    if manifest.is_in_rank_order() {
        return Ok(None);
    }
    let _new = budget.reserve(NewVertices::bytes(manifest), Purpose::IdMap)?;
    let Some(mut reader) = RankReader::open(store, io)? else { return Ok(None) };
    cancellation.check()?;
    let count = index_from(u64::from(manifest.graph.vertices));
    let mut ranks = VertexValues::new(budget, Purpose::IdMap, count, |_| 0_u32)?;
    let listed = reader.listed.as_mut().map(|(component, reader)| (&*component, reader));
    read_ranks(listed, &reader.new, 0, &mut ranks)?;
    Ok(Some(ranks))
}
