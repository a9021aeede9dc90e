//! Counting of the edges that form a triangle with each vertex: those of hubs by bit rows, all others by lists.

use super::hubs::{EdgeWeights, Hubs, Joined, most_bytes, most_entries};
use super::oriented::{Order, Progress, Shares, Triangles, in_memory_list_bytes as lists_bytes};
use crate::outcome::InMemoryListBytes;
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods};
use outcrop_engine::{Engine, State};
use outcrop_types::{MemoryBudget, Purpose, Result, VertexId, VertexRange, VertexValues, length_from};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Returns the memory of the lists and hubs of a graph with `arcs` list entries over both directions; after they are
/// released, sums that grow to 8 bytes per vertex use it.
pub(crate) fn in_memory_list_bytes(vertices: u32, arcs: u64, slots: usize) -> InMemoryListBytes {
    let InMemoryListBytes { least, most } = lists_bytes::<Opposite<'_>>(vertices, arcs, slots);
    let least = least.max(VertexValues::<u32>::bytes(u64::from(vertices)));
    InMemoryListBytes { least, most: least.max(most + most_bytes(arcs, slots)) }
}

/// Total weight, per vertex, of the edges that form a triangle with it.
pub(crate) struct Sums {
    low: VertexValues<AtomicU32>,
    /// Multiples of 2^32, for the few vertices that exceed 32 bits.
    high: Mutex<BTreeMap<VertexId, u64>>,
}

impl Sums {
    fn new(engine: &Engine<'_>) -> Result<Self> {
        let low = engine.vertex_values(|_| AtomicU32::new(0))?;
        Ok(Self { low, high: Mutex::default() })
    }

    #[inline]
    fn add(&self, vertex: VertexId, sum: u64) {
        let low = sum as u32;
        let carry = self.low[vertex as usize].fetch_add(low, Relaxed).checked_add(low).is_none();
        let high = (sum >> 32) + u64::from(carry);
        if high > 0 {
            let mut all = self.high.lock().unwrap_or_else(PoisonError::into_inner);
            // Default: the first multiple.
            *all.entry(vertex).or_default() += high;
        }
    }

    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.shared(&self.low)?;
        let mut high = self.high.lock().unwrap_or_else(PoisonError::into_inner);
        let mut multiples: Vec<[u64; 2]> =
            high.iter().map(|(vertex, multiple)| [(*vertex).into(), *multiple]).collect();
        state.list(&mut multiples, length_from(self.low.len()))?;
        *high = multiples.into_iter().map(|[vertex, multiple]| (vertex as VertexId, multiple)).collect();
        Ok(())
    }

    /// Maps each vertex and its sum to a value with `change`.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(crate) fn into_values<T>(
        self,
        budget: &MemoryBudget,
        change: impl Fn(usize, u64) -> T,
    ) -> Result<VertexValues<T>> {
        let Self { low, high } = self;
        let high = high.into_inner().unwrap_or_else(PoisonError::into_inner);
        VertexValues::new(budget, Purpose::VertexValues, low.len(), |vertex| {
            let carried = high.get(&(vertex as VertexId)).map_or(0, |high| high << 32);
            change(vertex, carried + u64::from(low[vertex].load(Relaxed)))
        })
    }
}

