//! Counters for all vertices together.

use outcrop_types::VertexId;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of copies of the counters.
const COPIES: usize = 64;
/// Binary logarithm of the number of consecutive vertices that share a copy.
const BLOCK_BITS: u32 = 12;

/// Counters in a cache line of their own.
#[derive(Debug)]
#[repr(align(64))]
struct Copies<const N: usize>([AtomicU64; N]);

/// `N` counters that start at 0. Each block of vertices uses one of several copies, so that threads rarely wait for
/// each other.
#[derive(Debug)]
pub(super) struct Tally<const N: usize>(Vec<Copies<N>>);

impl<const N: usize> Tally<N> {
    pub(super) fn new() -> Self {
        Self((0..COPIES).map(|_| Copies(std::array::from_fn(|_| AtomicU64::new(0)))).collect())
    }

    #[inline]
    fn at(&self, vertex: VertexId, counter: usize) -> &AtomicU64 {
        &self.0[(vertex >> BLOCK_BITS) as usize % COPIES].0[counter]
    }

    /// Adds `more` to a counter, on behalf of `vertex`.
    #[inline]
    pub(super) fn add(&self, vertex: VertexId, counter: usize, more: u64) {
        if more > 0 {
            self.at(vertex, counter).fetch_add(more, Relaxed);
        }
    }

    /// Raises a counter to `value` if it is lower, on behalf of `vertex`.
    #[inline]
    pub(super) fn raise(&self, vertex: VertexId, counter: usize, value: u64) {
        self.at(vertex, counter).fetch_max(value, Relaxed);
    }

    /// Returns the sum of a counter of [`Tally::add`], and resets it.
    pub(super) fn take_sum(&self, counter: usize) -> u64 {
        self.0.iter().map(|copies| copies.0[counter].swap(0, Relaxed)).sum()
    }

    /// Returns the maximum of a counter of [`Tally::raise`]; 0 if it was never raised.
    pub(super) fn highest(&self, counter: usize) -> u64 {
        self.0.iter().map(|copies| copies.0[counter].load(Relaxed)).fold(0, u64::max)
    }
}
