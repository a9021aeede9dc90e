//! Vertices that pending updates added: their numbers, and their ranks among the vertices with lists
//! (`docs/format/updates.md`).

use crate::component::{ComponentReader, ComponentWriter, FileEntry, PAYLOAD_BYTES, units_for};
use crate::manifest::{Manifest, OriginalIds};
use crate::store::Store;
use crate::writing::{IdBatch, IdKind};
use bytemuck::{Pod, Zeroable};
use outcrop_io::IoChoice;
use outcrop_types::{Error, Result, VertexId, index_from, length_from, number_from};
use std::ops::Range;

/// Record of a new vertex, in ascending order of IDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
struct NewVertex {
    /// Number of listed vertices with a smaller ID.
    before: u32,
    /// Number of the vertex.
    vertex: VertexId,
}

/// New vertices of a store. With dense IDs, ranks are numbers, and there are no records.
#[derive(Debug)]
pub(crate) struct NewVertices {
    /// Number of vertices with lists.
    listed: u32,
    count: u32,
    records: Vec<NewVertex>,
    /// Position in `records` of each new vertex, by number.
    places: Vec<u32>,
    /// IDs, ascending.
    ids: IdBatch,
}

/// Vertices to add: none of their IDs is in the store.
#[derive(Clone, Debug)]
pub struct AddedVertices {
    /// Number of vertices, which get the numbers after those of the store.
    pub count: u32,
    /// Their IDs, ascending; none if IDs are dense.
    pub ids: IdBatch,
    /// Number of vertices in the store with a smaller ID, of each ID.
    pub ranks: Vec<u32>,
}

impl Default for AddedVertices {
    fn default() -> Self {
        Self { count: 0, ids: IdBatch::empty(IdKind::Integer), ranks: Vec::new() }
    }
}

/// Vertex of some rank: one with a list, as its rank among these, or a new one, as its position among these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranked {
    Listed(u32),
    New(usize),
}

impl NewVertices {
    /// Returns the memory of the new vertices of a store, in bytes.
    pub(crate) fn bytes(manifest: &Manifest) -> u64 {
        let Some(new) = manifest.new_vertices_entry().filter(|_| manifest.numbering.ids != OriginalIds::Dense) else {
            return 0;
        };
        Self::bytes_of(new.count, new.text_bytes.unwrap_or(0))
    }

    /// Returns the memory of `count` new vertices with `text_bytes` bytes of strings.
    pub(super) fn bytes_of(count: u32, text_bytes: u64) -> u64 {
        u64::from(count) * length_from(size_of::<NewVertex>() + 4 + 8) + text_bytes
    }

    /// Loads the new vertices of `store`; the caller reserves [`NewVertices::bytes`] and, while loading, the buffers of
    /// a reader.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is damaged or cannot be read.
    pub(crate) fn load(store: &Store, io: IoChoice) -> Result<Self> {
        let manifest = store.manifest();
        let (listed, count) = (manifest.listed_vertices(), manifest.new_vertices());
        let kind = if manifest.numbering.ids == OriginalIds::Text { IdKind::Text } else { IdKind::Integer };
        let none = Self { listed, count, records: Vec::new(), places: Vec::new(), ids: IdBatch::empty(kind) };
        let entry = manifest.changes.updates.as_ref().filter(|_| manifest.numbering.ids != OriginalIds::Dense);
        let Some((entry, new_entry)) = entry.and_then(|entry| Some((entry, entry.new_vertices?))) else {
            return Ok(none);
        };
        let component = store.component(&entry.ids_name(), io)?;
        let damaged = || Error::corrupt(component.path(), "checksums are valid but its new vertices are malformed");
        let parts = Parts::of(count, new_entry.text_bytes);
        if component.units() != parts.end {
            let message = format!("it has {} units, but its new vertices need {}", component.units(), parts.end);
            return Err(Error::corrupt(component.path(), message));
        }
        let (mut reader, length) = (component.reader()?, index_from(u64::from(count)));
        let mut records = vec![NewVertex::default(); length];
        read(&mut reader, 0, &mut records)?;
        let mut numbers = vec![0_u64; length];
        read(&mut reader, parts.ids, &mut numbers)?;
        let ids = match new_entry.text_bytes {
            None => IdBatch::Integers(numbers),
            Some(bytes) => {
                if !numbers.is_sorted() || numbers.last() != Some(&bytes) {
                    return Err(damaged());
                }
                let mut texts = vec![0; index_from(bytes)];
                read(&mut reader, parts.texts, &mut texts)?;
                IdBatch::Texts { bytes: texts, ends: numbers.into_iter().map(index_from).collect() }
            }
        };
        let new = Self { records, ids, ..none }.with_places();
        new.filter(|found| found.are_appended() == new_entry.appended).ok_or_else(damaged)
    }

