//! Construction by parallel sliding windows, as GraphChi does it (Kyrola, Blelloch and Guestrin, OSDI 2012): the baseline of LOSC's
//! figure 9 and table 5. No engine runs on it.
//!
//! A shard holds the in-edges of an interval in the order of their sources. To construct an interval, the edges of its own shard are
//! appended to the in-edge arrays of their targets, in the order of sources, so that writes jump from vertex to vertex; and from each
//! shard those of the interval's sources, which lie together (the window), to the out-edge arrays. Parallel as GraphChi is: a shard is
//! taken by one thread, so that in-edges are all added by one; several windows may add to one vertex at the same time, and take places by
//! an atomic addition. With several threads out-edges of a vertex are therefore in no particular order.

use crate::atomic_lists::{AtomicLists, as_atomics};
use crate::degrees::Degrees;
use crate::interval_lists::{IntervalLists, Subgraph, offsets};
use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{Error, Result, VertexId, VertexRange};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// The shards of a graph, in memory.
#[derive(Debug)]
pub struct SlidingShards {
    intervals: Vec<VertexRange>,
    shards: Vec<Shard>,
}

/// The in-edges of an interval.
#[derive(Debug)]
struct Shard {
    /// Sources and targets, in the order of sources.
    edges: Vec<(VertexId, VertexId)>,
    weights: Option<Vec<f64>>,
}

impl SlidingShards {
    /// Memory of the shards of `edges` edges, in bytes, which the owner pays for; half as much more while they are made.
    pub const fn bytes(edges: u64, weighted: bool) -> u64 {
        edges * if weighted { 16 } else { 8 }
    }

    /// Makes a shard of each of `intervals` from the in-lists.
    ///
    /// # Errors
    /// A failed or damaged read, in-lists that are not as long as their degrees say, interruption.
    pub fn new(
        into: &dyn Adjacency,
        in_degrees: &mut dyn Degrees,
        intervals: &[VertexRange],
        weighted: bool,
    ) -> Result<Self> {
        let shard = |interval: &VertexRange| {
            let lists = IntervalLists::construct(into, in_degrees, *interval, weighted, &|_| true)?;
            Ok(Shard::new(&lists))
        };
        let shards = intervals.iter().map(shard).collect::<Result<_>>()?;
        Ok(Self { intervals: intervals.to_vec(), shards })
    }

    /// Constructs the interval at position `number` of those that the shards were made of.
    ///
    /// # Errors
    /// There is no such interval; the degrees are not those of the edges, or cannot be read.
    pub fn construct(
        &self,
        number: usize,
        [in_degrees, out_degrees]: [&mut dyn Degrees; 2],
        workers: &Workers,
    ) -> Result<Subgraph> {
        let (Some(shard), Some(interval)) = (self.shards.get(number), self.intervals.get(number).copied()) else {
            return Err(Error::Usage(format!("there is no interval {number}")));
        };
        let weighted = shard.weights.is_some();
        let into = Appended::new(interval, offsets(in_degrees, interval, |_| true)?, weighted);
        let out = Appended::new(interval, offsets(out_degrees, interval, |_| true)?, weighted);
        let next = AtomicUsize::new(0);
        workers.run(false, &|_| {
            while let Some(other) = self.shards.get(next.fetch_add(1, Relaxed)) {
                workers.cancellation().check()?;
                if std::ptr::eq(other, shard) {
                    shard.for_each(0..shard.edges.len(), |source, target, weight| into.append(target, source, weight));
                }
                let window = other.window(interval);
                other.for_each(window, |source, target, weight| out.append_with_others(source, target, weight));
            }
            Ok(())
        })?;
        let whole = |lists: Appended, degrees: &dyn Degrees| lists.finish().ok_or_else(|| degrees.differ());
        Ok(Subgraph::new(whole(into, in_degrees)?, whole(out, out_degrees)?))
    }
}

impl Shard {
    fn new(into: &IntervalLists) -> Self {
        let mut edges = Vec::with_capacity(into.entries());
        for target in into.range().iter() {
            let list = into.list(target);
            let weight = |place: usize| list.weights().map_or(1.0, |weights| weights[place]);
            edges.extend(list.ids().iter().enumerate().map(|(place, source)| (*source, target, weight(place))));
        }
        // Stable: the targets of a source stay in ascending order, and repeated edges as they are.
        edges.sort_by_key(|(source, ..)| *source);
        let weights = into.weighted().then(|| edges.iter().map(|(.., weight)| *weight).collect());
        Self { edges: edges.into_iter().map(|(source, target, _)| (source, target)).collect(), weights }
    }

    /// Positions of the edges from `sources`.
    fn window(&self, sources: VertexRange) -> Range<usize> {
        let before = |vertex: VertexId| self.edges.partition_point(|(source, _)| *source < vertex);
        before(sources.start)..before(sources.end)
    }

    fn for_each(&self, places: Range<usize>, mut take: impl FnMut(VertexId, VertexId, f64)) {
        match &self.weights {
            None => self.edges[places].iter().for_each(|(source, target)| take(*source, *target, 1.0)),
            Some(weights) => {
                let edges = self.edges[places.clone()].iter().zip(&weights[places]);
                edges.for_each(|((source, target), weight)| take(*source, *target, *weight));
            }
        }
    }
}

/// Edge arrays that are being filled.
struct Appended {
    interval: VertexRange,
    offsets: Vec<u32>,
    /// Position of the next edge of each vertex.
    next: Vec<AtomicU32>,
    cells: AtomicLists,
    /// An edge had no place.
    differs: AtomicBool,
}

impl Appended {
    fn new(interval: VertexRange, offsets: Vec<u32>, weighted: bool) -> Self {
        let entries = offsets.last().map_or(0, |end| *end as usize);
        Self {
            interval,
            next: as_atomics(offsets[..interval.len()].to_vec()),
            offsets,
            cells: AtomicLists::new(entries, weighted),
            differs: AtomicBool::new(false),
        }
    }

    /// Adds an edge of `owner`, to which no other thread adds.
    #[inline]
    fn append(&self, owner: VertexId, neighbour: VertexId, weight: f64) {
        let next = &self.next[(owner - self.interval.start) as usize];
        let place = next.load(Relaxed);
        next.store(place + 1, Relaxed);
        self.put(place, neighbour, weight);
    }

    /// Adds an edge of `owner`, to which others may add at the same time.
    #[inline]
    fn append_with_others(&self, owner: VertexId, neighbour: VertexId, weight: f64) {
        let place = self.next[(owner - self.interval.start) as usize].fetch_add(1, Relaxed);
        self.put(place, neighbour, weight);
    }

    #[inline]
    fn put(&self, place: u32, neighbour: VertexId, weight: f64) {
        if !self.cells.put_one(place as usize, neighbour, weight) {
            self.differs.store(true, Relaxed);
        }
    }

    /// The lists, where every vertex has as many edges as it should.
    fn finish(self) -> Option<IntervalLists> {
        let ends = self.offsets.iter().skip(1);
        let whole = self.next.iter().zip(ends).all(|(next, end)| next.load(Relaxed) == *end);
        if self.differs.into_inner() || !whole {
            return None;
        }
        Some(IntervalLists::from_cells(self.interval, self.offsets, self.cells))
    }
}
