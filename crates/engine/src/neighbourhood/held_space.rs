//! Reserved memory that lists are held in.

use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result, VertexId};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Numbers before each part of a neighbourhood: how many neighbours are single, and how many double.
const HEAD: usize = 2;
/// Bytes of a position: where each of two parts lies.
const POSITION_BYTES: u64 = 8;
/// Bytes that a worker takes for each entry of the longest list: two lists that grow.
const SCRATCH_BYTES: u64 = 8;

/// Room for the neighbourhoods of a batch of vertices, which are counted by their position in the batch.
///
/// Each has two parts: what its out-list gave, and what its in-list added. Where neighbours are held with values, each
/// of these takes as much room as [`HeldSpace::VALUE_ENTRIES`] more.
#[derive(Debug)]
pub struct HeldSpace {
    entries: Vec<AtomicU32>,
    used: AtomicUsize,
    /// Positions that may hold something.
    touched: AtomicUsize,
    places: [Vec<AtomicU32>; 2],
    longest: usize,
    /// True if there was no room for a list.
    is_overfull: AtomicBool,
    _held: Reservation,
}

/// A part of a neighbourhood.
#[derive(Clone, Copy, Debug)]
pub struct Held<'h> {
    /// Neighbours that are joined by edges of one direction.
    pub single: &'h [AtomicU32],
    /// Neighbours that are joined by edges of both, where they were told apart.
    pub double: &'h [AtomicU32],
}

/// A neighbourhood with a value for each neighbour.
#[derive(Clone, Copy, Debug)]
pub struct HeldValues<'h> {
    ids: &'h [AtomicU32],
    /// The halves of values, the lower one first.
    halves: &'h [AtomicU32],
}

impl HeldValues<'_> {
    /// Number of neighbours.
    #[inline]
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Each neighbour with its value.
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

impl HeldSpace {
    /// Number of entries of a list that are as large as a value.
    pub const VALUE_ENTRIES: u64 = 2;

    /// The least memory in which lists of up to `longest` entries can be held while `slots` workers read, in bytes.
    pub const fn least_bytes(longest: u64, slots: usize) -> u64 {
        (slots as u64) * longest * SCRATCH_BYTES + (longest + 16) * 8 + 1024
    }

    /// Memory that holds `entries` list entries of `vertices` vertices, in bytes.
    pub const fn bytes_for(entries: u64, vertices: u32, longest: u64, slots: usize) -> u64 {
        let lists = (entries + (2 * HEAD as u64) * vertices as u64) * 4;
        Self::least_bytes(longest, slots) + lists + lists / 8 + POSITION_BYTES * vertices as u64 * 2
    }

    /// The longest list for which `bytes` are well used.
    pub const fn longest_within(bytes: u64, slots: usize) -> u64 {
        bytes / (4 * SCRATCH_BYTES * slots as u64)
    }

    /// Takes `bytes`, at least [`HeldSpace::least_bytes`], for lists of a graph with `vertices` vertices.
    ///
    /// # Errors
    /// The budget has less left.
    pub fn new(budget: &MemoryBudget, bytes: u64, vertices: u32, longest: u64, slots: usize) -> Result<Self> {
        let held = budget.reserve(bytes.max(Self::least_bytes(longest, slots)), Purpose::HeldLists)?;
        let rest = held.bytes() - slots as u64 * longest * SCRATCH_BYTES;
        let positions = (rest / 4 / POSITION_BYTES).min(u64::from(vertices).max(1));
        // Places are numbers of 32 bits.
        let entries = ((rest - positions * POSITION_BYTES) / 4).min(u64::from(u32::MAX)) as usize;
        let zeros = |length: usize| (0..length).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let places = [zeros(positions as usize), zeros(positions as usize)];
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

    /// Number of vertices that a batch may have.
    pub fn positions(&self) -> usize {
        self.places[0].len()
    }

    /// The longest list that is held.
    pub const fn longest(&self) -> usize {
        self.longest
    }

    /// True if there is room for `entries` more of `vertices` more vertices.
    pub(super) fn has_room(&self, entries: u64, vertices: u64) -> bool {
        entries + vertices * (2 * HEAD as u64) <= self.entries.len().saturating_sub(self.used.load(Relaxed)) as u64
    }

    /// True if most of the room is taken.
    pub(super) fn nearly_full(&self) -> bool {
        self.used.load(Relaxed) >= self.entries.len() / 16 * 15
    }

    /// Forgets all lists; lists of the first `positions` come next.
    pub(super) fn begin(&self, positions: usize) {
        // Place 0 says that nothing is held.
        self.used.store(1, Relaxed);
        self.is_overfull.store(false, Relaxed);
        let touched = self.touched.swap(positions, Relaxed);
        self.places.iter().flat_map(|places| &places[..touched]).for_each(|place| place.store(0, Relaxed));
    }

    /// Makes sure that there was room for all lists, as there is for lists that are as long as their degrees.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub(super) fn check(&self) -> Result<()> {
        match self.is_overfull.load(Relaxed) {
            true => Err(Error::corrupt("adjacency lists", "a list is longer than the degree of its vertex")),
            false => Ok(()),
        }
    }

