//! Lists of an interval in memory, complete or restricted to a range of neighbors.

use super::lists::SpilledLists;
use crate::access::Neighbors;
use outcrop_types::{Result, VertexId, VertexRange};
use std::ops::Range;

/// Consecutive lists.
#[derive(Debug, Default)]
pub(super) struct Collected {
    range: VertexRange,
    /// End of each list.
    ends: Vec<usize>,
    ids: Vec<VertexId>,
    weights: Vec<f64>,
}

impl Collected {
    /// Reads the lists of `range`, whose entries start at position `first`, and keeps the `entries` entries with a
    /// neighbor in `sources`.
    pub(super) fn read(
        lists: &SpilledLists,
        (range, first): (VertexRange, u64),
        (sources, entries): (&Range<VertexId>, usize),
    ) -> Result<Self> {
        let mut collected = Self {
            range,
            ends: Vec::with_capacity(range.len()),
            ids: Vec::with_capacity(entries),
            weights: Vec::with_capacity(if lists.weights.is_some() { entries } else { 0 }),
        };
        let (mut degrees, mut numbers) = (lists.degrees(range.start)?, lists.entries(first)?);
        for _ in 0..range.len() {
            for _ in 0..degrees.next()? {
                let neighbor = numbers.next()?;
                let weight = if lists.weights.is_some() { Some(numbers.next_weight()?) } else { None };
                if sources.contains(&neighbor) {
                    collected.ids.push(neighbor);
                    collected.weights.extend(weight);
                }
            }
            collected.ends.push(collected.ids.len());
        }
        Ok(collected)
    }

    /// Returns each vertex with its list.
    pub(super) fn lists(&self) -> impl Iterator<Item = (VertexId, Neighbors<'_>)> + Clone {
        let all = Neighbors::new(&self.ids, (!self.weights.is_empty()).then_some(self.weights.as_slice()));
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let places = begins.zip(&self.ends).map(|(begin, end)| begin..*end);
        self.range.iter().zip(places).map(move |(vertex, places)| (vertex, all.part(places)))
    }
}
