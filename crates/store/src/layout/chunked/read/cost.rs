//! Estimated I/O cost of a select or sweep, from the index without reading chunks.
//!
//! The index does not contain degrees: a chunked list counts with the mean of its level. For vertex lists, the estimate
//! counts their chunks; for bit sets, it examines one block of vertices in sixteen and assumes randomly distributed
//! chunks. The result depends only on the set and on the data in memory.

use super::lists::ChunkedLists;
use super::requested_lists::RequestedList;
use crate::access::{Adjacency, IoCost};
use crate::layout::chunked::entry::LevelFigures;
use crate::layout::chunked::format::ChunkKind;
use crate::layout::chunked::index::{ClassBlock, Place};
use crate::read::LONGEST_REQUEST;
use crate::selection::StaticLists;
use outcrop_io::MergePolicy;
use outcrop_types::{VertexId, VertexRange, VertexSet, length_from};

/// Sampling step: the estimate examines one block in this many.
const SAMPLED: u32 = 16;

/// Tally of a set: entries in the index, and lists by level.
#[derive(Default)]
struct Tally {
    /// Entries in memory: of lists in the index and in the static cache.
    minis: u64,
    held: u64,
    held_bytes: u64,
    lists: [u64; crate::layout::chunked::settings::MAX_LEVELS],
}

impl Tally {
    /// Counts the list of `vertex`; returns the kind of its chunk if it must be read.
    fn add(&mut self, chunked: &ChunkedLists, vertex: VertexId) -> Option<ChunkKind> {
        if let Some((arcs, bytes)) = chunked.file.static_size(vertex) {
            self.held += arcs;
            self.held_bytes += bytes;
            return None;
        }
        match chunked.index.place(vertex) {
            Place::Empty => None,
            Place::Mini(neighbors) => {
                self.minis += length_from(neighbors.len());
                None
            }
            Place::Chunk(chunk) => {
                let kind = chunked.table.kind(chunk);
                *self.lists.get_mut(usize::from(kind.level))? += 1;
                Some(kind)
            }
        }
    }
}

/// Requests for the chunks of a level, in the order of ascending vertices.
#[derive(Clone, Copy, Default)]
struct ChunkRequests {
    /// End of the last requested chunk, and end of the last one that had to be read.
    last: u64,
    last_read: u64,
    cost: IoCost,
}

impl ChunkRequests {
    /// Requests the chunk at `ordinal`, which lists of neighboring vertices share.
    fn ask(&mut self, chunked: &ChunkedLists, level: usize, ordinal: u64) {
        if self.last == ordinal + 1 {
            return;
        }
        self.last = ordinal + 1;
        let chunk_bytes = length_from(chunked.entry.settings.chunk_bytes(level));
        if chunked.caches.get(level).is_some_and(|cache| cache.contains(ordinal)) {
            self.cost.resident_bytes += chunk_bytes;
            return;
        }
        let gap = ordinal.checked_sub(self.last_read).filter(|_| self.last_read > 0).map(|gap| gap * chunk_bytes);
        match gap.filter(|gap| *gap <= chunked.file.merge.gap_bytes) {
            Some(gap) => self.cost.bytes += gap + chunk_bytes,
            None => {
                self.cost.requests += 1;
                self.cost.bytes += chunk_bytes;
            }
        }
        self.last_read = ordinal + 1;
    }
}

/// Returns the cost of a list of vertices, chunk by chunk, except for lists stored apart from their neighbors.
fn cost_of_members(chunked: &ChunkedLists, members: &[VertexId]) -> IoCost {
    let mut tally = Tally::default();
    let mut asked = [ChunkRequests::default(); crate::layout::chunked::settings::MAX_LEVELS];
    for vertex in members {
        let Some(kind) = tally.add(chunked, *vertex) else { continue };
        let level = usize::from(kind.level);
        if let Some(asked) = asked.get_mut(level) {
            asked.ask(chunked, level, u64::from(kind.ordinal));
        }
    }
    let levels = chunked.entry.levels.iter().zip(tally.lists);
    let arcs: u64 = levels.map(|(figures, lists)| share_of(figures.arcs, lists, figures.lists)).sum();
    let known = IoCost { arcs: arcs + tally.minis + tally.held, resident_bytes: tally.held_bytes, ..IoCost::default() };
    asked.into_iter().fold(known, |sum, asked| sum + asked.cost)
}

/// Returns `whole` times `part / parts`.
fn share_of(whole: u64, part: u64, parts: u64) -> u64 {
    let share = u128::from(whole) * u128::from(part) / u128::from(parts.max(1));
    // Default: saturates the estimate.
    u64::try_from(share).unwrap_or(u64::MAX)
}

pub(super) fn cost_of(chunked: &ChunkedLists, set: &VertexSet) -> IoCost {
    let mut tally = Tally::default();
    let scale = match set {
        VertexSet::Sparse { members, .. } => return cost_of_members(chunked, members),
        VertexSet::Dense { bits, .. } => {
            for start in (0..set.universe()).step_by(SAMPLED as usize * ClassBlock::VERTICES as usize) {
                let block = VertexRange::new(start, start.saturating_add(ClassBlock::VERTICES));
                bits.iter_range(block).for_each(|vertex| _ = tally.add(chunked, vertex));
            }
            u64::from(SAMPLED)
        }
    };
    let levels = chunked.entry.levels.iter().zip(tally.lists).enumerate();
    let costs = levels.map(|(level, (figures, lists))| cost_of_level(chunked, level, figures, lists * scale));
    let (arcs, resident_bytes) = ((tally.minis + tally.held) * scale, tally.held_bytes * scale);
    costs.fold(IoCost { arcs, resident_bytes, ..IoCost::default() }, |sum, cost| sum + cost)
}

