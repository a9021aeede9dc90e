//! Construction with parallel sliding windows, as in GraphChi (Kyrola, Blelloch and Guestrin, OSDI 2012): the baseline
//! of LOSC's figures 9 and 10 and table 5, without weights.
//!
//! A shard contains the in-edges of an interval, sorted by source. To construct an interval, the edges of its own
//! shard are appended to the in-edge arrays of their targets, in source order, so that writes jump between vertices.
//! From each shard, the edges from sources in the interval, which are consecutive (the window), are appended to the
//! out-edge arrays. Parallelism is as in GraphChi: each shard is processed by one thread, so that one thread adds all
//! in-edges; several windows may add to one vertex concurrently, and get positions by an atomic addition. With several
//! threads, the out-edges of a vertex are therefore in arbitrary order.

use outcrop_engine::{Degrees, IntervalLists};
use outcrop_store::access::{Adjacency, Workers};
use outcrop_types::{Error, Result, VertexId, VertexRange};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Shards of a graph, in memory.
#[derive(Debug)]
pub(super) struct SlidingShards {
    intervals: Vec<VertexRange>,
    shards: Vec<Shard>,
}

/// In-edges of an interval: sources and targets, sorted by source.
#[derive(Debug)]
struct Shard(Vec<(VertexId, VertexId)>);

/// Lists of an interval in one direction: the start of each and the end of the last, and all neighbors.
pub(super) type EdgeArrays = (Vec<u32>, Vec<VertexId>);

impl SlidingShards {
    /// Returns the memory of the shards of `edges` edges, in bytes, which the owner reserves; construction takes half
    /// as much in addition.
    pub(super) const fn bytes(edges: u64) -> u64 {
        edges * 8
    }

    /// Creates a shard for each of `intervals` from the in-lists.
    ///
    /// # Errors
    /// Returns an error if a read fails or finds damage, if the lengths of in-lists differ from their degrees, or on
    /// interruption.
    pub(super) fn new(into: &dyn Adjacency, in_degrees: &mut dyn Degrees, intervals: &[VertexRange]) -> Result<Self> {
        let shard = |interval: &VertexRange| {
            let lists = IntervalLists::construct(into, in_degrees, *interval, false, &|_| true)?;
            Ok(Shard::new(&lists))
        };
        let shards = intervals.iter().map(shard).collect::<Result<_>>()?;
        Ok(Self { intervals: intervals.to_vec(), shards })
    }

    /// Constructs the in-edge and the out-edge arrays of the interval with the given number.
    ///
    /// # Errors
    /// Returns an error if the interval does not exist, or if the degrees do not match the edges or cannot be read.
    pub(super) fn construct(
        &self,
        number: usize,
        [in_degrees, out_degrees]: [&mut dyn Degrees; 2],
        workers: &Workers,
    ) -> Result<[EdgeArrays; 2]> {
        let (Some(shard), Some(interval)) = (self.shards.get(number), self.intervals.get(number).copied()) else {
            return Err(Error::Usage(format!("there is no interval {number}")));
        };
        let into = Appended::new(interval, in_degrees)?;
        let out = Appended::new(interval, out_degrees)?;
        let next = AtomicUsize::new(0);
        workers.run(false, &|_| {
            while let Some(other) = self.shards.get(next.fetch_add(1, Relaxed)) {
                workers.cancellation().check()?;
                if std::ptr::eq(other, shard) {
                    shard.0.iter().for_each(|(source, target)| into.append(*target, *source));
                }
                let window = &other.0[other.window(interval)];
                window.iter().for_each(|(source, target)| out.append_with_others(*source, *target));
            }
            Ok(())
        })?;
        let whole = |lists: Appended, degrees: &dyn Degrees| lists.finish().ok_or_else(|| degrees.differ());
        Ok([whole(into, in_degrees)?, whole(out, out_degrees)?])
    }
}

impl Shard {
    fn new(into: &IntervalLists) -> Self {
        let mut edges = Vec::with_capacity(into.entries());
        for target in into.range().iter() {
            edges.extend(into.list(target).ids().iter().map(|source| (*source, target)));
        }
        // Stable sort: the targets of a source stay ascending.
        edges.sort_by_key(|(source, _)| *source);
        Self(edges)
    }

    /// Returns the positions of the edges from `sources`.
    fn window(&self, sources: VertexRange) -> Range<usize> {
        let before = |vertex: VertexId| self.0.partition_point(|(source, _)| *source < vertex);
        before(sources.start)..before(sources.end)
    }
}

/// Edge arrays under construction.
struct Appended {
    interval: VertexRange,
    offsets: Vec<u32>,
    /// Position of the next edge of each vertex.
    next: Vec<AtomicU32>,
    neighbors: Vec<AtomicU32>,
    /// `true` if an edge had no position.
    differs: AtomicBool,
}

impl Appended {
    fn new(interval: VertexRange, degrees: &mut dyn Degrees) -> Result<Self> {
        let offsets = offsets(interval, degrees)?;
        let entries = offsets.last().map_or(0, |end| *end as usize);
        Ok(Self {
            interval,
            next: offsets[..interval.len()].iter().map(|start| AtomicU32::new(*start)).collect(),
            offsets,
            neighbors: vec![0; entries].into_iter().map(AtomicU32::new).collect(),
            differs: AtomicBool::new(false),
        })
    }

    /// Adds an edge of `owner`, to which no other thread adds concurrently.
    #[inline]
    fn append(&self, owner: VertexId, neighbor: VertexId) {
        let next = &self.next[(owner - self.interval.start) as usize];
        let place = next.load(Relaxed);
        next.store(place + 1, Relaxed);
        self.put(place, neighbor);
    }

    /// Adds an edge of `owner`, to which other threads may add concurrently.
    #[inline]
    fn append_with_others(&self, owner: VertexId, neighbor: VertexId) {
        let place = self.next[(owner - self.interval.start) as usize].fetch_add(1, Relaxed);
        self.put(place, neighbor);
    }

    #[inline]
    fn put(&self, place: u32, neighbor: VertexId) {
        match self.neighbors.get(place as usize) {
            Some(cell) => cell.store(neighbor, Relaxed),
            None => self.differs.store(true, Relaxed),
        }
    }

    /// Returns the lists, if every vertex has the expected number of edges.
    fn finish(self) -> Option<EdgeArrays> {
        let ends = self.offsets.iter().skip(1);
        let whole = self.next.iter().zip(ends).all(|(next, end)| next.load(Relaxed) == *end);
        let neighbors = self.neighbors.into_iter().map(AtomicU32::into_inner).collect();
        (whole && !self.differs.into_inner()).then_some((self.offsets, neighbors))
    }
}

/// Returns the start of the list of each vertex of `interval`, and the end of the last.
fn offsets(interval: VertexRange, degrees: &mut dyn Degrees) -> Result<Vec<u32>> {
    let mut offsets = Vec::with_capacity(interval.len() + 1);
    degrees.read(interval, &mut offsets)?;
    let (mut end, too_many) = (0_u32, || Error::Usage("an interval has too many list entries".to_owned()));
    for place in &mut offsets {
        let start = end;
        end = end.checked_add(*place).ok_or_else(too_many)?;
        *place = start;
    }
    offsets.push(end);
    Ok(offsets)
}
