//! Reserved memory for in-memory lists.

use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, VertexId};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Number of header fields before each part of a neighborhood: the numbers of single and of double neighbors.
const HEAD: usize = 2;
/// Bytes per position: the offsets of two parts.
const POSITION_BYTES: u64 = 8;
/// Bytes that a worker needs per entry of the longest list: two growing lists.
const SCRATCH_BYTES: u64 = 8;

/// Buffer for the neighborhoods of a batch of vertices, indexed by their position in the batch.
///
/// Each has two parts: the neighbors from its out-list, and those added by its in-list. If neighbors have values, each
/// value uses as much space as [`NeighborhoodBuffer::VALUE_ENTRIES`] entries.
#[derive(Debug)]
pub struct NeighborhoodBuffer {
    entries: Vec<AtomicU32>,
    used: AtomicUsize,
    /// Number of positions that may be in use.
    touched: AtomicUsize,
    /// Offsets of both parts of each position.
    places: Vec<[AtomicU32; 2]>,
    longest: usize,
    /// True if a list did not fit.
    is_overfull: AtomicBool,
    _held: Reservation,
}

/// Part of a neighborhood.
#[derive(Clone, Copy, Debug)]
pub struct NeighborhoodPart<'h> {
    /// Neighbors connected by edges in one direction.
    pub single: &'h [AtomicU32],
    /// Neighbors connected by edges in both directions, if these are distinguished.
    pub double: &'h [AtomicU32],
}

/// Neighborhood with a value for each neighbor.
#[derive(Clone, Copy, Debug)]
pub struct NeighborValues<'h> {
    ids: &'h [AtomicU32],
    /// Halves of values, the lower one first.
    halves: &'h [AtomicU32],
}

impl NeighborValues<'_> {
    /// Returns the number of neighbors.
    #[inline]
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if there are no neighbors.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Iterates over the neighbors with their values.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (VertexId, f64)> + '_ {
        let half = |half: &AtomicU32| u64::from(half.load(Relaxed));
        let values = self.halves.chunks_exact(2).map(move |halves| match halves {
            [low, high] => f64::from_bits(half(high) << 32 | half(low)),
            _ => 0.0,
        });
        self.ids.iter().map(|id| id.load(Relaxed)).zip(values)
    }
}

impl NeighborhoodBuffer {
    /// Size of a value, in list entries.
    pub const VALUE_ENTRIES: u64 = 2;

    /// Returns the minimum memory for lists of up to `longest` entries while `slots` workers read, in bytes.
    pub const fn least_bytes(longest: u64, slots: usize) -> u64 {
        (slots as u64) * longest * SCRATCH_BYTES + (longest + 16) * 8 + 1024
    }

    /// Returns the memory for `entries` list entries of `vertices` vertices, in bytes.
    pub const fn bytes_for(entries: u64, vertices: u32, longest: u64, slots: usize) -> u64 {
        let lists = (entries + (2 * HEAD as u64) * vertices as u64) * 4;
        Self::least_bytes(longest, slots) + lists + lists / 8 + POSITION_BYTES * vertices as u64 * 2
    }

    /// Returns the maximum list length for which `bytes` are used efficiently.
    pub const fn longest_within(bytes: u64, slots: usize) -> u64 {
        bytes / (4 * SCRATCH_BYTES * slots as u64)
    }

    /// Returns the bytes for which [`NeighborhoodBuffer::longest_within`] returns `longest`.
    pub const fn bytes_within(longest: u64, slots: usize) -> u64 {
        longest.saturating_mul(4 * SCRATCH_BYTES * slots as u64)
    }

    /// Reserves `bytes`, at least [`NeighborhoodBuffer::least_bytes`], for lists of a graph with `vertices` vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget has less left.
    pub fn new(budget: &MemoryBudget, bytes: u64, vertices: u32, longest: u64, slots: usize) -> Result<Self> {
        let held = budget.reserve(bytes.max(Self::least_bytes(longest, slots)), Purpose::HeldLists)?;
        let rest = held.bytes() - slots as u64 * longest * SCRATCH_BYTES;
        let positions = (rest / 4 / POSITION_BYTES).min(u64::from(vertices).max(1));
        // Offsets are 32-bit numbers.
        let entries = ((rest - positions * POSITION_BYTES) / 4).min(u64::from(u32::MAX)) as usize;
        let zeros = |length: usize| (0..length).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let places = (0..positions).map(|_| <[AtomicU32; 2]>::default()).collect();
        Ok(Self {
            entries: zeros(entries),
            used: AtomicUsize::new(1),
            touched: AtomicUsize::new(0),
            places,
            longest: longest as usize,
            is_overfull: AtomicBool::new(false),
            _held: held,
        })
    }

    /// Returns the maximum number of vertices of a batch.
    pub fn positions(&self) -> usize {
        self.places.len()
    }

    /// Returns the maximum length of a list.
    pub const fn longest(&self) -> usize {
        self.longest
    }

    /// Returns true if there is room for `entries` more entries of `vertices` more vertices.
    pub(super) fn has_room(&self, entries: u64, vertices: u64) -> bool {
        entries + vertices * (2 * HEAD as u64) <= self.entries.len().saturating_sub(self.used.load(Relaxed)) as u64
    }

    /// Returns true if most of the space is in use.
    pub(super) fn nearly_full(&self) -> bool {
        self.used.load(Relaxed) >= self.entries.len() / 16 * 15
    }