    /// Fills in the position of each vertex; returns `None` if the records are not those of new vertices.
    fn with_places(mut self) -> Option<Self> {
        self.places = vec![u32::MAX; self.records.len()];
        for (place, record) in (0..).zip(&self.records) {
            let slot = self.places.get_mut(index_from(u64::from(record.vertex.checked_sub(self.listed)?)))?;
            (*slot == u32::MAX).then(|| *slot = place)?;
        }
        let ascending = self.records.is_sorted_by_key(|record| record.before)
            && self.records.last().is_none_or(|last| last.before <= self.listed)
            && (1..self.ids.len()).all(|place| self.ids.compare(place - 1, &self.ids, place).is_lt());
        ascending.then_some(self)
    }

    /// Returns these vertices and those of `added`.
    ///
    /// # Errors
    ///
    /// Returns an error if the IDs do not ascend, or if one is already new.
    pub(super) fn with(self, added: &AddedVertices) -> Result<Self> {
        let (listed, count) = (self.listed, self.count + added.count);
        let first = listed + self.count;
        let mut ids = IdBatch::empty(self.ids.kind());
        let mut records = Vec::with_capacity(self.records.len() + added.ids.len());
        added.ids.texts().try_for_each(IdBatch::require_storable)?;
        let mut known = (0..self.records.len()).peekable();
        for (place, rank) in (0..added.ids.len()).zip(&added.ranks) {
            while let Some(known) = known.next_if(|known| self.ids.compare(*known, &added.ids, place).is_lt()) {
                records.push(self.records[known]);
                ids.push_from(&self.ids, known);
            }
            let before = rank.saturating_sub(self.before(*rank));
            records.push(NewVertex { before, vertex: first.saturating_add(number_from(place)) });
            ids.push_from(&added.ids, place);
        }
        for known in known {
            records.push(self.records[known]);
            ids.push_from(&self.ids, known);
        }
        let all = Self { listed, count, records, places: Vec::new(), ids };
        all.with_places().ok_or_else(|| Error::internal("new vertices are not in order, or already exist"))
    }

    /// Returns true if the IDs follow those of the vertices with lists, in the order of numbers.
    pub(super) fn are_appended(&self) -> bool {
        let ascending = self.records.is_sorted_by_key(|record| record.vertex);
        ascending && self.records.first().is_none_or(|first| first.before == self.listed)
    }

    /// Returns the bytes of all IDs, if these are strings.
    pub(super) const fn text_bytes(&self) -> Option<u64> {
        match &self.ids {
            IdBatch::Integers(_) => None,
            IdBatch::Texts { bytes, .. } => Some(length_from(bytes.len())),
        }
    }

    /// Writes the file, and returns its entry for the manifest.
    ///
    /// # Errors
    ///
    /// Returns an error if writing fails.
    pub(super) fn write(&self, mut writer: ComponentWriter) -> Result<FileEntry> {
        writer.write(bytemuck::cast_slice(&self.records))?;
        writer.finish_unit()?;
        match &self.ids {
            IdBatch::Integers(ids) => writer.write(bytemuck::cast_slice(ids))?,
            IdBatch::Texts { bytes, ends } => {
                ends.iter().try_for_each(|end| writer.write(&length_from(*end).to_le_bytes()))?;
                writer.finish_unit()?;
                writer.write(bytes)?;
            }
        }
        writer.finish_unit()?;
        writer.finish()
    }

