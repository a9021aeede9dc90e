//! Refinement: each community is divided into well-connected parts, which are the groups of the next level.
//!
//! All vertices begin alone. In ascending order, each that is still alone and well connected to the rest of its
//! community joins a well-connected part of it, so that parts are always connected. The part is random: its probability
//! is proportional to the exponential function of the increase of modularity (Traag, Waltman and van Eck 2019,
//! algorithm A.2). A set is well connected to the rest of a community if the edges between them weigh at least as much
//! as expected.

use super::buffer::Part;
use super::lists::VisitLists;
use super::moving::LEAST_GAIN;
use super::partition::Partition;
use outcrop_engine::Engine;
use outcrop_types::{BitSet, MemoryPlan, Purpose, Result, SplitMix64, VertexId, VertexValues};

/// Arrays of a refinement.
pub(super) struct RefinementArrays {
    /// Sum of the weights of the vertices of each part.
    totals: VertexValues<f64>,
    /// Weight of the edges from each part to the rest of its community.
    outside: VertexValues<f64>,
}

impl RefinementArrays {
    /// Returns the memory for `vertices` vertices.
    pub(super) fn memory(vertices: u32) -> MemoryPlan {
        MemoryPlan::new().with(Purpose::VertexValues, 2 * VertexValues::<f64>::bytes(vertices.into()))
    }

    /// Creates the arrays.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(super) fn new(engine: &Engine<'_>) -> Result<Self> {
        Ok(Self { totals: engine.vertex_values(|_| 0.0)?, outside: engine.vertex_values(|_| 0.0)? })
    }

    /// Makes every vertex of `partition` a part; the sizes of communities are lost.
    pub(super) fn begin(&mut self, partition: &mut Partition) {
        let vertices = partition.vertices as usize;
        self.totals[..vertices].copy_from_slice(&partition.weights[..vertices]);
        self.outside[..vertices].fill(0.0);
        (0..).zip(&mut partition.other[..vertices]).for_each(|(vertex, part)| *part = vertex);
    }
}

/// Visitor that sums the weights of edges from each vertex to the rest of its community.
pub(super) struct Outside<'r> {
    partition: &'r Partition,
    arrays: &'r mut RefinementArrays,
}

impl<'r> Outside<'r> {
    /// Creates the visitor.
    pub(super) const fn new(partition: &'r Partition, arrays: &'r mut RefinementArrays) -> Self {
        Self { partition, arrays }
    }
}

impl VisitLists for Outside<'_> {
    #[inline]
    fn part(&mut self, vertex: VertexId, part: Part<'_>) {
        let (community, sum) = (&self.partition.community, &mut self.arrays.outside[vertex as usize]);
        let own = community[vertex as usize];
        part.for_each(|neighbor, weight| {
            if community[neighbor as usize] == own && neighbor != vertex {
                *sum += weight;
            }
        });
    }

    fn end(&mut self, _: VertexId) -> Result<bool> {
        Ok(false)
    }
}

/// Chance in a refinement.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    /// Random numbers, one per vertex and part.
    pub(super) numbers: SplitMix64,
    /// Increase of modularity, as a weight of edges, that multiplies the probability of a part by e.
    pub(super) temperature: f64,
}

impl Chance {
    /// Returns the logarithm of the share of a part that gains `gain`, disturbed so that the maximum over all parts is
    /// at each of them with its probability (Gumbel 1954).
    fn score(self, vertex: VertexId, part: u32, gain: f64) -> f64 {
        let number = self.numbers.at(u64::from(vertex) << u32::BITS | u64::from(part));
        // Strictly between 0 and 1.
        let uniform = ((number >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
        gain / self.temperature - (-uniform.ln()).ln()
    }
}

/// Returns true if `part` is well connected to the rest of its community, which has the weight `total`.
#[inline]
fn is_well_connected(arrays: &RefinementArrays, scale: f64, part: u32, total: f64) -> bool {
    let weight = arrays.totals[part as usize];
    arrays.outside[part as usize] >= scale * weight * (total - weight) - LEAST_GAIN * weight
}

/// Visitor that merges vertices with parts.
pub(super) struct Merging<'r> {
    partition: &'r mut Partition,
    arrays: &'r mut RefinementArrays,
    /// Resolution, divided by the sum of all weights.
    scale: f64,
    chance: Chance,
    /// Vertices that another one has joined.
    joined: BitSet,
    /// Number of parts.
    parts: u32,
}

impl<'r> Merging<'r> {
    /// Creates the visitor.
    pub(super) fn new(
        partition: &'r mut Partition,
        arrays: &'r mut RefinementArrays,
        scale: f64,
        chance: Chance,
    ) -> Self {
        let (parts, joined) = (partition.vertices, BitSet::empty(partition.vertices));
        Self { partition, arrays, scale, chance, joined, parts }
    }

    /// Returns the number of parts.
    pub(super) const fn parts(&self) -> u32 {
        self.parts
    }

    /// Returns the part that `vertex`, which is alone, joins, and the weight of the edges to it.
    fn choose(&self, vertex: VertexId) -> Option<(u32, f64)> {
        let Partition { community, weights, totals, tally, .. } = &*self.partition;
        let total = totals[community[vertex as usize] as usize];
        let mut best: Option<(f64, u32, f64)> = None;
        let weight = weights[vertex as usize];
        let is_candidate = |part: u32| is_well_connected(self.arrays, self.scale, part, total);
        for (part, sum) in tally.iter().filter(|(part, _)| is_candidate(*part)) {
            let gain = sum - self.scale * weight * self.arrays.totals[part as usize];
            if gain >= -LEAST_GAIN * weight {
                let score = self.chance.score(vertex, part, gain);
                best = best.filter(|(most, ..)| *most >= score).or(Some((score, part, sum)));
            }
        }
        best.map(|(_, part, sum)| (part, sum))
    }
}

impl VisitLists for Merging<'_> {
    #[inline]
    fn part(&mut self, vertex: VertexId, part: Part<'_>) {
        let Partition { community, other: parts, tally, totals, .. } = &mut *self.partition;
        let own = community[vertex as usize];
        if self.joined.contains(vertex) {
            return;
        }
        if !is_well_connected(self.arrays, self.scale, vertex, totals[own as usize]) {
            return;
        }
        part.for_each(|neighbor, weight| {
            if community[neighbor as usize] == own && neighbor != vertex {
                tally.add(parts[neighbor as usize], weight);
            }
        });
    }

    #[inline]
    fn end(&mut self, vertex: VertexId) -> Result<bool> {
        if let Some((part, sum)) = self.choose(vertex) {
            let RefinementArrays { totals, outside } = &mut *self.arrays;
            totals[part as usize] += totals[vertex as usize];
            outside[part as usize] += outside[vertex as usize] - 2.0 * sum;
            self.partition.other[vertex as usize] = part;
            self.joined.insert_alone(part);
            self.parts -= 1;
        }
        self.partition.tally.clear();
        Ok(false)
    }
}