/// Returns the cost of reading `lists` lists, anywhere in a level.
fn cost_of_level(chunked: &ChunkedLists, level: usize, figures: &LevelFigures, lists: u64) -> IoCost {
    let lists = lists.min(figures.lists);
    if lists == 0 {
        return IoCost::default();
    }
    let chunk_bytes = length_from(chunked.entry.settings.chunk_bytes(level));
    let resident = chunked.caches.get(level).map_or(0, |cache| cache.resident_pages());
    // Balls into bins: the number of chunks with at least one of the lists.
    let paged = chunked.paged_chunks.get(level).copied().unwrap_or(figures.chunks);
    let (chunks, thrown) = (paged as f64, lists as f64);
    let touched = (chunks * -(thrown * (-1.0 / chunks.max(1.0)).ln_1p()).exp_m1()).ceil().min(chunks) as u64;
    let touched = if paged == 1 { 1 } else { touched };
    let present = (touched * resident / paged.max(1)).min(touched);
    let merged = merged(&chunked.file.merge, chunk_bytes, touched - present, paged);
    IoCost {
        arcs: share_of(figures.arcs, lists, figures.lists),
        bytes: merged.chunks * chunk_bytes,
        requests: merged.requests,
        resident_bytes: present * chunk_bytes,
    }
}

/// Merged requests and their chunks: the requested ones, and those in gaps too small for another request.
struct Merged {
    chunks: u64,
    requests: u64,
}

/// Merges `wanted` chunks, anywhere among `chunks` consecutive ones. Two are read together if the chunks between them
/// fit in the gap; gap lengths are distributed like runs of failures of a coin with success probability `wanted /
/// chunks`.
fn merged(merge: &MergePolicy, chunk_bytes: u64, wanted: u64, chunks: u64) -> Merged {
    let passed = (merge.gap_bytes / chunk_bytes) as f64;
    let hit = wanted as f64 / chunks.max(1) as f64;
    let miss = 1.0 - hit;
    let apart = miss.powf(passed + 1.0);
    // Mean of the gaps that are read, with the others counted as zero.
    let between = miss * (1.0 - (passed + 1.0) * miss.powf(passed) + passed * apart) / hit.max(f64::MIN_POSITIVE);
    let read = (wanted + (wanted as f64 * between) as u64).min(chunks).max(wanted);
    let shortest = read.div_ceil((merge.longest_bytes / chunk_bytes).max(1));
    Merged { chunks: read, requests: ((wanted as f64 * apart).ceil() as u64).max(shortest) }
}

pub(super) fn cost_of_sweep(chunked: &ChunkedLists) -> IoCost {
    let resident_bytes = chunked.file.statics.as_ref().map_or(0, StaticLists::bytes);
    let mut cost = IoCost { arcs: chunked.num_arcs(), resident_bytes, ..IoCost::default() };
    for (level, paged) in chunked.paged_chunks.iter().enumerate() {
        let chunk_bytes = length_from(chunked.entry.settings.chunk_bytes(level));
        let resident = chunked.caches.get(level).map_or(0, |cache| cache.resident_pages()).min(*paged);
        cost.bytes += (paged - resident) * chunk_bytes;
        cost.resident_bytes += resident * chunk_bytes;
    }
    cost.requests = cost.bytes.div_ceil(LONGEST_REQUEST);
    cost
}

impl ChunkedLists {
    /// Returns the approximate number of entries in the lists.
    pub(super) fn entries_of(&self, lists: &[RequestedList]) -> u64 {
        let of_level =
            |level: usize| self.entry.levels.get(level).map_or(0, |figures| figures.arcs / figures.lists.max(1));
        lists.iter().map(|(chunk, _)| of_level(usize::from(self.table.kind(*chunk).level))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MERGE: MergePolicy = MergePolicy { gap_bytes: 10 << 10, longest_bytes: 256 << 10 };

    #[test]
    fn few_chunks_are_read_one_by_one_and_all_in_sequence() {
        let few = merged(&MERGE, 4096, 10, 1 << 20);
        assert_eq!((few.chunks, few.requests), (10, 10));
        let all = merged(&MERGE, 4096, 1 << 20, 1 << 20);
        assert_eq!((all.chunks, all.requests), (1 << 20, (1 << 20) / 64));
        let none = merged(&MERGE, 4096, 0, 1 << 20);
        assert_eq!((none.chunks, none.requests), (0, 0));
        // Chunks larger than the maximum request are requests of their own.
        let large = merged(&MERGE, 1 << 20, 100, 200);
        assert_eq!((large.chunks, large.requests), (100, 100));
    }

    #[test]
    fn gaps_are_counted_as_drawn_chunks_have_them() {
        let (chunks, mut state) = (100_000_u64, 9_u64);
        for every in [2, 3, 5, 20, 200] {
            let drawn: Vec<u64> = (0..chunks)
                .filter(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33).is_multiple_of(every)
                })
                .collect();
            let gaps = drawn.windows(2).map(|pair| pair[1] - pair[0] - 1);
            let read: u64 = drawn.len() as u64 + gaps.clone().filter(|gap| *gap <= 2).sum::<u64>();
            let requests = 1 + gaps.filter(|gap| *gap > 2).count() as u64;
            let policy = MergePolicy { longest_bytes: 1 << 40, ..MERGE };
            let estimate = merged(&policy, 4096, drawn.len() as u64, chunks);
            assert!(estimate.chunks.abs_diff(read) <= read / 20, "{} {read}", estimate.chunks);
            assert!(estimate.requests.abs_diff(requests) <= requests / 10, "{} {requests}", estimate.requests);
        }
    }
}