    /// Returns the number of new vertices.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    /// Returns the number of vertices with lists.
    pub(crate) const fn listed(&self) -> u32 {
        self.listed
    }

    /// Returns the IDs, ascending; none if they are dense.
    pub(crate) const fn ids(&self) -> &IdBatch {
        &self.ids
    }

    /// Returns the vertex at `place` in ascending order of IDs.
    pub(crate) fn vertex(&self, place: usize) -> VertexId {
        // Default: dense IDs are numbers.
        self.records.get(place).map_or_else(|| self.listed.saturating_add(number_from(place)), |record| record.vertex)
    }

    /// Returns the rank of a vertex with the `rank` among those with lists.
    #[inline]
    pub(crate) fn rank_of_listed(&self, rank: u32) -> u32 {
        rank.saturating_add(number_from(self.records.partition_point(|record| record.before <= rank)))
    }

    /// Returns the rank of the new vertex with this number.
    pub(crate) fn rank_of_new(&self, vertex: VertexId) -> u32 {
        let number = index_from(u64::from(vertex.saturating_sub(self.listed)));
        let Some(place) = self.places.get(number) else { return vertex };
        let record = self.records.get(index_from(u64::from(*place)));
        record.map_or(vertex, |record| record.before + place)
    }

    /// Returns the rank of `vertex` in a store whose vertices with lists are in rank order.
    #[inline]
    pub(crate) fn rank_in_order(&self, vertex: VertexId) -> u32 {
        if vertex < self.listed { self.rank_of_listed(vertex) } else { self.rank_of_new(vertex) }
    }

    /// Returns the number of new vertices whose rank is less than `rank`.
    fn before(&self, rank: u32) -> u32 {
        if self.records.is_empty() {
            return rank.saturating_sub(self.listed);
        }
        let (mut low, mut high) = (0, number_from(self.records.len()));
        while low < high {
            let middle = low + (high - low) / 2;
            let record = self.records.get(index_from(u64::from(middle)));
            let below = record.is_some_and(|record| record.before + middle < rank);
            *(if below { &mut low } else { &mut high }) = if below { middle + 1 } else { middle };
        }
        low
    }

    /// Returns the listed vertices among those of `ranks`, as ranks among the listed ones, and the positions of the new
    /// ones.
    pub(crate) fn split(&self, ranks: &Range<u32>) -> (Range<u32>, Range<usize>) {
        let (start, end) = (self.before(ranks.start), self.before(ranks.end.max(ranks.start)));
        let places = index_from(u64::from(start))..index_from(u64::from(end));
        (ranks.start - start..ranks.end.max(ranks.start) - end, places)
    }

    /// Returns the vertices of `ranks`, in this order.
    pub(crate) fn ranked(&self, ranks: &Range<u32>) -> impl Iterator<Item = Ranked> {
        let (mut listed, mut places) = self.split(ranks);
        std::iter::from_fn(move || {
            let new = places.start < places.end
                && (listed.is_empty()
                    || self.records.get(places.start).is_some_and(|record| record.before <= listed.start));
            if new { places.next().map(Ranked::New) } else { listed.next().map(Ranked::Listed) }
        })
    }
}

/// Start of each part of the payload, in units; the records are the first part.
struct Parts {
    ids: u64,
    texts: u64,
    end: u64,
}

impl Parts {
    fn of(count: u32, text_bytes: Option<u64>) -> Self {
        let ids = units_for(length_from(size_of::<NewVertex>()) * u64::from(count));
        let texts = ids + units_for(8 * u64::from(count));
        Self { ids, texts, end: texts.saturating_add(units_for(text_bytes.unwrap_or(0))) }
    }
}

fn read<T: Pod>(reader: &mut ComponentReader, unit: u64, into: &mut [T]) -> Result<()> {
    reader.read_at(unit * length_from(PAYLOAD_BYTES), bytemuck::cast_slice_mut(into))
}
