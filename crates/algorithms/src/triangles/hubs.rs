//! Hubs: the vertices with the most list entries, and a bit matrix of their adjacency.
//!
//! If the two upper vertices of a triangle are hubs, all edges between them are bits. For a vertex with hubs as
//! neighbors, represented as a bit row, the number of triangles with one of them is the number of common bits with the
//! row of that hub: whole words of candidates at once. Since rows are symmetric, every vertex of a triangle gets its
//! count without counting columns.

use outcrop_engine::Engine;
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods};
use outcrop_store::access::{FoldLists, Neighbors};
use outcrop_store::common_bits;
use outcrop_types::{Purpose, Reservation, Result, VertexId, length_from};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Minimum number of list entries of a hub: other vertices have short lists.
const LEAST_ENTRIES: u32 = 256;
/// Maximum number of words of a row.
const MOST_WORDS: u64 = 512;

/// Weight of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeWeights {
    /// Weight of an edge in one direction.
    pub(crate) single: u32,
    /// Weight of an edge in both directions, at least `single`.
    pub(crate) double: u32,
}

impl EdgeWeights {
    /// Returns the number of bits per edge.
    fn planes(self) -> u64 {
        if self.single == self.double { 1 } else { 2 }
    }
}

/// Bit rows of hubs.
pub(super) struct Hubs<'e> {
    /// List entries of each vertex.
    entries: &'e [u32],
    /// Weights of edges in one and in both directions.
    weights: EdgeWeights,
    /// Maximum number of list entries of a vertex that is not a hub.
    others: u32,
    /// Hubs, ascending.
    ids: Vec<VertexId>,
    /// Words per row.
    words: usize,
    /// Rows of neighbors, and of those connected in both directions if these have another weight.
    rows: Vec<Vec<u64>>,
    /// Twice the weight of the edges that form a triangle with each hub.
    sums: Vec<AtomicU64>,
    _held: Reservation,
}

/// Returns the memory of `words` words per row in one or two `planes`, in bytes.
const fn bytes_for(words: u64, planes: u64, slots: usize) -> u64 {
    let hubs = 64 * words;
    hubs * words * 8 * planes + hubs * 12 + slots as u64 * (hubs * 16 + words * 24 + 1024)
}

/// Returns the maximum useful memory of the rows of a graph with `arcs` list entries over both directions.
pub(super) fn most_bytes(arcs: u64, slots: usize) -> u64 {
    bytes_for((arcs / u64::from(LEAST_ENTRIES)).div_ceil(64).min(MOST_WORDS), 2, slots)
}

/// Returns the maximum number of list entries of a vertex that is not a hub, if `bytes` are filled with rows of hubs.
pub(super) fn most_entries(entries: &[u32], weights: EdgeWeights, slots: usize, bytes: u64) -> u32 {
    let fits = |words: &u64| bytes_for(*words, weights.planes(), slots) <= bytes;
    (1..=MOST_WORDS).rev().find(fits).map_or(u32::MAX, |most| least_bound(entries, 64 * most as usize))
}

/// Hubs that are neighbors of a vertex.
#[derive(Default)]
pub(super) struct Joined {
    /// Bits of hubs, and of those connected in both directions if these have another weight.
    bits: Vec<Vec<u64>>,
    /// Positions of nonzero words.
    places: Vec<u32>,
    hubs: Vec<u32>,
}

impl Joined {
    fn set(&mut self, hub: u32, double: bool) {
        let (place, bit) = place_of(hub);
        if self.bits[0][place] == 0 {
            self.places.push(place as u32);
        }
        self.bits[0][place] |= bit;
        if double && let Some(both) = self.bits.get_mut(1) {
            both[place] |= bit;
        }
        self.hubs.push(hub);
    }

    fn clear(&mut self) {
        for place in self.places.drain(..) {
            self.bits.iter_mut().for_each(|bits| bits[place as usize] = 0);
        }
        self.hubs.clear();
    }
}

const fn place_of(hub: u32) -> (usize, u64) {
    ((hub / 64) as usize, 1 << (hub % 64))
}

