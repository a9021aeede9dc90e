//! What a select or sweep would read, as far as the index tells without looking into chunks.
//!
//! The index does not know degrees: of lists in chunks the mean of their level is taken, and of large sets one block of vertices in
//! sixteen is looked at. The result depends on nothing but the set and what is in memory.

use super::adjacency::ChunkedAdjacency;
use super::wanted::WantedList;
use crate::access::IoCost;
use crate::layout::chunked::index::{ClassBlock, Place};
use crate::manifest::LevelFigures;
use crate::selection::StaticLists;
use outcrop_types::{VertexId, VertexRange, VertexSet, length_from};

/// One block of so many is looked at.
const SAMPLED: u32 = 16;
/// Sequential reads are so long.
const REQUEST_BYTES: u64 = 256 << 10;

/// What a set has: entries in the index, and lists by level.
#[derive(Default)]
struct Tally {
    /// Entries in memory: of lists in the index, and of those in the static cache.
    minis: u64,
    held: u64,
    held_bytes: u64,
    lists: [u64; crate::layout::chunked::settings::MAX_LEVELS],
}

impl Tally {
    fn add(&mut self, chunked: &ChunkedAdjacency, vertex: VertexId) {
        if let Some((arcs, bytes)) = chunked.statics.as_ref().and_then(|statics| statics.size_of(vertex)) {
            self.held += arcs;
            self.held_bytes += bytes;
            return;
        }
        match chunked.index.place(vertex) {
            Place::Empty => {}
            Place::Mini(neighbours) => self.minis += length_from(neighbours.len()),
            Place::Chunk(chunk) => {
                if let Some(lists) = self.lists.get_mut(usize::from(chunked.table.kind(chunk).level)) {
                    *lists += 1;
                }
            }
        }
    }
}

pub(super) fn cost_of(chunked: &ChunkedAdjacency, set: &VertexSet) -> IoCost {
    let mut tally = Tally::default();
    let scale = match set {
        VertexSet::Sparse { members, .. } => {
            members.iter().for_each(|vertex| tally.add(chunked, *vertex));
            1
        }
        VertexSet::Dense { bits, .. } => {
            for start in (0..set.universe()).step_by(SAMPLED as usize * ClassBlock::VERTICES as usize) {
                let block = VertexRange::new(start, start.saturating_add(ClassBlock::VERTICES));
                bits.iter_range(block).for_each(|vertex| tally.add(chunked, vertex));
            }
            u64::from(SAMPLED)
        }
    };
    let levels = chunked.entry.levels.iter().zip(tally.lists).enumerate();
    let costs = levels.map(|(level, (figures, lists))| cost_of_level(chunked, level, figures, lists * scale));
    let (arcs, resident_bytes) = ((tally.minis + tally.held) * scale, tally.held_bytes * scale);
    costs.fold(IoCost { arcs, resident_bytes, ..IoCost::default() }, |sum, cost| sum + cost)
}

/// What `lists` lists of a level, anywhere in it, would read.
fn cost_of_level(chunked: &ChunkedAdjacency, level: usize, figures: &LevelFigures, lists: u64) -> IoCost {
    let lists = lists.min(figures.lists);
    if lists == 0 {
        return IoCost::default();
    }
    let chunk_bytes = length_from(chunked.entry.settings.chunk_bytes(level));
    let resident = chunked.caches.get(level).map_or(0, |cache| cache.resident_pages());
    // Balls into bins: how many chunks hold at least one of the lists.
    let paged = chunked.paged_chunks.get(level).copied().unwrap_or(figures.chunks);
    let (chunks, thrown) = (paged as f64, lists as f64);
    let touched = (chunks * -(thrown * (-1.0 / chunks.max(1.0)).ln_1p()).exp_m1()).ceil().min(chunks) as u64;
    let touched = if paged == 1 { 1 } else { touched };
    let present = (touched * resident / paged.max(1)).min(touched);
    IoCost {
        arcs: (u128::from(figures.arcs) * u128::from(lists) / u128::from(figures.lists)) as u64,
        bytes: (touched - present) * chunk_bytes,
        requests: touched - present,
        resident_bytes: present * chunk_bytes,
    }
}

pub(super) fn cost_of_sweep(chunked: &ChunkedAdjacency) -> IoCost {
    let resident_bytes = chunked.statics.as_ref().map_or(0, StaticLists::bytes);
    let mut cost = IoCost { arcs: chunked.entry.arcs, resident_bytes, ..IoCost::default() };
    for (level, paged) in chunked.paged_chunks.iter().enumerate() {
        let chunk_bytes = length_from(chunked.entry.settings.chunk_bytes(level));
        let resident = chunked.caches.get(level).map_or(0, |cache| cache.resident_pages()).min(*paged);
        cost.bytes += (paged - resident) * chunk_bytes;
        cost.resident_bytes += resident * chunk_bytes;
    }
    cost.requests = cost.bytes.div_ceil(REQUEST_BYTES);
    cost
}

impl ChunkedAdjacency {
    /// About how many entries the lists have.
    pub(super) fn entries_of(&self, lists: &[WantedList]) -> u64 {
        let of_level =
            |level: usize| self.entry.levels.get(level).map_or(0, |figures| figures.arcs / figures.lists.max(1));
        lists.iter().map(|(chunk, _)| of_level(usize::from(self.table.kind(*chunk).level))).sum()
    }
}
