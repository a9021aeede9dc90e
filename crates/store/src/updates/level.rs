//! File with the changes of one level and direction (`docs/format/updates.md`): writer, and reader in order.

use super::changes::{Change, ChangeCounts, ChangedVertex, EdgeChange};
use super::entry::MOST_LEVELS;
use crate::component::{Component, ComponentReader, ComponentWriter, FileEntry, PAYLOAD_BYTES, UNIT_BYTES, units_for};
use crate::manifest::Manifest;
use bytemuck::Pod;
use outcrop_types::{Error, Result, VertexId, WeightType, index_from, length_from};

/// Memory of the readers of all levels, in bytes: the oldest level, which is the largest, has half of it.
const READERS_BYTES: u64 = Component::READER_BYTES;
/// Batches in the memory of a reader: one read, one of each kind of integers, and weights as stored and, at twice the
/// size, in memory.
const BATCHES: u64 = 8;

/// Start of each part of the payload, in units.
struct Parts {
    removed: u64,
    added: u64,
    weights: u64,
    end: u64,
}

impl Parts {
    fn of(counts: ChangeCounts, weights: Option<WeightType>) -> Self {
        let removed = units_for(16 * u64::from(counts.changed));
        let added = removed + units_for(8 * u64::from(counts.removed));
        let weights_begin = added + units_for(4 * u64::from(counts.added));
        let end = weights_begin + units_for(WeightType::bytes_of(weights) * u64::from(counts.added));
        Self { removed, added, weights: weights_begin, end }
    }
}

/// Writes `changes`, which are in the order of vertex and neighbor, and returns the entry for the manifest.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub(super) fn write_level(
    changes: &[EdgeChange],
    weights: Option<WeightType>,
    mut writer: ComponentWriter,
) -> Result<FileEntry> {
    let lists = changes.chunk_by(|one, other| one.vertex == other.vertex);
    let records = lists.map(|list| {
        let mut record = ChangedVertex::of(list[0].vertex);
        list.iter().for_each(|change| record.count(change.change));
        record
    });
    write_part(&mut writer, records)?;
    let removed = changes.iter().filter_map(|change| match change.change {
        Change::Removed { copies } => Some([change.neighbor, copies]),
        Change::Added { .. } => None,
    });
    write_part(&mut writer, removed)?;
    let added = || {
        changes.iter().filter_map(|change| match change.change {
            Change::Removed { .. } => None,
            Change::Added { weight } => Some((change.neighbor, weight)),
        })
    };
    write_part(&mut writer, added().map(|(neighbor, _)| neighbor))?;
    if let Some(kind) = weights {
        let mut bytes = Vec::with_capacity(8);
        for (_, weight) in added() {
            bytes.clear();
            kind.narrow(&[weight], &mut bytes);
            writer.write(&bytes)?;
        }
        writer.finish_unit()?;
    }
    writer.finish()
}

fn write_part<T: Pod>(writer: &mut ComponentWriter, mut values: impl Iterator<Item = T>) -> Result<()> {
    values.try_for_each(|value| writer.write(bytemuck::bytes_of(&value)))?;
    writer.finish_unit()
}

/// Reader of the changes of one level, in the order of vertex and neighbor, removals first.
pub(super) struct LevelReader {
    reader: ComponentReader,
    vertices: u32,
    lowest: bool,
    /// Bytes read at once.
    batch: u64,
    lists: Part<ChangedVertex>,
    removed: Part<[u32; 2]>,
    added: Part<VertexId>,
    weights: Option<Part<f64>>,
    /// List of the current change, with the numbers of its changes that were not read yet.
    list: ChangedVertex,
    /// Smallest vertex of the next list.
    next_vertex: VertexId,
    removal: Option<EdgeChange>,
    addition: Option<EdgeChange>,
    current: Option<EdgeChange>,
}

impl LevelReader {
    /// Opens the level in `component` with these numbers of changes, of the store of `manifest`. The `lowest` level
    /// has no older changes to hide.
    ///
    /// # Errors
    ///
    /// Returns an error if its length is not that of its changes, or under the conditions of [`LevelReader::advance`].
    pub(super) fn open(component: &Component, counts: ChangeCounts, manifest: &Manifest, lowest: bool) -> Result<Self> {
        let weights = manifest.weights();
        let bytes = if lowest { READERS_BYTES / 2 } else { READERS_BYTES / 2 / length_from(MOST_LEVELS - 1) };
        let parts = Parts::of(counts, weights);
        if component.units() != parts.end {
            let message = format!("it has {} units, but its changes need {}", component.units(), parts.end);
            return Err(Error::corrupt(component.path(), message));
        }
        let mut level = Self {
            reader: component.reader_of(index_from(bytes / BATCHES) + 2 * UNIT_BYTES)?,
            vertices: manifest.graph.vertices,
            lowest,
            batch: bytes / BATCHES,
            lists: Part::new(0, counts.changed),
            removed: Part::new(parts.removed, counts.removed),
            added: Part::new(parts.added, counts.added),
            weights: weights.map(|kind| Part::of_weights(parts.weights, counts.added, kind)),
            list: ChangedVertex::default(),
            next_vertex: 0,
            removal: None,
            addition: None,
            current: None,
        };
        level.advance()?;
        Ok(level)
    }

    /// Returns the current change; `None` after the last one.
    #[inline]
    pub(super) const fn current(&self) -> Option<EdgeChange> {
        self.current
    }

