//! Numbers of shortest paths from a source, and the contributions to the vertices on them.

use super::params::too_many_paths;
use crate::AtomicFloat;
use outcrop_engine::Engine;
use outcrop_types::{BitSet, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Path counts, computed after those of all predecessors; then dependencies, computed after those of all successors.
pub(super) struct Counts<'s> {
    /// Forward pass: the number of shortest paths from the source; backward pass: the contribution per
    /// path: (1 + dependency) / number.
    paths: VertexValues<AtomicU64>,
    /// Dependencies, summed over the sources so far.
    sum: &'s [AtomicU64],
    overflow: AtomicBool,
}

impl<'s> Counts<'s> {
    /// Returns the memory for `vertices` vertices, in bytes.
    pub(super) const fn bytes(vertices: u32) -> u64 {
        VertexValues::<u64>::bytes(vertices as u64)
    }

    /// Creates path counts before the search from any source; dependencies are added to `sum`.
    pub(super) fn new(engine: &Engine<'_>, sum: &'s [AtomicU64]) -> Result<Self> {
        let zero = |_| AtomicU64::new(0);
        let paths = engine.vertex_values(zero)?;
        Ok(Self { paths, sum, overflow: AtomicBool::new(false) })
    }

    /// Counts the single path from `source` to itself.
    pub(super) fn begin(&self, source: VertexId) {
        AtomicFloat::store(&self.paths[source as usize], 1.0);
    }

    /// Marks `vertex` as reached, before its paths are counted; returns true to exactly one of the concurrent callers.
    #[inline]
    pub(super) fn reach(&self, vertex: VertexId) -> bool {
        let one = 1_f64.to_bits();
        self.paths[vertex as usize].compare_exchange(0, one, Relaxed, Relaxed).is_ok()
    }

    /// Removes the path count of `vertex`.
    pub(super) fn forget(&self, vertex: VertexId) {
        self.paths[vertex as usize].store(0, Relaxed);
    }

    /// Returns the number of paths to `vertex` (0 if unreached) in the forward pass, or the contribution per path in
    /// the backward pass.
    #[inline]
    pub(super) fn of(&self, vertex: VertexId) -> f64 {
        AtomicFloat::load(&self.paths[vertex as usize])
    }

    /// Sets the number of paths to `vertex` in the forward pass.
    #[inline]
    pub(super) fn set(&self, vertex: VertexId, number: f64) {
        if !number.is_finite() {
            self.overflow.store(true, Relaxed);
        }
        AtomicFloat::store(&self.paths[vertex as usize], number);
    }

    /// Checks that all numbers were small enough.
    ///
    /// # Errors
    ///
    /// Returns an error if a number overflowed.
    pub(super) fn check(&self) -> Result<()> {
        if self.overflow.load(Relaxed) { Err(too_many_paths()) } else { Ok(()) }
    }

    /// Adds the dependency of `vertex` in the backward pass; `total` is the sum of the contributions per path of its
    /// successors.
    pub(super) fn add_dependency(&self, vertex: VertexId, source: VertexId, total: f64) {
        let number = self.of(vertex);
        let dependency = number * total;
        AtomicFloat::store(&self.paths[vertex as usize], (1.0 + dependency) / number);
        if vertex != source {
            let sum = &self.sum[vertex as usize];
            AtomicFloat::store(sum, AtomicFloat::load(sum) + dependency);
        }
    }
}

/// Vertices reached by a search, level by level.
pub(super) struct Reached {
    order: VertexValues<VertexId>,
    count: usize,
}

impl Reached {
    /// Returns the memory for `vertices` vertices, in bytes.
    pub(super) const fn bytes(vertices: u32) -> u64 {
        VertexValues::<VertexId>::bytes(vertices as u64)
    }

    /// Creates an empty list of reached vertices.
    pub(super) fn new(engine: &Engine<'_>) -> Result<Self> {
        Ok(Self { order: engine.vertex_values(|_| 0)?, count: 0 })
    }

    /// Adds a level.
    pub(super) fn push(&mut self, level: &VertexSet) {
        level.for_each(|vertex| {
            self.order[self.count] = vertex;
            self.count += 1;
        });
    }

    /// Returns the reached vertices by level, ascending within each level.
    pub(super) fn vertices(&self) -> &[VertexId] {
        &self.order[..self.count]
    }

    /// Removes all vertices.
    pub(super) const fn clear(&mut self) {
        self.count = 0;
    }
}

/// Returns the ascending vertices of a level as a set, without creating a list of many.
pub(super) fn set_of(level: &[VertexId], universe: u32) -> VertexSet {
    if level.len() <= VertexSet::sparse_limit(universe) {
        return VertexSet::Sparse { members: level.to_vec(), universe };
    }
    let bits = BitSet::empty(universe);
    level.iter().for_each(|member| _ = bits.insert(*member));
    VertexSet::from_bits(bits)
}
