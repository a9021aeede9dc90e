//! Blocks of a segment: columns of IDs, weights and times, packed with the minimum bytes per value that the largest
//! needs (`docs/format/journal.md`).

use crate::identity::Head;
use crate::writing::{EdgeBatch, IdBatch, IdKind};
use bytemuck::{Pod, Zeroable};
use outcrop_types::{LONGEST_ID, index_from, length_from, number_from};

/// Maximum number of edges or vertices per block.
pub(super) const BLOCK: usize = 1 << 13;

/// Bytes of texts after which a chunk of unsorted edges ends.
pub(super) const CHUNK_TEXTS: usize = 1 << 22;
/// Maximum bytes of the texts of an edge.
const EDGE_TEXTS: usize = 2 * LONGEST_ID;

/// Returns the maximum size of a block with IDs of a `kind`, in bytes.
pub(super) const fn largest_block(kind: IdKind) -> usize {
    let texts = match kind {
        IdKind::Integer => 0,
        IdKind::Text => CHUNK_TEXTS + EDGE_TEXTS,
    };
    BLOCK * 36 + 64 + texts
}

/// Flags of a block with string IDs, with weights, and with single-precision weights.
const TEXTS: u32 = 1;
const WEIGHTS: u32 = 2;
const SINGLE: u32 = 4;

/// Kind of the content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Edges to be added.
    Added,
    /// Edges to be removed.
    Removed,
    /// Inserted vertices.
    Vertices,
    /// No content: the end of an update, with the resulting head of the graph.
    Update,
}

impl BlockKind {
    /// Returns the number of IDs per item of a block.
    pub(super) const fn ends(self) -> usize {
        match self {
            Self::Added | Self::Removed => 2,
            Self::Vertices | Self::Update => 1,
        }
    }
}

/// Index record of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BlockRecord {
    /// Payload offset and length, in bytes.
    pub(super) offset: u64,
    pub(super) bytes: u64,
    /// Minimum and maximum time; both 0 if there are none.
    pub(super) first: i64,
    pub(super) last: i64,
    /// Generation of the update that wrote it.
    pub(super) generation: u64,
    /// Number of edges or vertices.
    pub(super) count: u32,
    kind: u32,
    flags: u32,
    timed: u32,
}

/// Record of a segment in format version 9, which has a single generation.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct OldRecord {
    offset: u64,
    bytes: u64,
    first: i64,
    last: i64,
    count: u32,
    kind: u32,
    flags: u32,
    timed: u32,
}

impl OldRecord {
    /// Converts the record to the current version.
    pub(super) const fn of_generation(self, generation: u64) -> BlockRecord {
        let Self { offset, bytes, first, last, count, kind, flags, timed } = self;
        BlockRecord { offset, bytes, first, last, generation, count, kind, flags, timed }
    }
}

/// Properties shared by all blocks of a store; damaged blocks may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockShape {
    pub(super) ids: IdKind,
    pub(super) weighted: bool,
    pub(super) timed: bool,
}

impl BlockRecord {
    /// Returns the kind; `None` if it is invalid.
    pub(super) const fn kind(&self) -> Option<BlockKind> {
        match self.kind {
            0 => Some(BlockKind::Added),
            1 => Some(BlockKind::Removed),
            2 => Some(BlockKind::Vertices),
            3 => Some(BlockKind::Update),
            _ => None,
        }
    }

    /// Returns the record at the end of the update that produced `generation`, after `offset` bytes of blocks.
    pub(super) fn end_of_update(generation: u64, offset: u64, head: Head) -> Self {
        let (first, last) = head.halves();
        Self { offset, first, last, generation, kind: 3, ..Self::default() }
    }

    /// Returns the head of the graph after the update that this record ends.
    pub(super) fn head(&self) -> Option<Head> {
        (self.kind() == Some(BlockKind::Update)).then(|| Head::from_halves(self.first, self.last))
    }

    /// Returns the record as hashed by digests of updates, with `offset` relative to the first block of the update.
    pub(super) fn digested(&self, update: u64) -> impl AsRef<[u8]> + use<> {
        let Self { offset, bytes, first, last, generation: _, count, kind, flags, timed } = *self;
        let record = OldRecord { offset: offset.wrapping_sub(update), bytes, first, last, count, kind, flags, timed };
        bytemuck::cast::<OldRecord, [u8; size_of::<OldRecord>()]>(record)
    }

    /// Returns true if the record is valid for a block of a store with this `shape`, so that the memory for reading it
    /// is known.
    pub(super) fn is_plausible(&self, shape: BlockShape) -> bool {
        let Some(kind) = self.kind() else { return false };
        let added = kind == BlockKind::Added;
        let has = |flag| self.flags & flag != 0;
        let empty = self.count == 0 && self.bytes == 0 && self.flags == 0;
        let full = u64::from(self.count) <= length_from(BLOCK)
            && self.bytes <= length_from(largest_block(shape.ids))
            && has(TEXTS) == (shape.ids == IdKind::Text)
            && (has(WEIGHTS) || !shape.weighted || !added)
            && (has(WEIGHTS) || !has(SINGLE))
            && self.flags <= TEXTS | WEIGHTS | SINGLE
            && (self.timed() || !shape.timed || !added)
            && self.timed <= 1
            && self.first <= self.last;
        if kind == BlockKind::Update { empty && self.timed == 0 } else { full }
    }

    /// Returns true if its edges have times.
    pub(super) const fn timed(&self) -> bool {
        self.timed == 1
    }

    /// Returns the first and the last time of its edges.
    pub(super) const fn span(&self) -> (i64, i64) {
        (self.first, self.last)
    }