    /// Moves to the next change.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is damaged or cannot be read.
    pub(super) fn advance(&mut self) -> Result<()> {
        let before = self.current.take();
        let Some(next) = self.next()? else { return self.require_end() };
        let exists = next.vertex < self.vertices && next.neighbor < self.vertices;
        let valid = match next.change {
            Change::Removed { copies } => copies > 0 || !self.lowest,
            Change::Added { weight } => weight.is_finite(),
        };
        if !exists || !valid || before.is_some_and(|before| !next.may_follow(&before)) {
            return Err(self.damaged());
        }
        self.current = Some(next);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<EdgeChange>> {
        if self.list.removed + self.list.added == 0 && self.removal.is_none() && self.addition.is_none() {
            let Some(list) = self.next_list()? else { return Ok(None) };
            self.list = list;
        }
        let vertex = self.list.vertex;
        if self.removal.is_none() && self.list.removed > 0 {
            self.list.removed -= 1;
            let removed = self.removed.next(&mut self.reader, self.batch)?;
            let [neighbor, copies] = removed.ok_or_else(|| self.damaged())?;
            self.list.removed_arcs = self.list.removed_arcs.checked_sub(copies).ok_or_else(|| self.damaged())?;
            self.removal = Some(EdgeChange::removed(vertex, neighbor, copies));
        }
        if self.addition.is_none() && self.list.added > 0 {
            self.list.added -= 1;
            let neighbor = self.added.next(&mut self.reader, self.batch)?.ok_or_else(|| self.damaged())?;
            let weight = match &mut self.weights {
                None => Some(1.0),
                Some(weights) => weights.next(&mut self.reader, self.batch)?,
            };
            self.addition = Some(EdgeChange::added(vertex, neighbor, weight.ok_or_else(|| self.damaged())?));
        }
        let first = match (&self.removal, &self.addition) {
            (Some(removal), Some(addition)) if removal.neighbor > addition.neighbor => &mut self.addition,
            (Some(_), _) => &mut self.removal,
            (None, _) => &mut self.addition,
        };
        Ok(first.take())
    }

    /// Returns the next list, which must have changes, after the current one has ended.
    fn next_list(&mut self) -> Result<Option<ChangedVertex>> {
        let list = self.lists.next(&mut self.reader, self.batch)?;
        let valid = list.is_none_or(|list| {
            let some = list.removed.checked_add(list.added).is_some_and(|count| count > 0);
            some && list.vertex >= self.next_vertex
        });
        if !valid || self.list.removed_arcs > 0 {
            return Err(self.damaged());
        }
        self.next_vertex = list.map_or(u32::MAX, |list| list.vertex.saturating_add(1));
        Ok(list)
    }

    fn require_end(&self) -> Result<()> {
        let left = self.removed.left() + self.added.left() + self.weights.as_ref().map_or(0, Part::left);
        if left == 0 { Ok(()) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> Error {
        Error::corrupt(self.reader.path(), "checksums are valid but its changes are malformed")
    }
}

/// Function that appends the values in some bytes.
type Decode<T> = Box<dyn Fn(&[u8], &mut Vec<T>) + Send>;

/// Values of one part of a file, read in batches.
struct Part<T> {
    /// Position of the next batch, in bytes of the payload.
    position: u64,
    /// Number of values after the batch.
    left: u64,
    width: u64,
    decode: Decode<T>,
    values: Vec<T>,
    next: usize,
}

impl<T: Pod> Part<T> {
    fn new(unit: u64, count: u32) -> Self {
        let decode = |bytes: &[u8], values: &mut Vec<T>| {
            values.extend(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
        };
        Self::decoded(unit, count, length_from(size_of::<T>()), Box::new(decode))
    }
}

impl Part<f64> {
    fn of_weights(unit: u64, count: u32, kind: WeightType) -> Self {
        let decode = move |bytes: &[u8], values: &mut Vec<f64>| kind.widen(bytes, values);
        Self::decoded(unit, count, kind.bytes_for(1), Box::new(decode))
    }
}

impl<T: Copy> Part<T> {
    fn decoded(unit: u64, count: u32, width: u64, decode: Decode<T>) -> Self {
        let position = unit * length_from(PAYLOAD_BYTES);
        Self { position, left: count.into(), width, decode, values: Vec::new(), next: 0 }
    }

    #[inline]
    fn next(&mut self, reader: &mut ComponentReader, batch: u64) -> Result<Option<T>> {
        if self.next == self.values.len() {
            self.read_batch(reader, batch)?;
        }
        let value = self.values.get(self.next).copied();
        self.next += usize::from(value.is_some());
        Ok(value)
    }

    #[cold]
    fn read_batch(&mut self, reader: &mut ComponentReader, batch: u64) -> Result<()> {
        // At least 4 bytes per value, so that weights take twice the bytes of the batch in memory.
        let count = self.left.min(batch / self.width.max(4));
        let mut bytes = vec![0; index_from(count * self.width)];
        reader.read_at(self.position, &mut bytes)?;
        self.position += count * self.width;
        self.left -= count;
        self.values.clear();
        (self.decode)(&bytes, &mut self.values);
        self.next = 0;
        Ok(())
    }

    /// Returns the number of values that were not taken.
    const fn left(&self) -> u64 {
        self.left + length_from(self.values.len() - self.next)
    }
}
