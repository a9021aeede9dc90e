//! Most common values over list entries.

use super::batch::Batch;
use super::lists::Neighborhoods;
use super::neighborhood_buffer::NeighborhoodBuffer;
use super::visit::room_for;
use crate::edge_map::Engine;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, Visit};
use outcrop_types::{EdgeDirection, Result, VertexId, VertexRange, VertexSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Program that needs the most common value over the list entries of a vertex.
pub trait MostCommon: Sync {
    /// Returns the value of `neighbor`. The answer must not change during a visit.
    fn value(&self, neighbor: VertexId) -> u32;

    /// Processes the most common value of `vertex`; not called if its lists contain only loops.
    fn apply(&self, vertex: VertexId, value: u32);
}

/// Maximum number of values that are sorted without trying anything else.
const FEW: usize = 24;
/// Maximum number of values that are counted in a hash table, which then fits in the cache of a core.
const MANY: usize = 1 << 15;

/// Returns the most common of `values`, the smallest in a tie; `None` if there are none. Reorders them.
pub fn most_common(values: &mut [u32]) -> Option<u32> {
    if values.len() > FEW && !values.is_sorted() {
        let majority = majority(values);
        if majority.is_some() {
            return majority;
        }
        if values.len() <= MANY {
            return Some(counted(values));
        }
    }
    values.sort_unstable();
    let mut best = (0, None);
    for same in values.chunk_by(|one, other| one == other) {
        if same.len() > best.0 {
            best = (same.len(), same.first().copied());
        }
    }
    best.1
}

/// Returns the value that more than half of `values` have, if there is one (Boyer and Moore, 1981).
fn majority(values: &[u32]) -> Option<u32> {
    let (mut candidate, mut lead) = (0, 0_usize);
    for value in values {
        match (lead, *value == candidate) {
            (0, _) => (candidate, lead) = (*value, 1),
            (_, true) => lead += 1,
            (_, false) => lead -= 1,
        }
    }
    let count = values.iter().filter(|value| **value == candidate).count();
    (2 * count > values.len()).then_some(candidate)
}

/// Returns the most common of at least one value, the smallest in a tie, by counts in an open-addressing hash table.
fn counted(values: &[u32]) -> u32 {
    /// 2^32 divided by the golden ratio (Knuth, volume 3, section 6.4).
    const FACTOR: u32 = 0x9E37_79B9;
    let bits = (2 * values.len()).next_power_of_two().trailing_zeros().max(1);
    let mut table = vec![[0_u32; 2]; 1 << bits];
    let mask = table.len() - 1;
    let (mut best, mut most) = (u32::MAX, 0);
    for value in values {
        let mut place = (value.wrapping_mul(FACTOR) >> (u32::BITS - bits)) as usize;
        while table[place][1] > 0 && table[place][0] != *value {
            place = (place + 1) & mask;
        }
        let count = table[place][1] + 1;
        table[place] = [*value, count];
        if count > most || count == most && *value < best {
            (best, most) = (*value, count);
        }
    }
    best
}

impl Neighborhoods<'_> {
    /// Computes the most common value, the smallest in a tie, over all list entries of each vertex of `set` except
    /// loops: over both directions of a directed graph, and with the multiplicity of duplicate edges. `out_degree`
    /// returns the length of an out-list; it is called for directed graphs only.
    ///
    /// Values of a vertex with more than [`NeighborhoodBuffer::longest`] entries are counted by ranges of values; its
    /// lists are read once per range.
    ///
    /// # Errors
    ///
    /// Returns an error if a read fails or the data is damaged, or if the run is interrupted.
    pub fn most_common<P: MostCommon>(
        &self,
        engine: &Engine<'_>,
        set: &VertexSet,
        space: &NeighborhoodBuffer,
        out_degree: impl Fn(VertexId) -> u32 + Sync,
        program: &P,
    ) -> Result<()> {
        let Some(into) = self.into else {
            let long = Mutex::default();
            let modes = Modes { program, space, batch: None, fits: &|_| true, long: &long };
            engine.visit(self.out, set, EdgeDirection::Push, &modes)?;
            return self.count_long(long, space, program);
        };
        engine.note_visit(Some(set));
        let fits = |vertex: VertexId| out_degree(vertex) as usize <= space.longest();
        let mut long = Vec::new();
        set.for_each(|vertex| long.extend(Some(vertex).filter(|vertex| !fits(*vertex))));
        let long = Mutex::new(long);
        let visit = |batch: &Batch<'_>, length: usize, read: &dyn Fn(&dyn Adjacency, &dyn Visit) -> Result<()>| {
            space.begin(length);
            read(self.out, &StoreValues { program, space, batch, fits: &fits })?;
            space.check()?;
            read(into, &Modes { program, space, batch: Some(batch), fits: &fits, long: &long })
        };
        match set {
            VertexSet::Sparse { members, universe } => {
                let short: Vec<VertexId> = members.iter().copied().filter(|vertex| fits(*vertex)).collect();
                let mut rest = short.as_slice();
                while !rest.is_empty() {
                    let (now, later) = rest.split_at(room_for(space, rest.iter().copied(), &out_degree));
                    let selected = VertexSet::from_members(now.to_vec(), *universe);
                    visit(&Batch::Members(now), now.len(), &|lists, fold| lists.select(&selected, fold))?;
                    rest = later;
                }
            }
            VertexSet::Dense { .. } => {
                let length =
                    |vertex: VertexId| if set.contains(vertex) && fits(vertex) { out_degree(vertex) } else { 0 };
                let mut start = 0;
                while start < self.vertices() {
                    let rest = VertexRange::new(start, self.vertices());
                    let range = VertexRange::new(start, start + room_for(space, rest.iter(), &length) as u32);
                    visit(&Batch::Range(set, range), range.len(), &|lists, fold| lists.sweep(range, fold))?;
                    start = range.end;
                }
            }
        }
        self.count_long(long, space, program)
    }

    /// Processes the vertices of `long` one after the other, with a counter per value of a range.
    fn count_long<P: MostCommon>(
        &self,
        long: Mutex<Vec<VertexId>>,
        space: &NeighborhoodBuffer,
        program: &P,
    ) -> Result<()> {
        let mut long = long.into_inner().unwrap_or_else(PoisonError::into_inner);
        long.sort_unstable();
        for vertex in long {
            let set = VertexSet::from_members(vec![vertex], self.vertices());
            let (mut best, mut most, mut first) = (None, 0, 0_u64);
            while first < u64::from(self.vertices()) {
                let counts = Counts { program, first: first as u32, counters: space.counters() };
                self.out.select(&set, &counts)?;
                self.into.map_or(Ok(()), |into| into.select(&set, &counts))?;
                for (value, counter) in (first..).zip(counts.counters) {
                    let count = counter.load(Relaxed);
                    if count > most {
                        (best, most) = (Some(value as u32), count);
                    }
                }
                first += counts.counters.len() as u64;
            }
            best.into_iter().for_each(|value| program.apply(vertex, value));
        }
        Ok(())
    }
}

