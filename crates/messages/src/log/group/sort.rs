//! Sort and group (section V.B): a counting sort with one pass over the log and one over the retained entries.
//!
//! The regions of a [`GroupSpace`]:
//!
//! | shape | messages | | | |
//! |---|---|---|---|---|
//! | dense | by vertex | start of each vertex | entries as received | |
//! | sparse | by vertex | vertices | start of each vertex | entries as received, with sort keys |
//! | folded | one per vertex | one bit per vertex | | |

use super::super::combine::Combine;
use super::super::drained::{Drained, scan_all};
use super::super::entry::{destination, entry_bytes, message};
use super::space::{GroupSpace, Shape};
use bytemuck::cast_slice_mut;
use outcrop_engine::Plain;
use outcrop_types::{Result, VertexId, VertexRange};
use std::slice::ChunksExactMut;

impl<M: Plain> GroupSpace<M> {
    /// Groups the `count` messages to the vertices of `range`. Skips other messages, unless `all` are in the range.
    /// Discards the entries if this is the `last` pass. Returns the number of messages after combination, or `None` if
    /// the entries are invalid.
    pub(crate) fn group<C: Combine<M>>(
        &mut self,
        shape: Shape,
        (range, count, last): (VertexRange, u64, bool),
        drained: &mut [Drained],
        combine: &C,
    ) -> Result<Option<u64>> {
        self.begin(shape, range, count);
        let grouped = match shape {
            Shape::Dense => self.group_dense(last, drained),
            Shape::Sparse => self.group_sparse(last, drained, combine),
            Shape::Folded => self.fold(last, drained, combine),
        };
        Ok(grouped?.then_some(self.messages as u64))
    }

    fn group_dense(&mut self, last: bool, drained: &mut [Drained]) -> Result<bool> {
        let start = self.range.start;
        let (messages, [index, raw, ..], staging) = self.split();
        let index: &mut [u32] = cast_slice_mut(index);
        index.fill(0);
        let mut places = raw.chunks_exact_mut(entry_bytes::<M>());
        let mut fit = true;
        scan_all(drained, last, staging, &mut |entries| {
            fit &= keep_counted(entries, start, index, &mut places, entry_bytes::<M>());
            Ok(())
        })?;
        let all = fit && places.next().is_none();
        if all {
            place(raw, start, index, messages);
            self.messages = messages.len();
        }
        Ok(all)
    }

    fn group_sparse<C: Combine<M>>(&mut self, last: bool, drained: &mut [Drained], combine: &C) -> Result<bool> {
        let range = self.range;
        let (messages, [vertices, begins, raw, keys], staging) = self.split();
        let keys: &mut [u64] = cast_slice_mut(keys);
        let mut places = raw.chunks_exact_mut(entry_bytes::<M>()).zip(keys.iter_mut().enumerate());
        let mut fit = true;
        scan_all(drained, last, staging, &mut |entries| {
            fit &= keep_keyed(entries, entry_bytes::<M>(), range, &mut places);
            Ok(())
        })?;
        let all = fit && places.next().is_none();
        if all {
            keys.sort_unstable();
            let groups = (cast_slice_mut(vertices), cast_slice_mut(begins));
            (self.vertices, self.messages) = pick::<M, C>(raw, keys, groups, messages, combine);
        }
        Ok(all)
    }

    fn fold<C: Combine<M>>(&mut self, last: bool, drained: &mut [Drained], combine: &C) -> Result<bool> {
        let start = self.range.start;
        let (messages, [bits, ..], staging) = self.split();
        let bits: &mut [u64] = cast_slice_mut(bits);
        bits.fill(0);
        scan_all(drained, last, staging, &mut |entries| {
            fold_into(entries, start, bits, messages, combine);
            Ok(())
        })?;
        self.messages = bits.iter().map(|word| word.count_ones() as usize).sum();
        Ok(true)
    }
}

/// Stores the entries of vertices in the range and counts them in `index`, two positions after the vertex. Returns
/// false if there is no room.
fn keep_counted<'r>(
    entries: &[u8],
    start: VertexId,
    index: &mut [u32],
    places: &mut ChunksExactMut<'r, u8>,
    entry_bytes: usize,
) -> bool {
    for entry in entries.chunks_exact(entry_bytes) {
        let Some(count) = index.get_mut(position(entry, start) + 2) else { continue };
        let Some(place) = places.next() else { return false };
        *count += 1;
        place.copy_from_slice(entry);
    }
    true
}

/// Stores the entries of vertices in `range` and their sort keys: the vertex, then the order of arrival.
fn keep_keyed<'r>(
    entries: &[u8],
    entry_bytes: usize,
    range: VertexRange,
    places: &mut impl Iterator<Item = (&'r mut [u8], (usize, &'r mut u64))>,
) -> bool {
    for entry in entries.chunks_exact(entry_bytes) {
        let to = destination(entry);
        if range.contains(to) {
            let Some((place, (number, key))) = places.next() else { return false };
            place.copy_from_slice(entry);
            *key = u64::from(to) << 32 | number as u64;
        }
    }
    true
}

/// Moves each message to its position and drops its destination. The counts become the start of each vertex's messages.
fn place<M: Plain>(raw: &[u8], start: VertexId, index: &mut [u32], messages: &mut [M]) {
    let mut sum = 0;
    for begin in &mut *index {
        sum += *begin;
        *begin = sum;
    }
    for entry in raw.chunks_exact(entry_bytes::<M>()) {
        let next = &mut index[position(entry, start) + 1];
        messages[*next as usize] = message(entry);
        *next += 1;
    }
}

/// Copies messages in key order. Returns the number of vertices, and the number of messages after combination.
fn pick<M: Plain, C: Combine<M>>(
    raw: &[u8],
    keys: &[u64],
    (vertices, begins): (&mut [VertexId], &mut [u32]),
    messages: &mut [M],
    combine: &C,
) -> (usize, usize) {
    let (mut groups, mut picked) = (0, 0);
    let mut last = None;
    for key in keys {
        let (to, number) = ((*key >> 32) as VertexId, *key as u32 as usize);
        let message = message(&raw[number * entry_bytes::<M>()..][..entry_bytes::<M>()]);
        if last != Some(to) {
            last = Some(to);
            (vertices[groups], begins[groups]) = (to, picked as u32);
            groups += 1;
        } else if C::COMBINES {
            messages[picked - 1] = combine.combine(messages[picked - 1], message);
            continue;
        }
        messages[picked] = message;
        picked += 1;
    }
    begins[groups] = picked as u32;
    (groups, picked)
}

/// Combines each message with the current one of its vertex.
fn fold_into<M: Plain, C: Combine<M>>(
    entries: &[u8],
    start: VertexId,
    bits: &mut [u64],
    messages: &mut [M],
    combine: &C,
) {
    for entry in entries.chunks_exact(entry_bytes::<M>()) {
        let position = position(entry, start);
        let (Some(known), Some(bits)) = (messages.get_mut(position), bits.get_mut(position / 64)) else { continue };
        let bit = 1 << (position % 64);
        *known = if *bits & bit == 0 { message(entry) } else { combine.combine(*known, message(entry)) };
        *bits |= bit;
    }
}

/// Returns the position of an entry's vertex relative to `start`; a huge number if the vertex is before `start`.
#[inline(always)]
fn position(entry: &[u8], start: VertexId) -> usize {
    destination(entry).wrapping_sub(start) as usize
}
