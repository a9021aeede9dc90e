//! Edges that arrive while a program runs (section 3, "evolving graphs"): they are dirty on arrival, and then form a
//! separate dynamic shard, which is in memory in every iteration.

use super::block_store::lock;
use crate::program::OutEdge;
use outcrop_engine::State;
use outcrop_types::{Result, VertexId, VertexRange, length_from};
use std::ops::Range;
use std::sync::Mutex;

/// Edge that arrives while a program runs. It is an additional edge, even if the graph has an edge between the same
/// vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrivingArc {
    /// Iteration after which the edge arrives; 0 is after the vertices have begun.
    pub after: u32,
    /// Source vertex.
    pub source: VertexId,
    /// Target vertex.
    pub target: VertexId,
    /// Weight.
    pub weight: f64,
}

/// Arrived edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrivedArc<E> {
    pub(crate) source: VertexId,
    pub(crate) target: VertexId,
    weight: f64,
    value: E,
    /// `true` if the value must be gathered.
    fresh: bool,
    /// `true` if the edge arrived before this iteration.
    new: bool,
}

/// Arrived edges, and future ones.
pub(crate) struct ArrivingArcs<E> {
    /// Future edges, in descending order of iteration.
    waiting: Vec<ArrivingArc>,
    /// Arrived edges, ascending by source, then by target.
    arrived: Vec<ArrivedArc<E>>,
    /// Positions in `arrived`, ascending by target.
    by_target: Vec<u32>,
    /// Values for the next iteration.
    posted: Mutex<Vec<(u32, E)>>,
}

/// Returns the maximum memory of [`ArrivingArcs`] per edge, in bytes, with edge values of `edge_bytes` bytes.
pub(crate) const fn arrival_bytes(edge_bytes: u64) -> u64 {
    let value = edge_bytes.next_multiple_of(8);
    let without_values = size_of::<ArrivingArc>() + size_of::<ArrivedArc<()>>() + 2 * size_of::<u32>() + 4;
    length_from(without_values).next_multiple_of(8) + 2 * value
}

impl<E: bytemuck::Pod> ArrivingArcs<E> {
    /// Creates the edges, whose memory the engine has reserved ([`arrival_bytes`]).
    pub(crate) fn new(arrivals: &[ArrivingArc]) -> Self {
        let mut waiting = arrivals.to_vec();
        waiting.sort_by_key(|arrival| std::cmp::Reverse(arrival.after));
        let (arrived, by_target) = (Vec::with_capacity(arrivals.len()), Vec::with_capacity(arrivals.len()));
        let posted = Mutex::new(Vec::with_capacity(arrivals.len()));
        Self { waiting, arrived, by_target, posted }
    }

    /// Returns true if there are no arrived and no future edges.
    pub(crate) const fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.arrived.is_empty()
    }

    /// Returns true if more edges will arrive.
    pub(crate) const fn more(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns true if edges arrive before `iteration`.
    pub(crate) fn comes_before(&self, iteration: u32) -> bool {
        self.waiting.last().is_some_and(|next| next.after < iteration)
    }

    /// Returns the iteration before which the next edges arrive.
    pub(crate) fn next_iteration(&self) -> u32 {
        self.waiting.last().map_or(0, |next| next.after.saturating_add(1))
    }

    /// Admits the edges that arrive before `iteration`.
    pub(crate) fn admit(&mut self, iteration: u32) {
        self.arrived.iter_mut().for_each(|edge| edge.new = false);
        if !self.comes_before(iteration) {
            return;
        }
        while let Some(next) = self.waiting.pop_if(|next| next.after < iteration) {
            let ArrivingArc { source, target, weight, .. } = next;
            self.arrived.push(ArrivedArc { source, target, weight, value: E::zeroed(), fresh: false, new: true });
        }
        self.arrived.sort_by_key(|edge| (edge.source, edge.target));
        self.by_target.clear();
        self.by_target.extend(0..self.arrived.len() as u32);
        let arrived = &self.arrived;
        self.by_target.sort_by_key(|position| arrived[*position as usize].target);
    }

    /// Serializes the values of the edges that arrived before `iteration`, which has ended.
    pub(crate) fn visit(&mut self, iteration: u32, state: &mut State<'_>) -> Result<()> {
        if state.restores() {
            self.admit(iteration);
        }
        state.same(length_from(self.arrived.len()))?;
        self.arrived.iter_mut().try_for_each(|edge| {
            state.number(&mut edge.value)?;
            [&mut edge.fresh, &mut edge.new].into_iter().try_for_each(|flag| state.flag(flag))
        })
    }

    /// Returns the positions of the out-edges of `vertex`.
    pub(crate) fn of(&self, vertex: VertexId) -> Range<usize> {
        let start = self.arrived.partition_point(|edge| edge.source < vertex);
        start..start + self.arrived[start..].partition_point(|edge| edge.source == vertex)
    }

    /// Returns the number of arrived out-edges of `vertex`, and the number of new ones.
    pub(crate) fn degrees(&self, vertex: VertexId) -> (u32, u32) {
        let edges = &self.arrived[self.of(vertex)];
        (edges.len() as u32, edges.iter().filter(|edge| edge.new).count() as u32)
    }

    /// Returns true if an edge into or out of `range` has an update.
    pub(crate) fn concerns(&self, range: VertexRange) -> bool {
        self.arrived
            .iter()
            .any(|edge| edge.fresh && range.contains(edge.target) || edge.new && range.contains(edge.source))
    }

    /// Calls `take` with the target and the value of every edge into `range` with an update.
    pub(crate) fn for_each_into(&self, range: VertexRange, mut take: impl FnMut(VertexId, E)) {
        let target = |position: &u32| self.arrived[*position as usize].target;
        let start = self.by_target.partition_point(|position| target(position) < range.start);
        let into = self.by_target[start..].iter().take_while(|position| target(position) < range.end);
        for position in into {
            let edge = &self.arrived[*position as usize];
            if edge.fresh {
                take(edge.target, edge.value);
            }
        }
    }

    /// Puts `value` of each edge, and of whether it is new, on the edges at `positions`; nothing if it returns `None`.
    pub(crate) fn post(&self, positions: Range<usize>, mut value: impl FnMut(OutEdge<E>, bool) -> Option<E>) {
        for position in positions {
            let ArrivedArc { target, weight, new, .. } = self.arrived[position];
            let edge = OutEdge { target, weight, previous: E::zeroed(), reverse: None };
            if let Some(value) = value(edge, new) {
                lock(&self.posted).push((position as u32, value));
            }
        }
    }

    /// Ends an iteration; returns the number of edges with updates for the next.
    pub(crate) fn turn(&mut self) -> u64 {
        let posted = self.posted.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.arrived.iter_mut().for_each(|edge| edge.fresh = false);
        for (position, value) in &*posted {
            let edge = &mut self.arrived[*position as usize];
            (edge.value, edge.fresh) = (*value, true);
        }
        let count = length_from(posted.len());
        posted.clear();
        count
    }
}
