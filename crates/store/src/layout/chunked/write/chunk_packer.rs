//! Packs lists into chunks, in any order.

use super::bins::{Bins, PlacedList, Spot};
use crate::component::FileEntry;
use crate::layout::chunked::entry::LevelFigures;
use crate::layout::chunked::format::ListFormat;
use crate::layout::chunked::settings::ChunkSettings;
use crate::layout::list_writer::ListTarget;
use outcrop_types::{Error, Result, VertexId, WeightType, length_from};

/// Maximum number of buffered entries of a list; longer lists are split into parts before their length is known.
pub(crate) const fn longest_buffered(weighted: bool) -> usize {
    if weighted { 1 << 18 } else { 1 << 19 }
}
/// Granularity of the parts of a list, in entries.
const PART_STEP: usize = 128;
/// Maximum number of chunks linked by lists that continue in the next one, with `straddle`.
const LONGEST_CHAIN: u32 = 64;

/// Encodes lists and packs them into chunks.
pub(crate) struct ChunkPacker {
    settings: ChunkSettings,
    format: ListFormat,
    bins: Bins,
    encoded: Vec<u8>,
    /// Start of the current list, once a part of it is written.
    begun: Option<PlacedList>,
    /// Number of chunks linked so far, each to the next.
    chain: u32,
    figures: Vec<LevelFigures>,
}

impl ChunkPacker {
    /// Returns the memory of one packer, including the list passed to it, in bytes.
    pub(crate) fn memory(settings: &ChunkSettings, weights: Option<WeightType>) -> u64 {
        let held = 4 + if weights.is_some() { 8 } else { 0 };
        let encoded = (4 + WeightType::bytes_of(weights)) * 5 / 4;
        // The list and its encoding, which may be slightly longer.
        Bins::memory(settings) + length_from(longest_buffered(weights.is_some())) * (held + encoded)
    }

    /// Creates the chunk file.
    ///
    /// # Errors
    /// Returns an error if the files cannot be created or the settings are invalid.
    pub(crate) fn create(target: &ListTarget<'_>, settings: &ChunkSettings, format: ListFormat) -> Result<Self> {
        settings.validate()?;
        Ok(Self {
            format,
            bins: Bins::create(target, settings, format)?,
            figures: vec![LevelFigures::default(); settings.levels.len()],
            settings: settings.clone(),
            encoded: Vec::new(),
            begun: None,
            chain: 0,
        })
    }

