//! Lists in memory, in reserved space.

use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexValues, index_from, length_from, number_from};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bytes per list: its vertex in two sets, and its start.
const LIST_BYTES: u64 = 12;
/// Bytes per neighbor and per weight.
const NEIGHBOR_BYTES: u64 = 4;
const WEIGHT_BYTES: u64 = 8;

/// Returns the bytes per list entry.
const fn entry_bytes(weighted: bool) -> u64 {
    NEIGHBOR_BYTES + if weighted { WEIGHT_BYTES } else { 0 }
}

/// Returns the bytes of the vertices and starts of all lists.
const fn lists_bytes(vertices: u32) -> u64 {
    (vertices as u64 + 1) * LIST_BYTES
}

/// Part of a list in memory.
#[derive(Clone, Copy)]
pub(super) struct Part<'b> {
    neighbors: &'b [AtomicU32],
    /// Bits of the weights; empty if every edge has weight 1.
    weights: &'b [AtomicU64],
}

impl Part<'_> {
    /// Calls `visit` with each neighbor and the weight of its edge, in order.
    #[inline]
    pub(super) fn for_each(self, mut visit: impl FnMut(VertexId, f64)) {
        let neighbors = self.neighbors.iter().map(|neighbor| neighbor.load(Relaxed));
        if self.weights.is_empty() {
            return neighbors.for_each(|neighbor| visit(neighbor, 1.0));
        }
        let weights = self.weights.iter().map(|weight| f64::from_bits(weight.load(Relaxed)));
        neighbors.zip(weights).for_each(|(neighbor, weight)| visit(neighbor, weight));
    }
}

/// Space for the lists of some vertices, or for a window of a longer list.
pub(super) struct Buffer {
    /// Memory in use, in bytes.
    bytes: u64,
    neighbors: VertexValues<AtomicU32>,
    weights: VertexValues<AtomicU64>,
    /// Vertices with lists in memory, ascending, and the starts of these lists and their end.
    members: VertexValues<u32>,
    starts: VertexValues<u32>,
    /// Number of lists.
    count: usize,
    /// True if the lists of all vertices are in memory.
    whole: bool,
}

impl Buffer {
    /// Returns the memory for all lists of a graph of `vertices` vertices with `entries` list entries, in bytes.
    pub(super) const fn bytes_for(vertices: u32, entries: u64, weighted: bool) -> u64 {
        entries.saturating_mul(entry_bytes(weighted)).saturating_add(lists_bytes(vertices))
    }