    /// Takes the room for so many entries; `None` where there is not as much, which [`HeldSpace::check`] tells.
    fn take(&self, length: usize) -> Option<(usize, &[AtomicU32])> {
        let place = self.used.fetch_add(length, Relaxed);
        let room = self.entries.get(place..place.saturating_add(length));
        if room.is_none() {
            self.is_overfull.store(true, Relaxed);
        }
        Some((place, room?))
    }

    /// Holds a part of the neighbourhood at `position`; there must be room.
    #[inline]
    pub(super) fn hold(&self, part: usize, position: usize, single: &[VertexId], double: &[VertexId]) {
        let length = single.len() + double.len();
        if length == 0 {
            return;
        }
        let Some((place, room)) = self.take(HEAD + length) else { return };
        let head = [single.len() as u32, double.len() as u32];
        let words = head.iter().chain(single).chain(double);
        room.iter().zip(words).for_each(|(entry, word)| entry.store(*word, Relaxed));
        self.places[part][position].store(place as u32, Relaxed);
    }

    /// Holds the neighbourhood at `position`, a value for each neighbour; there must be room.
    #[inline]
    pub(super) fn hold_values(&self, position: usize, ids: &[VertexId], values: &[f64]) {
        if ids.is_empty() {
            return;
        }
        let length = ids.len() + 2 * values.len();
        let Some((place, room)) = self.take(HEAD + length) else { return };
        let halves = values.iter().flat_map(|value| [value.to_bits() as u32, (value.to_bits() >> 32) as u32]);
        let head = [ids.len() as u32, 2 * values.len() as u32];
        let words = head.into_iter().chain(ids.iter().copied()).chain(halves);
        room.iter().zip(words).for_each(|(entry, word)| entry.store(word, Relaxed));
        self.places[0][position].store(place as u32, Relaxed);
    }

    /// The neighbourhood at `position`, of those that are held with values.
    #[inline]
    pub fn values(&self, position: usize) -> HeldValues<'_> {
        let Held { single, double } = self.part(0, position);
        HeldValues { ids: single, halves: double }
    }

    /// Reorders a part that is held so that the neighbours `double`, which are among it, come last.
    pub(super) fn tell_apart(&self, part: usize, position: usize, double: &[VertexId]) {
        let place = self.places[part][position].load(Relaxed) as usize;
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

    /// A part of the neighbourhood at `position`: 0 what the out-list gave, 1 what the in-list added.
    #[inline]
    pub fn part(&self, part: usize, position: usize) -> Held<'_> {
        let place = self.places[part][position].load(Relaxed) as usize;
        if place == 0 {
            return Held { single: &[], double: &[] };
        }
        let [single, double] = [0, 1].map(|word| self.entries[place + word].load(Relaxed) as usize);
        let (single, double) = self.entries[place + HEAD..place + HEAD + single + double].split_at(single);
        Held { single, double }
    }

    /// The whole neighbourhood at `position`.
    #[inline]
    pub fn neighbourhood(&self, position: usize) -> [Held<'_>; 2] {
        [self.part(0, position), self.part(1, position)]
    }
}