    /// Writes the last entries of the list of `vertex`, or all of them. Returns the start of the list and its first
    /// neighbor.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub(crate) fn end_list(&mut self, vertex: VertexId, ids: &[VertexId], weights: &[f64]) -> Result<PlacedList> {
        if self.begun.is_none() && !self.settings.straddle {
            self.encoded.clear();
            self.format.encode(ids, weights, &mut self.encoded);
            if let Some(level) = self.settings.level_of(self.encoded.len()) {
                let spot = self.bins.put(level, vertex, &self.encoded)?;
                self.count(spot, ids.len());
                return Ok(PlacedList { spot, first: first_of(ids) });
            }
        }
        _ = self.write_parts(vertex, ids, weights, true)?;
        self.begun.take().ok_or_else(|| Error::internal("a list without entries has no chunk"))
    }

    /// Writes entries of the list of `vertex`, but not the last; removes the written entries from the buffers.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub(crate) fn begin_list(
        &mut self,
        vertex: VertexId,
        ids: &mut Vec<VertexId>,
        weights: &mut Vec<f64>,
    ) -> Result<()> {
        let written = self.write_parts(vertex, ids, weights, false)?;
        ids.drain(..written);
        weights.drain(..written.min(weights.len()));
        Ok(())
    }

    fn count(&mut self, spot: Spot, entries: usize) {
        if let Some(figures) = self.figures.get_mut(usize::from(spot.kind.level)) {
            figures.lists += u64::from(self.begun.is_none());
            figures.arcs += length_from(entries);
        }
    }

    /// Writes a list in parts, to the largest chunks, or with `straddle` to the smallest. Returns the number of
    /// entries written. `ended` means that no entries follow; otherwise some entries are left for a last part, and no
    /// chunk is opened for a small remainder.
    fn write_parts(&mut self, vertex: VertexId, ids: &[VertexId], weights: &[f64], ended: bool) -> Result<usize> {
        let level = if self.settings.straddle { 0 } else { self.settings.levels.len().saturating_sub(1) };
        let format = self.format;
        let end = if ended { ids.len() } else { ids.len().saturating_sub(1) };
        let mut from = 0;
        while from < end && (ended || from < ids.len() / 2) {
            let (rest, rest_weights) =
                // Default: lists without weights have none.
                (&ids[from..end], weights.get(from..).unwrap_or_default());
            let carried = self.begun.is_some();
            let fresh = !carried && (!self.settings.straddle || self.chain >= LONGEST_CHAIN);
            let mut taken = 0;
            let spot = self.bins.put_part(level, vertex, carried, fresh || carried, |room| {
                let whole = ended && format.encoded_len(rest) <= room;
                taken = if whole { rest.len() } else { longest_prefix(format, rest, room) };
                let mut part = Vec::new();
                // Default: lists without weights have none.
                let weights = rest_weights.get(..taken).unwrap_or_default();
                format.encode(&rest[..taken], weights, &mut part);
                (part, taken < rest.len() || !ended)
            })?;
            self.chain = if fresh { 0 } else { self.chain } + u32::from(taken < rest.len() || !ended);
            self.count(spot, taken);
            self.begun.get_or_insert(PlacedList { spot, first: first_of(rest) });
            from += taken;
        }
        Ok(from)
    }

    /// Completes the chunks. Returns the figures per level, and the files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written or synced.
    pub(crate) fn finish(mut self) -> Result<(Vec<LevelFigures>, [FileEntry; 2])> {
        let (levels, files) = self.bins.finish()?;
        for (figures, (count, white_space)) in self.figures.iter_mut().zip(levels) {
            figures.chunks = u64::from(count);
            figures.white_space = white_space;
        }
        Ok((self.figures, files))
    }
}

/// Returns the first of `ids`, which are not empty.
fn first_of(ids: &[VertexId]) -> VertexId {
    ids.first().copied().unwrap_or(0)
}

/// Returns the maximum number of entries at the front of `ids` whose encoding fits in `room` bytes: whole steps of 128
/// and at most one partial step, but at least one entry.
fn longest_prefix(format: ListFormat, ids: &[VertexId], room: usize) -> usize {
    let steps = ids.len() / PART_STEP;
    let fits = |entries: usize| format.encoded_len(&ids[..entries]) <= room;
    let (mut low, mut high) = (0, steps);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle * PART_STEP) { low = middle } else { high = middle - 1 }
    }
    let whole = low * PART_STEP;
    let finer = (whole + 1..whole + PART_STEP).take_while(|entries| *entries <= ids.len() && fits(*entries)).last();
    finer.unwrap_or(whole).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Codec;

    #[test]
    fn the_longest_prefix_fits_and_one_more_entry_does_not() {
        let weights = Some(WeightType::U16);
        for (codec, weights) in [(Codec::Packed, None), (Codec::Packed, weights), (Codec::Raw32, None)] {
            let format = ListFormat { codec, weights, vertices: u32::MAX };
            for step in [0, 1, 1000, 1 << 20] {
                let ids: Vec<u32> = (0..1000).map(|i| i * step).collect();
                for room in [24, 64, 100, 517, 1000, 2500] {
                    let taken = longest_prefix(format, &ids, room);
                    assert!(format.encoded_len(&ids[..taken]) <= room, "{codec:?} {step} {room}");
                    // A tail may be longer than a whole block: the next entry exceeds the room only if no whole block
                    // is in reach.
                    let more = ids.get(..taken + 1).is_some_and(|ids| format.encoded_len(ids) <= room);
                    assert!(!more || taken == ids.len(), "{codec:?} {step} {room}: {taken}");
                }
            }
        }
        let format = ListFormat { codec: Codec::Raw32, weights: None, vertices: 10 };
        assert_eq!(longest_prefix(format, &[1, 2, 3], 0), 1);
    }
}