    /// Returns true if some of its times may be in `start..end`.
    pub(super) const fn meets(&self, start: i64, end: i64) -> bool {
        self.first < end && self.last >= start
    }

    /// Appends the edges at `places` of `batch` to `into` and returns the record of the resulting block.
    pub(super) fn write(kind: BlockKind, batch: &EdgeBatch, places: &[u32], into: &mut Vec<u8>) -> Self {
        let ends = kind.ends();
        let entries =
            || places.iter().flat_map(move |place| (0..ends).map(move |end| index_from((*place).into()) * ends + end));
        let text = match &batch.endpoints {
            IdBatch::Integers(ids) => {
                // Default: places are those of existing edges.
                pack(entries().map(|place| ids.get(place).copied().unwrap_or_default()), into);
                0
            }
            texts @ IdBatch::Texts { .. } => {
                pack(entries().map(|place| length_from(texts.text(place).len())), into);
                entries().for_each(|place| into.extend_from_slice(texts.text(place)));
                TEXTS
            }
        };
        let of = |place: &u32| index_from(u64::from(*place));
        let weights = || places.iter().filter_map(|place| batch.weights.get(of(place)).copied());
        let weights_are = match (batch.weights.is_empty(), weights().all(|weight| f64::from(weight as f32) == weight)) {
            (true, _) => 0,
            (false, true) => {
                weights().for_each(|weight| into.extend_from_slice(&(weight as f32).to_le_bytes()));
                WEIGHTS | SINGLE
            }
            (false, false) => {
                weights().for_each(|weight| into.extend_from_slice(&weight.to_le_bytes()));
                WEIGHTS
            }
        };
        let times = || places.iter().filter_map(|place| batch.times.get(of(place)).copied());
        // Default: without times, both are 0.
        let (first, last) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
        let timed = !batch.times.is_empty();
        if timed {
            pack(times().map(|time| time.wrapping_sub(first).cast_unsigned()), into);
        }
        let number = match kind {
            BlockKind::Added => 0,
            BlockKind::Removed => 1,
            BlockKind::Vertices => 2,
            BlockKind::Update => 3,
        };
        let (offset, bytes, generation, count) = (0, 0, 0, number_from(places.len()));
        Self {
            offset,
            bytes,
            first,
            last,
            generation,
            count,
            kind: number,
            flags: text | weights_are,
            timed: timed.into(),
        }
    }

    /// Replaces the content of `batch` with the edges or vertices of a block; returns `None` if the block is damaged.
    pub(super) fn read(&self, bytes: &[u8], batch: &mut EdgeBatch) -> Option<()> {
        let count = index_from(u64::from(self.count));
        if count > BLOCK {
            return None;
        }
        let entries = self.kind()?.ends() * count;
        let mut columns = Columns(bytes);
        let kind = if self.flags & TEXTS == 0 { IdKind::Integer } else { IdKind::Text };
        if batch.endpoints.is_empty() || batch.endpoints.kind() != kind {
            *batch = EdgeBatch::empty(kind);
        }
        batch.clear();
        let numbers = columns.unpack(entries)?;
        match &mut batch.endpoints {
            IdBatch::Integers(ids) => ids.extend(numbers),
            IdBatch::Texts { bytes, ends } => {
                let mut end = 0_u64;
                for length in numbers {
                    end = end.checked_add(length)?;
                    ends.push(usize::try_from(end).ok()?);
                }
                let texts = str::from_utf8(columns.take(usize::try_from(end).ok()?)?).ok()?;
                ends.iter().all(|end| texts.is_char_boundary(*end)).then_some(())?;
                bytes.extend_from_slice(texts.as_bytes());
            }
        }
        if self.flags & WEIGHTS != 0 && self.flags & SINGLE != 0 {
            let weights = columns.take(4 * count)?.as_chunks().0;
            batch.weights.extend(weights.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))));
        } else if self.flags & WEIGHTS != 0 {
            batch.weights.extend(columns.take(8 * count)?.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)));
        }
        if self.timed() {
            let times = columns.unpack(count)?;
            batch.times.extend(times.map(|time| self.first.wrapping_add(time.cast_signed())));
        }
        let within = batch.times.iter().all(|time| (self.first..=self.last).contains(time));
        let finite = batch.weights.iter().all(|weight| weight.is_finite());
        (columns.0.is_empty() && within && finite).then_some(())
    }
}

/// Appends the minimum, the number of bytes per difference from it, and the differences.
fn pack(values: impl Iterator<Item = u64> + Clone, into: &mut Vec<u8>) {
    // Default: the minimum of an empty column is 0.
    let least = values.clone().min().unwrap_or_default();
    let most = values.clone().max().unwrap_or_default().saturating_sub(least);
    let width = (u64::BITS - most.leading_zeros()).div_ceil(8);
    into.extend_from_slice(&least.to_le_bytes());
    into.push(width as u8);
    for value in values {
        into.extend_from_slice(&value.wrapping_sub(least).to_le_bytes()[..index_from(u64::from(width))]);
    }
}

/// Unread bytes of columns.
struct Columns<'b>(&'b [u8]);

impl<'b> Columns<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn unpack(&mut self, count: usize) -> Option<impl Iterator<Item = u64> + use<'b>> {
        let least = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        let width = usize::from(*self.take(1)?.first()?);
        let bytes = self.take(count.checked_mul(width).filter(|_| width <= 8)?)?;
        Some((0..count).map(move |place| {
            let mut value = [0; 8];
            value[..width].copy_from_slice(&bytes[place * width..(place + 1) * width]);
            least.wrapping_add(u64::from_le_bytes(value))
        }))
    }
}

#[cfg(test)]
mod tests;
