//! Arrays of list entries that several threads fill concurrently, each in its own range: relaxed atomic stores are
//! plain stores on existing hardware, and this crate has no `unsafe` code.

use bytemuck::zeroed_vec;
use outcrop_store::access::Neighbors;
use outcrop_types::VertexId;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Neighbors, and their weights if stored.
#[derive(Debug)]
pub struct AtomicLists {
    ids: Vec<AtomicU32>,
    /// Weights as bit patterns.
    weights: Option<Vec<AtomicU64>>,
}

impl AtomicLists {
    /// Allocates space for `entries` entries, with weights if `weighted`.
    pub fn new(entries: usize, weighted: bool) -> Self {
        // Zeroed by the system when the threads that fill them touch their pages.
        Self { ids: zeroed_vec(entries), weights: weighted.then(|| zeroed_vec(entries)) }
    }

    /// Stores a piece of a list at `places`; weights are 1 if it has none.
    #[inline]
    pub fn put(&self, places: Range<usize>, piece: Neighbors<'_>) {
        self.put_as(places, piece, |id| id);
    }

    /// Stores a piece of a list at `places`, with neighbors mapped by `number`; weights are 1 if it has none.
    #[inline]
    pub fn put_as(&self, places: Range<usize>, piece: Neighbors<'_>, number: impl Fn(VertexId) -> u32) {
        let ids = self.ids[places.clone()].iter().zip(piece.ids());
        ids.for_each(|(cell, id)| cell.store(number(*id), Relaxed));
        match (&self.weights, piece.weights()) {
            (Some(cells), Some(weights)) => store(&cells[places], weights.iter().map(|weight| weight.to_bits())),
            (Some(cells), None) => store(&cells[places], std::iter::repeat(1_f64.to_bits())),
            (None, _) => {}
        }
    }

    /// Returns the neighbors and weights, in the same memory.
    pub fn into_plain(self) -> (Vec<VertexId>, Option<Vec<f64>>) {
        let weight = |bits: AtomicU64| f64::from_bits(bits.into_inner());
        let weights = self.weights.map(|weights| weights.into_iter().map(weight).collect());
        (as_plain(self.ids), weights)
    }
}

#[inline]
fn store(cells: &[AtomicU64], numbers: impl Iterator<Item = u64>) {
    cells.iter().zip(numbers).for_each(|(cell, number)| cell.store(number, Relaxed));
}

/// Numbers that several threads may replace, in the same memory.
pub fn as_atomics(numbers: Vec<u32>) -> Vec<AtomicU32> {
    numbers.into_iter().map(AtomicU32::new).collect()
}

/// The numbers again, in the same memory.
pub fn as_plain(cells: Vec<AtomicU32>) -> Vec<u32> {
    cells.into_iter().map(AtomicU32::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_fill_their_own_ranges() {
        for weighted in [false, true] {
            let lists = AtomicLists::new(60, weighted);
            std::thread::scope(|scope| {
                for thread in 0..3_u32 {
                    let lists = &lists;
                    scope.spawn(move || {
                        let ids = Vec::from_iter(thread * 20..thread * 20 + 20);
                        let weights = Vec::from_iter(ids.iter().map(|id| f64::from(*id) / 2.0));
                        let piece = Neighbors::new(&ids, Some(&weights));
                        lists.put_as(thread as usize * 20..thread as usize * 20 + 20, piece, |id| id + 1);
                    });
                }
            });
            let (ids, weights) = lists.into_plain();
            assert!(ids.into_iter().eq(1..61));
            let expected = (0..60).map(|id| f64::from(id) / 2.0).collect();
            assert_eq!(weights, weighted.then_some(expected));
        }
    }
}