/// Adds the values of all entries of `piece` except loops.
#[inline]
fn add_values<P: MostCommon>(program: &P, vertex: VertexId, piece: Neighbors<'_>, values: &mut Vec<u32>) {
    values.extend(piece.ids().iter().filter(|id| **id != vertex).map(|id| program.value(*id)));
}

type Condition<'v> = &'v (dyn Fn(VertexId) -> bool + Sync);

/// Fold over out-lists that stores values.
struct StoreValues<'v, P> {
    program: &'v P,
    space: &'v NeighborhoodBuffer,
    batch: &'v Batch<'v>,
    fits: Condition<'v>,
}

impl<P: MostCommon> FoldLists for StoreValues<'_, P> {
    type Fold = Vec<u32>;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.batch.contains(vertex) && (self.fits)(vertex)
    }

    #[inline]
    fn begin(&self, _: VertexId) -> Vec<u32> {
        Vec::new()
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, values: &mut Vec<u32>, piece: Neighbors<'_>) -> ControlFlow<()> {
        add_values(self.program, vertex, piece, values);
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, values: Vec<u32>) {
        self.space.store(0, self.batch.position(vertex), &values, &[]);
    }
}

/// Fold over the last lists of vertices that computes the most common values.
struct Modes<'v, P> {
    program: &'v P,
    space: &'v NeighborhoodBuffer,
    /// Vertices whose values of out-lists are stored; `None` if there are no other lists.
    batch: Option<&'v Batch<'v>>,
    fits: Condition<'v>,
    /// Vertices with too many values.
    long: &'v Mutex<Vec<VertexId>>,
}