impl<'e> Hubs<'e> {
    /// Loads the rows of the vertices with more than `others` list entries; returns `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is
    /// interrupted.
    pub(super) fn load(
        engine: &Engine<'_>,
        neighborhoods: &Neighborhoods<'_>,
        entries: &'e [u32],
        weights: EdgeWeights,
        others: u32,
    ) -> Result<Option<Self>> {
        let (planes, slots) = (weights.planes(), engine.workers().slots());
        let ids: Vec<VertexId> = (0..).zip(entries).filter(|(_, of)| **of > others).map(|(id, _)| id).collect();
        if ids.is_empty() {
            return Ok(None);
        }
        let words = ids.len().div_ceil(64);
        let held = engine.budget().reserve(bytes_for(words as u64, planes, slots), Purpose::HeldLists)?;
        let zeros = |length: usize| (0..length).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let rows: Vec<_> = (0..planes).map(|_| zeros(ids.len() * words)).collect();
        engine.note_visit(None);
        let fold = |plane: usize| SetBits { ids: &ids, entries, others, words, rows: &rows[plane.min(rows.len() - 1)] };
        neighborhoods.sweep([fold(0), fold(1)])?;
        let mut rows: Vec<Vec<u64>> =
            rows.into_iter().map(|row| row.into_iter().map(AtomicU64::into_inner).collect()).collect();
        if let [out, into] = &mut rows[..] {
            for (out, into) in out.iter_mut().zip(into) {
                (*out, *into) = (*out | *into, *out & *into);
            }
        }
        let sums = zeros(ids.len());
        Ok(Some(Self { entries, weights, others, ids, words, rows, sums, _held: held }))
    }

    /// Returns the memory in use, in bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self._held.bytes()
    }

    /// Returns a buffer for the hubs that are neighbors of a vertex.
    pub(super) fn room(&self) -> Joined {
        Joined { bits: vec![vec![0; self.words]; self.rows.len()], ..Joined::default() }
    }

    /// Returns twice the weight of the edges opposite a non-hub vertex in triangles with two hubs, and adds the shares
    /// of the hubs.
    pub(super) fn close(&self, space: &NeighborhoodBuffer, position: usize, joined: &mut Joined) -> u64 {
        for part in space.neighborhood(position) {
            for (list, double) in [(part.single, false), (part.double, true)] {
                let ids = list.iter().map(|id| id.load(Relaxed)).filter(|id| self.is_hub(*id));
                ids.filter_map(|id| hub_of(&self.ids, id)).for_each(|hub| joined.set(hub, double));
            }
        }
        self.close_joined(joined)
    }

    /// Returns true if `vertex` is a hub; if hubs come first, most other vertices have larger numbers than any hub.
    #[inline]
    fn is_hub(&self, vertex: VertexId) -> bool {
        self.ids.last().is_some_and(|last| vertex <= *last) && self.entries[vertex as usize] > self.others
    }

    /// Counts the triangles of the hubs of the word at `place`, each with two of the preceding hubs. Their rows remain
    /// in the processor's cache while those of the preceding hubs pass.
    fn close_word(&self, place: usize) {
        let mut sums = [0; 64];
        let end = self.ids.len().min(64 * (place + 1)) as u32;
        for lower in 0..end {
            // Hubs are joined to other hubs only, so that of their own word, the upper ones remain.
            let (lower_place, lower_bit) = place_of(lower);
            let upper = self.row(0, lower)[place];
            let mut upper = if lower_place == place { upper & !(lower_bit - 1) } else { upper };
            let mut sum = 0;
            while upper != 0 {
                let number = upper.trailing_zeros();
                let weights = self.common(lower, place, number);
                sums[number as usize] += weights[0];
                sum += 2 * weights[1];
                upper &= upper - 1;
            }
            if sum > 0 {
                self.sums[lower as usize].fetch_add(sum, Relaxed);
            }
        }
        self.sums[64 * place..].iter().zip(sums).for_each(|(all, sum)| _ = all.fetch_add(sum, Relaxed));
    }

    /// Returns the weights opposite the hub of the bit `number` of the word at `place`, and opposite `lower`, in their
    /// triangles with hubs that precede the former.
    #[inline]
    fn common(&self, lower: u32, place: usize, number: u32) -> [u64; 2] {
        let hub = 64 * place as u32 + number;
        self.weights_of(|lower_plane, plane| {
            let (row, other) = (self.row(plane, hub), self.row(lower_plane, lower));
            let last = row[place] & other[place] & ((1 << number) - 1);
            common_bits(&row[..place], &other[..place], None) + u64::from(last.count_ones())
        })
    }

    /// Returns twice the weight of the edges opposite a vertex with hubs as neighbors, and adds the shares of the hubs.
    fn close_joined(&self, joined: &mut Joined) -> u64 {
        let weight = self.count(joined, |hub, weight| _ = self.sums[hub as usize].fetch_add(2 * weight, Relaxed));
        joined.clear();
        weight
    }

    /// Counts the triangles of three hubs.
    ///
    /// # Errors
    ///
    /// Returns an error if the run is interrupted.
    pub(super) fn close_all(&self, engine: &Engine<'_>) -> Result<()> {
        let cancellation = engine.workers().cancellation();
        engine.begin_parts(length_from(self.ids.len()));
        engine.workers().map_blocks(self.ids.len() as u32, 64, |hubs| {
            if !cancellation.is_cancelled() {
                self.close_word(place_of(hubs.start).0);
            }
            engine.end_parts(length_from(hubs.len()));
        });
        cancellation.check()
    }

    /// Returns twice the weight of the edges between the hubs that are neighbors of a vertex; `take` receives the
    /// weight of the edges opposite each hub.
    #[inline]
    fn count(&self, joined: &Joined, take: impl Fn(u32, u64)) -> u64 {
        let sparse = 4 * joined.places.len() < self.words;
        let places = sparse.then_some(joined.places.as_slice());
        let mut sum = 0;
        for hub in &joined.hubs {
            let weights = self.weights_of(|plane, bits| common_bits(self.row(plane, *hub), &joined.bits[bits], places));
            sum += weights[0];
            take(*hub, weights[1]);
        }
        sum
    }

    /// Returns the weights of the edges opposite a vertex and opposite a hub in their triangles, given the number of
    /// bits that a plane of the hub and one of the vertex have in common.
    #[inline]
    fn weights_of(&self, common: impl Fn(usize, usize) -> u64) -> [u64; 2] {
        let all = u64::from(self.weights.single) * common(0, 0);
        if self.rows.len() == 1 {
            return [all, all];
        }
        let more = u64::from(self.weights.double - self.weights.single);
        [all + more * common(1, 0), all + more * common(0, 1)]
    }

    #[inline]
    fn row(&self, plane: usize, hub: u32) -> &[u64] {
        &self.rows[plane][hub as usize * self.words..][..self.words]
    }

    /// Calls `take` with each hub and the weight of the edges found to form a triangle with it since the last call.
    pub(super) fn take_sums(&self, take: impl Fn(VertexId, u64)) {
        // Each triangle adds an even amount.
        self.ids.iter().zip(&self.sums).for_each(|(id, sum)| take(*id, sum.swap(0, Relaxed) / 2));
    }

    /// Iterates over the hubs, each with its number of neighbors among hubs.
    pub(super) fn neighbors(&self) -> impl Iterator<Item = (VertexId, u32)> {
        let neighbors = self.rows[0].chunks(self.words).map(|row| row.iter().map(|word| word.count_ones()).sum());
        self.ids.iter().copied().zip(neighbors)
    }
}