    /// Removes all lists, and prepares for lists of the first `positions` positions.
    pub(super) fn begin(&self, positions: usize) {
        // Offset 0 means that the position is empty.
        self.used.store(1, Relaxed);
        self.is_overfull.store(false, Relaxed);
        let touched = self.touched.swap(positions, Relaxed);
        self.places[..touched].iter().flatten().for_each(|place| place.store(0, Relaxed));
    }

    /// Removes all lists, and returns the space as counters of 0.
    pub(super) fn counters(&self) -> &[AtomicU32] {
        self.begin(0);
        self.entries.iter().for_each(|entry| entry.store(0, Relaxed));
        &self.entries
    }

    /// Checks that all lists fit, as lists do whose lengths match their degrees.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Corrupt`] if a list did not fit.
    pub(super) fn check(&self) -> Result<()> {
        match self.is_overfull.load(Relaxed) {
            true => Err(Error::corrupt("adjacency lists", "a list is longer than the degree of its vertex")),
            false => Ok(()),
        }
    }

    /// Allocates space for `length` entries; returns `None` if it does not fit, which [`NeighborhoodBuffer::check`]
    /// reports.
    fn take(&self, length: usize) -> Option<(usize, &[AtomicU32])> {
        let place = self.used.fetch_add(length, Relaxed);
        let room = self.entries.get(place..place.saturating_add(length));
        if room.is_none() {
            self.is_overfull.store(true, Relaxed);
        }
        Some((place, room?))
    }

    /// Stores a part of the neighborhood at `position`; it must fit.
    #[inline]
    pub(super) fn store(&self, part: usize, position: usize, single: &[VertexId], double: &[VertexId]) {
        let length = single.len() + double.len();
        if length == 0 {
            return;
        }
        let Some((place, room)) = self.take(HEAD + length) else { return };
        let head = [single.len() as u32, double.len() as u32];
        let words = head.iter().chain(single).chain(double);
        room.iter().zip(words).for_each(|(entry, word)| entry.store(*word, Relaxed));
        self.places[position][part].store(place as u32, Relaxed);
    }

    /// Stores the neighborhood at `position`, with a value for each neighbor; it must fit.
    #[inline]
    pub(super) fn store_values(&self, position: usize, ids: &[VertexId], values: &[f64]) {
        if ids.is_empty() {
            return;
        }
        let length = ids.len() + 2 * values.len();
        let Some((place, room)) = self.take(HEAD + length) else { return };
        let halves = values.iter().flat_map(|value| [value.to_bits() as u32, (value.to_bits() >> 32) as u32]);
        let head = [ids.len() as u32, 2 * values.len() as u32];
        let words = head.into_iter().chain(ids.iter().copied()).chain(halves);
        room.iter().zip(words).for_each(|(entry, word)| entry.store(word, Relaxed));
        self.places[position][0].store(place as u32, Relaxed);
    }

    /// Returns the neighborhood at `position`, which must have values.
    #[inline]
    pub fn values(&self, position: usize) -> NeighborValues<'_> {
        let NeighborhoodPart { single, double } = self.part(0, position);
        NeighborValues { ids: single, halves: double }
    }

    /// Reorders a stored part so that the neighbors `double`, which it contains, come last.
    pub(super) fn mark_double(&self, part: usize, position: usize, double: &[VertexId]) {
        let place = self.places[position][part].load(Relaxed) as usize;
        if place == 0 || double.is_empty() {
            return;
        }
        let held = self.part(part, position).single;
        let mut twice = double.iter().peekable();
        let mut kept = 0;
        for entry in held {
            let id = entry.load(Relaxed);
            if twice.next_if_eq(&&id).is_none() {
                held[kept].store(id, Relaxed);
                kept += 1;
            }
        }
        held[kept..].iter().zip(double).for_each(|(entry, id)| entry.store(*id, Relaxed));
        self.entries[place].store(kept as u32, Relaxed);
        self.entries[place + 1].store(double.len() as u32, Relaxed);
    }

    /// Returns a part of the neighborhood at `position`: 0 for neighbors from the out-list, 1 for those added by the
    /// in-list.
    #[inline]
    pub fn part(&self, part: usize, position: usize) -> NeighborhoodPart<'_> {
        let place = self.places[position][part].load(Relaxed) as usize;
        if place == 0 {
            return NeighborhoodPart { single: &[], double: &[] };
        }
        let [single, double] = [0, 1].map(|word| self.entries[place + word].load(Relaxed) as usize);
        let (single, double) = self.entries[place + HEAD..place + HEAD + single + double].split_at(single);
        NeighborhoodPart { single, double }
    }

    /// Reads the neighborhoods at a few `positions` from memory at the same time, without waiting for each: later
    /// accesses find them in the processor's cache.
    #[inline]
    pub fn prefetch(&self, positions: impl Iterator<Item = usize> + Clone) {
        /// Entries per cache line.
        const LINE: usize = 16;
        /// Maximum number of lines of a list; the processor itself prefetches long lists.
        const LINES: usize = 16;
        let mut sum = 0_u32;
        let mut read = |entry: &AtomicU32| sum = sum.wrapping_add(entry.load(Relaxed));
        for place in positions.clone().flat_map(|position| &self.places[position]) {
            read(&self.entries[place.load(Relaxed) as usize]);
        }
        let parts = positions.flat_map(|position| self.neighborhood(position));
        for list in parts.flat_map(|part| [part.single, part.double]) {
            list.iter().step_by(LINE).take(LINES).for_each(&mut read);
        }
        black_box(sum);
    }

    /// Returns the whole neighborhood at `position`.
    #[inline]
    pub fn neighborhood(&self, position: usize) -> [NeighborhoodPart<'_>; 2] {
        [self.part(0, position), self.part(1, position)]
    }
}