impl<P: MostCommon> FoldLists for Modes<'_, P> {
    /// Values; `None` if there are too many.
    type Fold = Option<Vec<u32>>;

    #[inline]
    fn wants(&self, vertex: VertexId) -> bool {
        self.batch.is_none_or(|batch| batch.contains(vertex)) && (self.fits)(vertex)
    }

    #[inline]
    fn begin(&self, vertex: VertexId) -> Self::Fold {
        let stored = self.batch.map(|batch| self.space.part(0, batch.position(vertex)).single);
        Some(stored.into_iter().flatten().map(|value| value.load(Relaxed)).collect())
    }

    #[inline]
    fn neighbors(&self, vertex: VertexId, fold: &mut Self::Fold, piece: Neighbors<'_>) -> ControlFlow<()> {
        let Some(values) = fold else { return ControlFlow::Break(()) };
        if values.len() + piece.ids().len() > self.space.longest() {
            *fold = None;
            return ControlFlow::Break(());
        }
        add_values(self.program, vertex, piece, values);
        ControlFlow::Continue(())
    }

    #[inline]
    fn end(&self, vertex: VertexId, fold: Self::Fold) {
        match fold {
            Some(mut values) => {
                most_common(&mut values).into_iter().for_each(|value| self.program.apply(vertex, value));
            }
            None => self.long.lock().unwrap_or_else(PoisonError::into_inner).push(vertex),
        }
    }
}

/// Fold that counts values from `first` on.
struct Counts<'v, P> {
    program: &'v P,
    first: u32,
    counters: &'v [AtomicU32],
}

impl<P: MostCommon> FoldLists for Counts<'_, P> {
    type Fold = ();

    fn begin(&self, _: VertexId) {}

    #[inline]
    fn neighbors(&self, vertex: VertexId, (): &mut (), piece: Neighbors<'_>) -> ControlFlow<()> {
        for id in piece.ids().iter().filter(|id| **id != vertex) {
            let place = self.program.value(*id).wrapping_sub(self.first) as usize;
            self.counters.get(place).into_iter().for_each(|counter| _ = counter.fetch_add(1, Relaxed));
        }
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, (): ()) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::SplitMix64;

    #[test]
    fn most_common_returns_the_smallest_of_the_most_common_values() {
        for (values, expected) in
            [(vec![], None), (vec![7], Some(7)), (vec![9, 2, 9, 2, 5], Some(2)), (vec![9, 2, 9, 2, 9], Some(9))]
        {
            assert_eq!(most_common(&mut values.clone()), expected, "{values:?}");
        }
    }

    #[test]
    fn most_common_is_the_same_by_sorting_majority_and_counting() {
        for (length, range) in [(25, 3), (40, 40), (1000, 7), (1000, 100_000), (MANY, 5), (MANY + 1, 5), (60_000, 2)] {
            for seed in 0..8 {
                let numbers = SplitMix64::new(seed, 1);
                let mut values: Vec<u32> = (0..length as u64).map(|at| numbers.up_to(at, range - 1)).collect();
                let mut counts = std::collections::BTreeMap::new();
                values.iter().for_each(|value| *counts.entry(*value).or_insert(0) += 1);
                let most = counts.values().copied().max();
                let expected = counts.iter().find(|(_, count)| Some(**count) == most).map(|(value, _)| *value);
                assert_eq!(most_common(&mut values), expected, "{length} values below {range}");
            }
        }
    }
}