    /// Creates a buffer of `bytes` bytes for lists of a graph of `vertices` vertices with `entries` list entries.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn new(budget: &MemoryBudget, bytes: u64, vertices: u32, entries: u64, weighted: bool) -> Result<Self> {
        let (fits, all_lists) = (Self::bytes_for(vertices, entries, weighted) <= bytes, lists_bytes(vertices));
        let lists = if fits { all_lists } else { all_lists.min(bytes / 4) } / LIST_BYTES;
        let room = ((bytes - lists * LIST_BYTES) / entry_bytes(weighted)).min(entries).min(u64::from(u32::MAX));
        let (lists, room) = (index_from(lists), index_from(room));
        Ok(Self {
            bytes,
            neighbors: VertexValues::zeroes(budget, Purpose::HeldLists, room)?,
            weights: VertexValues::zeroes(budget, Purpose::HeldLists, if weighted { room } else { 0 })?,
            members: VertexValues::zeroes(budget, Purpose::HeldLists, lists)?,
            starts: VertexValues::zeroes(budget, Purpose::HeldLists, lists)?,
            count: 0,
            whole: false,
        })
    }

    /// Replaces the content by an empty buffer for another graph.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn reset(&mut self, budget: &MemoryBudget, vertices: u32, entries: u64, weighted: bool) -> Result<()> {
        let bytes = self.bytes;
        *self = Self::new(budget, 0, 0, 0, false)?;
        *self = Self::new(budget, bytes, vertices, entries, weighted)?;
        Ok(())
    }

    /// Returns the number of list entries that fit.
    pub(super) fn room(&self) -> usize {
        self.neighbors.len()
    }

    /// Returns true if there is room for as many lists as the graph has vertices.
    pub(super) fn has_room_for_all(&self, vertices: u32) -> bool {
        self.members.len() > vertices as usize
    }

    /// Returns true if the lists of all vertices are in memory.
    pub(super) const fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns the vertices with lists in memory.
    pub(super) fn members(&self) -> &[VertexId] {
        &self.members[..self.count]
    }

    /// Returns the position of the list of a member.
    #[inline]
    pub(super) fn position(&self, vertex: VertexId) -> usize {
        let members = self.members();
        match members {
            [first, .., last] if (last - first) as usize + 1 == members.len() => (vertex - first) as usize,
            // Default: only members have lists in memory.
            _ => members.binary_search(&vertex).unwrap_or(0),
        }
    }

    /// Returns the places of the list at `position`.
    #[inline]
    pub(super) fn places(&self, position: usize) -> std::ops::Range<usize> {
        self.starts[position] as usize..self.starts[position + 1] as usize
    }

    /// Returns the list at `position`.
    #[inline]
    pub(super) fn list(&self, position: usize) -> Part<'_> {
        let places = self.places(position);
        let weights = if self.weights.is_empty() { 0..0 } else { places.clone() };
        Part { neighbors: &self.neighbors[places], weights: &self.weights[weights] }
    }

    /// Returns the entry at `place`.
    pub(super) fn entry(&self, place: usize) -> (VertexId, f64) {
        let weight = self.weights.get(place).map_or(1.0, |weight| f64::from_bits(weight.load(Relaxed)));
        (self.neighbors[place].load(Relaxed), weight)
    }

    /// Stores an entry at `place`.
    #[inline]
    pub(super) fn store(&self, place: usize, neighbor: VertexId, weight: f64) {
        self.neighbors[place].store(neighbor, Relaxed);
        if let Some(slot) = self.weights.get(place) {
            slot.store(weight.to_bits(), Relaxed);
        }
    }

    /// Makes room for the lists of the vertices `some`, as far as they fit; `entries` returns their lengths. Returns
    /// the first vertex for which there is no room.
    pub(super) fn choose(
        &mut self,
        some: impl Iterator<Item = VertexId>,
        entries: impl Fn(VertexId) -> u64,
    ) -> Option<VertexId> {
        (self.count, self.whole) = (0, false);
        let mut used = 0;
        for vertex in some {
            let end = used + entries(vertex);
            if self.count + 1 >= self.members.len() || end > length_from(self.room()) {
                return Some(vertex);
            }
            self.add(vertex, used, end);
            used = end;
        }
        None
    }

    /// Makes room for a window of `length` entries of the list of `vertex`, at most [`Buffer::room`].
    pub(super) fn choose_window(&mut self, vertex: VertexId, length: u64) {
        (self.count, self.whole) = (0, false);
        self.add(vertex, 0, length);
    }

    /// Makes room for the lists of all `vertices` vertices; returns false if they do not fit.
    pub(super) fn choose_all(&mut self, vertices: u32, entries: impl Fn(VertexId) -> u64) -> bool {
        let all = || (0..vertices).map(&entries).sum::<u64>();
        if !self.has_room_for_all(vertices) || all() > length_from(self.room()) {
            return false;
        }
        self.choose(0..vertices, entries);
        self.whole = true;
        true
    }

    /// Adds the places of a list.
    fn add(&mut self, vertex: VertexId, start: u64, end: u64) {
        self.members[self.count] = vertex;
        self.starts[self.count] = number_from(start);
        self.starts[self.count + 1] = number_from(end);
        self.count += 1;
    }
}