/// Returns the minimum bound of list entries, at least [`LEAST_ENTRIES`] - 1, that at most `count` vertices exceed.
fn least_bound(entries: &[u32], count: usize) -> u32 {
    let (mut low, mut high) = (LEAST_ENTRIES - 1, u32::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        match entries.iter().filter(|of| **of > middle).count() <= count {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

/// Returns the number of a vertex among the hubs; hubs usually come first of all vertices.
#[inline]
fn hub_of(ids: &[VertexId], id: VertexId) -> Option<u32> {
    match ids.get(id as usize) {
        Some(hub) if *hub == id => Some(id),
        _ => ids.binary_search(&id).ok().map(|hub| hub as u32),
    }
}

/// Fold that sets the bits of the hubs in each list.
struct SetBits<'l> {
    ids: &'l [VertexId],
    entries: &'l [u32],
    others: u32,
    words: usize,
    rows: &'l [AtomicU64],
}

impl FoldLists for SetBits<'_> {
    /// First word of the vertex's row.
    type Fold = usize;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.entries[vertex as usize] > self.others
    }

    #[inline]
    fn begin(&self, vertex: VertexId) -> usize {
        hub_of(self.ids, vertex).map_or(self.rows.len(), |hub| hub as usize * self.words)
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, start: &mut usize, piece: Neighbors<'_>) -> ControlFlow<()> {
        for id in piece.ids() {
            if self.wants(*id)
                && *id != vertex
                && let Some(hub) = hub_of(self.ids, *id)
            {
                let (place, bit) = place_of(hub);
                self.rows[*start + place].fetch_or(bit, Relaxed);
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, _: VertexId, _: usize) {}
}
