//! Edge maps that return a value per target: `edgeMapData` of Julienne (Dhulipala, Blelloch and Shun, SPAA 2017).

use super::visits::Collect;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, VertexId, length_from};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Vertices with their values.
#[derive(Debug)]
pub struct VertexData<T> {
    pairs: Vec<(VertexId, T)>,
    _held: Reservation,
}

impl<T> VertexData<T> {
    /// Returns the vertices in ascending order, each with its value; a vertex with several values occurs with each of
    /// them, in ascending order.
    pub fn pairs(&self) -> &[(VertexId, T)] {
        &self.pairs
    }
}

/// Collector of values from all threads, which reserves memory in steps before it is used.
pub(super) struct DataBuilder<'b, T> {
    budget: &'b MemoryBudget,
    shards: [Mutex<Shard<T>>; SHARDS],
}

/// Number of shards, such that threads rarely contend for one.
const SHARDS: usize = 64;
/// Initial reservation, in values; then it doubles.
const STEP: usize = 1 << 8;

struct Shard<T> {
    pairs: Vec<(VertexId, T)>,
    paid: usize,
    held: Vec<Reservation>,
    failed: Result<()>,
}

impl<T> Shard<T> {
    fn grow(&mut self, more: usize, held: Reservation) {
        self.paid += more;
        self.held.push(held);
        self.pairs.reserve_exact(more);
    }
}

impl<'b, T: Copy + Ord + Send> DataBuilder<'b, T> {
    pub(super) fn new(budget: &'b MemoryBudget) -> Self {
        let shard = |_| Mutex::new(Shard { pairs: Vec::new(), paid: 0, held: Vec::new(), failed: Ok(()) });
        Self { budget, shards: std::array::from_fn(shard) }
    }

    /// Returns all collected data, sorted.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget could not hold the data.
    pub(super) fn finish(self) -> Result<VertexData<T>> {
        let shards = self.shards.map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let count: usize = shards.iter().map(|shard| shard.pairs.len()).sum();
        let held = self.budget.reserve(bytes::<T>(count), Purpose::Frontier)?;
        let mut pairs = Vec::with_capacity(count);
        for shard in shards {
            shard.failed?;
            pairs.extend(shard.pairs);
        }
        pairs.sort_unstable();
        Ok(VertexData { pairs, _held: held })
    }
}

const fn bytes<T>(count: usize) -> u64 {
    length_from(count * size_of::<(VertexId, T)>())
}

impl<T: Copy + Ord + Send> Collect<T> for DataBuilder<'_, T> {
    fn collect(&self, vertex: VertexId, value: T) {
        // Adjacent vertices are often updated together by one thread: they share a shard.
        let mut shard: MutexGuard<'_, Shard<T>> =
            self.shards[(vertex as usize >> 6) % SHARDS].lock().unwrap_or_else(PoisonError::into_inner);
        if shard.pairs.len() == shard.paid && shard.failed.is_ok() {
            let more = shard.paid.max(STEP);
            match self.budget.reserve(bytes::<T>(more), Purpose::Frontier) {
                Ok(held) => shard.grow(more, held),
                Err(error) => shard.failed = Err(error),
            }
        }
        if shard.failed.is_ok() {
            shard.pairs.push((vertex, value));
        }
    }
}