/// Counts opposite edges, with `held` bytes for lists and hubs; returns the sums and the number of iterations.
/// `entries` are the numbers of list entries of each vertex over both directions. The numbers of neighbors are added to
/// `degrees`, if given.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub(crate) fn count(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: &[u32],
    weights: EdgeWeights,
    degrees: Option<&[AtomicU32]>,
    held: u64,
) -> Result<(Sums, u32)> {
    let sums = Sums::new(engine)?;
    let (vertices, arcs, slots) = (engine.vertices(), neighborhoods.arcs(), engine.workers().slots());
    let lists = lists_bytes::<Opposite<'_>>(vertices, arcs, slots);
    let for_hubs = held.saturating_sub(lists.most.min(held.div_ceil(2).max(lists.least)));
    let mut search = Triangles { entries, shares: Opposite { weights, sums: &sums, hubs: None }, degrees };
    let mut progress = Progress::none(most_entries(entries, weights, slots, for_hubs));
    // A resumed run keeps its original hubs, regardless of the memory.
    search.checkpoint(engine, &mut progress)?;
    let hubs = Hubs::load(engine, neighborhoods, entries, weights, progress.most_entries).map_err(|error| {
        error.hinting(Some("a resumed run needs at least the memory of the original run (space for its hub lists)"))
    })?;
    let for_lists = lists.most.min(held.saturating_sub(hubs.as_ref().map_or(0, Hubs::bytes)));
    search.shares.hubs = hubs;
    let iterations = search.find(engine, neighborhoods, for_lists, progress)?;
    if let Some(hubs) = &search.shares.hubs {
        hubs.close_all(engine)?;
        hubs.take_sums(|hub, sum| sums.add(hub, sum));
        for (hub, neighbors) in hubs.neighbors() {
            degrees.inspect(|degrees| _ = degrees[hub as usize].fetch_add(neighbors, Relaxed));
        }
    }
    Ok((sums, iterations))
}

/// Counts the edges that form a triangle with a vertex.
struct Opposite<'t> {
    /// Weights of edges opposite a vertex.
    weights: EdgeWeights,
    /// Counts so far.
    sums: &'t Sums,
    /// Bit rows of vertices that need no lists, if any.
    hubs: Option<Hubs<'t>>,
}

impl Shares for Opposite<'_> {
    type Edge = u32;
    type Share = u32;
    type Sum = u64;

    const EDGE_ENTRIES: u64 = 1;

    fn load(
        &self,
        neighborhoods: &Neighborhoods<'_>,
        start: VertexId,
        space: &NeighborhoodBuffer,
        order: &Order<'_>,
    ) -> Result<VertexRange> {
        neighborhoods.load(start, space, order, self.weights.single != self.weights.double)
    }

    #[inline]
    fn length(&self, space: &NeighborhoodBuffer, position: usize) -> usize {
        space.neighborhood(position).iter().map(|part| part.single.len() + part.double.len()).sum()
    }

    #[inline]
    fn for_each_below(
        &self,
        end: VertexId,
        space: &NeighborhoodBuffer,
        position: usize,
        mut take: impl FnMut(VertexId, u32),
    ) {
        for part in space.neighborhood(position) {
            for (list, weight) in [(part.single, self.weights.single), (part.double, self.weights.double)] {
                let ids = list.iter().map(|id| id.load(Relaxed));
                ids.take_while(|id| *id < end).for_each(|id| take(id, weight));
            }
        }
    }

    #[inline]
    fn shares(lower: u32, long: u32, upper: u32) -> [u32; 3] {
        [upper, long, lower]
    }

    #[inline]
    fn add(&self, vertex: VertexId, sum: u64) {
        if sum > 0 {
            self.sums.add(vertex, sum);
        }
    }

    /// The bit rows are reloaded on resume: first move their counts to the other sums.
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.hubs.iter().for_each(|hubs| hubs.take_sums(|hub, sum| self.add(hub, sum)));
        self.sums.visit(state)
    }

    type Room = Option<Joined>;

    fn take_list(&self, vertex: VertexId, space: &NeighborhoodBuffer, position: usize, room: &mut Option<Joined>) {
        if let Some(hubs) = &self.hubs {
            let joined = room.get_or_insert_with(|| hubs.room());
            self.add(vertex, hubs.close(space, position, joined) / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_beyond_32_bits_are_carried() {
        let budget = MemoryBudget::new(1 << 20);
        let low = VertexValues::new(&budget, Purpose::VertexValues, 3, |_| AtomicU32::new(0)).unwrap();
        let sums = Sums { low, high: Mutex::default() };
        let parts = [u64::from(u32::MAX), 1, 7 << 32, (3 << 32) | 5, u64::from(u32::MAX), u64::from(u32::MAX)];
        for part in parts {
            sums.add(1, part);
        }
        sums.add(2, u64::from(u32::MAX));
        let found = sums.into_values(&budget, |vertex, sum| (vertex, sum)).unwrap();
        assert_eq!(found[..], [(0, 0), (1, parts.iter().sum()), (2, u64::from(u32::MAX))]);
    }
}
