//! Arcs of graphs, drawn with a seed: ascending by source, then by target.

use outcrop_types::{SplitMix64, VertexId};
use std::collections::BTreeSet;

/// Source, target, weight.
pub type Arc = (VertexId, VertexId, f64);

/// A graph as a list of its arcs.
#[derive(Clone, Debug)]
pub struct Arcs {
    pub vertices: u32,
    pub arcs: Vec<Arc>,
}

impl Arcs {
    pub fn new(vertices: u32, ends: impl IntoIterator<Item = (VertexId, VertexId)>) -> Self {
        let ends: BTreeSet<_> = ends.into_iter().collect();
        let weigh = |(source, target): (u32, u32)| (source, target, 1.0 + f64::from((source * 7 + target) as u8 % 9));
        Self { vertices, arcs: ends.into_iter().map(weigh).collect() }
    }

    /// Some vertices have many in- or out-edges, some none, some loops.
    pub fn drawn(vertices: u32, count: u64, seed: u64) -> Self {
        Self::new(vertices, drawn_ends(vertices, count, seed))
    }

    /// Without cycles: all arcs lead to larger vertices.
    pub fn downhill(vertices: u32, count: u64, seed: u64) -> Self {
        let ordered = |(one, other): (u32, u32)| (one.min(other), one.max(other));
        Self::new(vertices, drawn_ends(vertices, count, seed).map(ordered).filter(|(source, target)| source != target))
    }

    /// In both directions, without loops.
    pub fn symmetric(vertices: u32, count: u64, seed: u64) -> Self {
        let both = |(one, other): (u32, u32)| [(one, other), (other, one)];
        Self::new(vertices, drawn_ends(vertices, count, seed).filter(|(one, other)| one != other).flat_map(both))
    }

    /// A forest, in both directions: every vertex but some hangs on one that is drawn among the `reach` before it.
    pub fn forest(vertices: u32, reach: u32, seed: u64) -> Self {
        let random = SplitMix64::new(seed, 1);
        let parent = |vertex: u32| vertex - 1 - random.up_to(u64::from(vertex), reach.min(vertex) - 1);
        let hanging = (1..vertices).filter(|vertex| vertex % 101 != 0);
        Self::new(vertices, hanging.flat_map(|vertex| [(vertex, parent(vertex)), (parent(vertex), vertex)]))
    }

    /// A path through all vertices, with a few arcs that lead half of the way ahead.
    pub fn path(vertices: u32) -> Self {
        let steps = (1..vertices).map(|vertex| (vertex - 1, vertex));
        Self::new(
            vertices,
            steps.chain((0..vertices - 1).step_by(50).map(|vertex| (vertex, vertices - (vertices - vertex) / 2))),
        )
    }

    /// The same with every third arc twice, of different weights, and some three times.
    pub fn with_repeats(mut self) -> Self {
        let times = |number: usize| 1 + usize::from(number.is_multiple_of(3)) + usize::from(number.is_multiple_of(15));
        let again = |(number, arc): (usize, &Arc)| {
            let (source, target, weight) = *arc;
            (0..times(number)).map(move |time| (source, target, weight + 2.0 * time as f64)).collect::<Vec<_>>()
        };
        self.arcs = self.arcs.iter().enumerate().flat_map(again).collect();
        self
    }

    pub fn out_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.vertices as usize];
        self.arcs.iter().for_each(|(source, ..)| degrees[*source as usize] += 1);
        degrees
    }
}

fn drawn_ends(vertices: u32, count: u64, seed: u64) -> impl Iterator<Item = (VertexId, VertexId)> {
    let random = SplitMix64::new(seed, 0);
    let end = move |position: u64| {
        let place = random.up_to(2 * position, vertices - 1);
        if random.up_to(2 * position + 1, 3) == 0 { place % (vertices / 16).max(1) } else { place }
    };
    (0..count).map(move |number| (end(2 * number), end(2 * number + 1)))
}
