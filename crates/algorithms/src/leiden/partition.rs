//! Communities of the vertices of a graph, with what modularity depends on.

use outcrop_engine::Engine;
use outcrop_types::{BitSet, MemoryPlan, Purpose, Result, VertexId, VertexValues};

/// Communities of the first `vertices` vertices, which may be groups of vertices of the store.
pub(super) struct Partition {
    pub(super) vertices: u32,
    /// Community of each vertex.
    pub(super) community: VertexValues<u32>,
    /// Number of vertices of each community, or a refined community of each vertex.
    pub(super) other: VertexValues<u32>,
    /// Sum of edge weights of each vertex; loops count twice.
    pub(super) weights: VertexValues<f64>,
    /// Sum of these over the vertices of each community.
    pub(super) totals: VertexValues<f64>,
    /// Weights of the edges from one vertex to each community.
    pub(super) tally: Tally,
}

impl Partition {
    /// Returns the memory for `vertices` vertices.
    pub(super) fn memory(vertices: u32) -> MemoryPlan {
        let [narrow, wide] = [VertexValues::<u32>::bytes(vertices.into()), VertexValues::<f64>::bytes(vertices.into())];
        MemoryPlan::new().with(Purpose::VertexValues, 3 * narrow + 3 * wide)
    }

    /// Creates a partition in which every vertex is a community, without weights.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn new(engine: &Engine<'_>) -> Result<Self> {
        Ok(Self {
            vertices: engine.vertices(),
            community: engine.vertex_values(|vertex| vertex)?,
            other: engine.vertex_values(|_| 1)?,
            weights: engine.vertex_values(|_| 0.0)?,
            totals: engine.vertex_values(|_| 0.0)?,
            tally: Tally { sums: engine.vertex_values(|_| 0.0)?, touched: engine.vertex_values(|_| 0)?, count: 0 },
        })
    }

    /// Counts the vertices of each community.
    pub(super) fn count_sizes(&mut self) {
        self.other[..self.vertices as usize].fill(0);
        for community in &self.community[..self.vertices as usize] {
            self.other[*community as usize] += 1;
        }
    }

    /// Returns the vertices of communities of more than one vertex; the sizes must be counted.
    pub(super) fn in_larger_communities(&self) -> BitSet {
        let members = BitSet::empty(self.vertices);
        let is_larger = |vertex: &VertexId| self.other[self.community[*vertex as usize] as usize] > 1;
        (0..self.vertices).filter(is_larger).for_each(|vertex| _ = members.insert_alone(vertex));
        members
    }

    /// Moves `vertex` to the community `target`.
    pub(super) fn move_to(&mut self, vertex: VertexId, target: u32) {
        let (weight, source) = (self.weights[vertex as usize], self.community[vertex as usize] as usize);
        self.other[source] -= 1;
        // The rest of a sum that rounding left is no weight of an empty community.
        self.totals[source] = if self.other[source] == 0 { 0.0 } else { self.totals[source] - weight };
        self.other[target as usize] += 1;
        self.totals[target as usize] += weight;
        self.community[vertex as usize] = target;
    }
}

/// Sums for some keys.
pub(super) struct Tally {
    sums: VertexValues<f64>,
    touched: VertexValues<u32>,
    count: usize,
}

impl Tally {
    /// Adds a weight of at least 0 to the sum of `key`.
    #[inline]
    pub(super) fn add(&mut self, key: u32, weight: f64) {
        let sum = &mut self.sums[key as usize];
        // A sum of 0 is not distinguished from none.
        if *sum == 0.0 && weight > 0.0 {
            self.touched[self.count] = key;
            self.count += 1;
        }
        *sum += weight;
    }

    /// Returns the sum of `key`.
    #[inline]
    pub(super) fn sum(&self, key: u32) -> f64 {
        self.sums[key as usize]
    }

    /// Iterates over the keys with a positive sum, in the order in which they were first added.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.touched[..self.count].iter().map(|key| (*key, self.sums[*key as usize]))
    }

    /// Removes all sums.
    #[inline]
    pub(super) fn clear(&mut self) {
        for key in &self.touched[..self.count] {
            self.sums[*key as usize] = 0.0;
        }
        self.count = 0;
    }

    /// Lends memory for one number per key while there are no sums; the numbers are arbitrary.
    pub(super) fn numbers(&mut self) -> &mut [u32] {
        &mut self.touched
    }

    /// Replaces each of `values` by the one whose new place it is, `places[i]` for the one at `i`; values without a
    /// place, `u32::MAX`, are left out.
    pub(super) fn permute(&mut self, values: &mut [f64]) {
        for (value, place) in values.iter().zip(&*self.touched) {
            if let Some(moved) = self.sums.get_mut(*place as usize) {
                *moved = *value;
            }
        }
        values.copy_from_slice(&self.sums[..values.len()]);
        self.sums[..values.len()].fill(0.0);
    }
}
