//! Local moving: each vertex moves to the community of a neighbor, or to an empty one, as long as that increases the
//! modularity.
//!
//! Vertices are visited in ascending order, and each sees all moves before it, so that every move increases the
//! modularity, and the result does not depend on threads or memory. After a move, the neighbors outside of the new
//! community are visited again (Traag, Waltman and van Eck 2019, "fast local move").

use super::buffer::Part;
use super::lists::VisitLists;
use super::partition::Partition;
use outcrop_types::{BitSet, Result, VertexId};

/// Smallest increase that is not a rounding error, as a share of the weight of a vertex.
pub(super) const LEAST_GAIN: f64 = 1e-12;

/// Visitor that moves vertices.
pub(super) struct Moving<'m> {
    partition: &'m mut Partition,
    /// Resolution, divided by the sum of all weights.
    scale: f64,
    /// Factor of the weight of a loop, if the lists have loops; weights of vertices are then summed anew.
    loops: Option<f64>,
    /// Vertices of this round.
    now: &'m BitSet,
    /// Vertices of the next round.
    next: BitSet,
    /// Weight of the current vertex so far.
    weight: f64,
    /// Community that the current vertex has moved to.
    target: u32,
    /// No empty community is before this one.
    first_empty: u32,
    moved: u64,
}

impl<'m> Moving<'m> {
    /// Creates the visitor of the vertices `now`.
    pub(super) fn new(partition: &'m mut Partition, scale: f64, loops: Option<f64>, now: &'m BitSet) -> Self {
        let next = BitSet::empty(now.universe());
        Self { partition, scale, loops, now, next, weight: 0.0, target: 0, first_empty: 0, moved: 0 }
    }

    /// Returns the number of moves, and the vertices of the next round.
    pub(super) fn finish(self) -> (u64, BitSet) {
        (self.moved, self.next)
    }

    /// Returns the best community of `vertex`, if another one than its own is better.
    fn best(&mut self, vertex: VertexId, weight: f64) -> Option<u32> {
        let Partition { community, other: sizes, totals, tally, .. } = &*self.partition;
        let own = community[vertex as usize];
        let gain = |sum: f64, total: f64| sum - self.scale * weight * total;
        let stay = gain(tally.sum(own), totals[own as usize] - weight);
        let least = stay + LEAST_GAIN * weight;
        let (mut best, mut most) = (own, least);
        for (target, sum) in tally.iter().filter(|(target, _)| *target != own) {
            let gain = gain(sum, totals[target as usize]);
            if gain > most || gain == most && best != own && target < best {
                (best, most) = (target, gain);
            }
        }
        // A vertex alone gains nothing.
        if most < -LEAST_GAIN * weight && sizes[own as usize] > 1 {
            return self.empty_community();
        }
        Some(best).filter(|best| *best != own)
    }

    /// Returns the first empty community.
    fn empty_community(&mut self) -> Option<u32> {
        let sizes = &self.partition.other;
        let empty = (self.first_empty..self.partition.vertices).find(|community| sizes[*community as usize] == 0);
        self.first_empty = empty.unwrap_or(self.partition.vertices);
        empty
    }
}

impl VisitLists for Moving<'_> {
    #[inline]
    fn part(&mut self, vertex: VertexId, part: Part<'_>) {
        let (Partition { community, tally, .. }, loops) = (&mut *self.partition, self.loops);
        part.for_each(|neighbor, weight| {
            if neighbor == vertex {
                self.weight += loops.map_or(0.0, |factor| factor * weight);
            } else {
                self.weight += weight;
                tally.add(community[neighbor as usize], weight);
            }
        });
    }

    #[inline]
    fn end(&mut self, vertex: VertexId) -> Result<bool> {
        let sum = std::mem::take(&mut self.weight);
        if self.loops.is_some() {
            self.partition.weights[vertex as usize] = sum;
        }
        let best = self.best(vertex, self.partition.weights[vertex as usize]);
        self.partition.tally.clear();
        let Some(target) = best else { return Ok(false) };
        let source = self.partition.community[vertex as usize];
        self.partition.move_to(vertex, target);
        if self.partition.other[source as usize] == 0 {
            self.first_empty = self.first_empty.min(source);
        }
        (self.target, self.moved) = (target, self.moved + 1);
        Ok(true)
    }

    #[inline]
    fn again(&mut self, vertex: VertexId, part: Part<'_>) {
        part.for_each(|neighbor, _| {
            let waits = neighbor > vertex && self.now.contains(neighbor);
            if self.partition.community[neighbor as usize] != self.target && neighbor != vertex && !waits {
                self.next.insert_alone(neighbor);
            }
        });
    }
}

/// Visitor that sums the weights of vertices.
pub(super) struct Weighing<'w> {
    weights: &'w mut [f64],
    loops: f64,
}

impl<'w> Weighing<'w> {
    /// Creates the visitor; `weights` are 0, and a loop counts `loops` times.
    pub(super) const fn new(weights: &'w mut [f64], loops: f64) -> Self {
        Self { weights, loops }
    }
}

impl VisitLists for Weighing<'_> {
    #[inline]
    fn part(&mut self, vertex: VertexId, part: Part<'_>) {
        let sum = &mut self.weights[vertex as usize];
        part.for_each(|neighbor, weight| *sum += if neighbor == vertex { self.loops * weight } else { weight });
    }

    fn end(&mut self, _: VertexId) -> Result<bool> {
        Ok(false)
    }
}
