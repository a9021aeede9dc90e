//! Builder of the next frontier, filled by all workers.

use crate::sync::{AtomicBool, AtomicU32, AtomicUsize, fence, zeros};
use outcrop_types::{BitSet, VertexId, VertexSet};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// Set that is filled by many threads: bits to detect duplicates, and a list while the set is small, so that a small
/// frontier does not require a pass over all vertices.
#[derive(Debug)]
pub struct FrontierBuilder {
    bits: BitSet,
    list: Vec<AtomicU32>,
    listed: AtomicUsize,
    /// True if only one thread adds vertices.
    alone: AtomicBool,
}

impl FrontierBuilder {
    /// Creates an empty set of `universe` vertices.
    pub fn new(universe: u32) -> Self {
        let list = zeros(VertexSet::sparse_limit(universe));
        Self { bits: BitSet::empty(universe), list, listed: AtomicUsize::new(0), alone: AtomicBool::new(false) }
    }

    /// Returns the memory of a builder, in bytes.
    pub const fn bytes(universe: u32) -> u64 {
        BitSet::bytes(universe) + VertexSet::sparse_limit(universe) as u64 * 4
    }

    /// Sets whether only one thread adds vertices from now on, so that this needs no synchronization.
    pub(crate) fn set_alone(&self, alone: bool) {
        self.alone.store(alone, Relaxed);
    }

    /// Adds `vertex`.
    #[inline]
    pub fn add(&self, vertex: VertexId) {
        if self.alone.load(Relaxed) {
            return self.add_alone(vertex);
        }
        // Pairs with the fence of `remove`: at least one of the threads sees the other's writes.
        fence(SeqCst);
        // Once the list is full, its counter is not incremented any more, to avoid contention.
        if self.bits.insert(vertex) && self.listed.load(Relaxed) <= self.list.len() {
            let place = self.listed.fetch_add(1, Relaxed);
            if let Some(place) = self.list.get(place) {
                place.store(vertex, Relaxed);
            }
        }
    }

    #[inline]
    fn add_alone(&self, vertex: VertexId) {
        if self.bits.insert_alone(vertex) {
            let listed = self.listed.load(Relaxed);
            self.listed.store(listed + 1, Relaxed);
            if let Some(place) = self.list.get(listed) {
                place.store(vertex, Relaxed);
            }
        }
    }

    /// Removes `vertex`, if present. If a thread adds it concurrently, either its earlier writes are visible after this
    /// call, or the vertex stays in the set.
    #[inline]
    pub fn remove(&self, vertex: VertexId) {
        if self.bits.contains(vertex) {
            self.bits.remove(vertex);
            fence(SeqCst);
        }
    }

    /// Takes the set and leaves an empty one.
    pub fn take(&mut self) -> VertexSet {
        let listed = std::mem::take(&mut self.listed).into_inner();
        let universe = self.bits.universe();
        let bits = &mut self.bits;
        if listed > self.list.len() {
            return VertexSet::from_bits(std::mem::replace(bits, BitSet::empty(universe)));
        }
        let listed = self.list.iter().take(listed).map(|place| place.load(Relaxed));
        VertexSet::from_members(listed.filter(|member| bits.take(*member)).collect(), universe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_is_gone_unless_it_is_added_again() {
        let mut builder = FrontierBuilder::new(10_000);
        for last in if cfg!(miri) { [9, 400] } else { [9, 9_999] } {
            (0..=last).for_each(|vertex| builder.add(vertex));
            [3, 4].into_iter().for_each(|vertex| builder.remove(vertex));
            builder.add(4);
            let set = builder.take();
            assert!((0..10_000).all(|vertex| set.contains(vertex) == (vertex <= last && vertex != 3)));
        }
        assert!(builder.take().is_empty());
    }

    #[test]
    fn small_and_large_sets_come_out_whole_and_the_builder_is_empty_again() {
        let universe = if cfg!(miri) { 700 } else { 10_000 };
        let mut builder = FrontierBuilder::new(universe);
        for (step, alone) in [5000, 7, 1, 3].into_iter().flat_map(|step| [(step, false), (step, true)]) {
            builder.set_alone(alone);
            (0..universe).step_by(step).for_each(|v| builder.add(v));
            (0..universe).step_by(step).for_each(|v| builder.add(v));
            let set = builder.take();
            assert_eq!(set.len(), (universe as usize).div_ceil(step));
            assert!((0..universe).all(|v| set.contains(v) == ((v as usize).is_multiple_of(step))));
        }
        assert!(builder.take().is_empty());
    }

    #[test]
    fn threads_that_add_the_same_vertices_add_each_once() {
        for (universe, step) in [(10_000, 400), (700, 3)] {
            let mut builder = FrontierBuilder::new(universe);
            std::thread::scope(|scope| {
                for first in 0..3 {
                    let builder = &builder;
                    let vertices = (0..universe).step_by(step).cycle().skip(first * 5);
                    let vertices = vertices.take(universe.div_ceil(step as u32) as usize);
                    scope.spawn(move || vertices.for_each(|vertex| builder.add(vertex)));
                }
            });
            let set = builder.take();
            assert!((0..universe).all(|vertex| set.contains(vertex) == vertex.is_multiple_of(step as u32)));
            assert_eq!(set.len(), universe.div_ceil(step as u32) as usize);
        }
    }
}

#[cfg(test)]
#[cfg(loom)]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread::{JoinHandle, spawn};

    fn started(builder: &Arc<FrontierBuilder>, work: impl FnOnce(&FrontierBuilder) + 'static) -> JoinHandle<()> {
        let builder = Arc::clone(builder);
        spawn(move || work(&builder))
    }

    /// Returns the set of a builder that no thread uses any more.
    fn taken(builder: Arc<FrontierBuilder>) -> VertexSet {
        Arc::try_unwrap(builder).unwrap().take()
    }

    #[test]
    fn a_set_has_the_vertices_of_all_threads_once() {
        loom::model(|| {
            let builder = Arc::new(FrontierBuilder::new(100));
            let other = started(&builder, |builder| [3, 64].into_iter().for_each(|vertex| builder.add(vertex)));
            [64, 3].into_iter().for_each(|vertex| builder.add(vertex));
            other.join().unwrap();
            assert_eq!(builder.listed.load(Relaxed), 2);
            let set = taken(builder);
            assert!(set.len() == 2 && set.contains(3) && set.contains(64));
        });
    }

    #[test]
    fn a_list_that_overflows_loses_no_vertex() {
        loom::model(|| {
            let builder = Arc::new(FrontierBuilder::new(70));
            builder.set_alone(true);
            (0..63).for_each(|vertex| builder.add(vertex));
            builder.set_alone(false);
            let other = started(&builder, |builder| builder.add(68));
            builder.add(69);
            other.join().unwrap();
            let set = taken(builder);
            assert!(set.len() == 65 && set.contains(68) && set.contains(69));
        });
    }

    #[test]
    fn what_is_written_before_an_addition_is_seen_after_the_removal_or_the_vertex_stays() {
        loom::model(|| {
            let builder = Arc::new(FrontierBuilder::new(10));
            builder.add(5);
            let value = Arc::new(AtomicU32::new(0));
            let other = started(&builder, {
                let value = Arc::clone(&value);
                move |builder| {
                    value.store(1, Relaxed);
                    builder.add(5);
                }
            });
            builder.remove(5);
            let seen = value.load(Relaxed);
            other.join().unwrap();
            assert!(seen == 1 || taken(builder).contains(5));
        });
    }
}
