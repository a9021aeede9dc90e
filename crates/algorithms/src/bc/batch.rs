//! Searches from up to 16 sources at once: the lists of a vertex are read once for each distance at which a source
//! newly reaches it, and not once for each source.
//!
//! A source is a lane: a bit of a mask, and a place in the rows of levels and numbers of paths of each vertex. Levels
//! are bytes: where a search goes deeper than they count, the batch is given up, and its sources are left to be
//! searched from one at a time.

use super::distinct::Distinct;
use super::params::{BcParams, too_many_paths};
use super::single;
use crate::AtomicFloat;
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbours;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

/// The most lanes: one bit each.
pub(super) const LANES: usize = u16::BITS as usize;
/// The level of what is not reached, and one more than the deepest that is counted.
const UNREACHED: u8 = u8::MAX;

/// Memory over `vertices` vertices with `lanes` lanes: 6 bytes each, and 9 for each lane, and the sets of a search that
/// goes deeper.
pub(super) fn memory(vertices: u32, lanes: u32) -> MemoryPlan {
    let rows = u64::from(vertices) * u64::from(lanes);
    let masks = 3 * VertexValues::<u16>::bytes(u64::from(vertices));
    let values = masks + VertexValues::<u8>::bytes(rows) + VertexValues::<u64>::bytes(rows);
    MemoryPlan::new().with(Purpose::VertexValues, values).with(Purpose::Frontier, single::frontier_bytes(vertices))
}

/// Adds to `sum` what the sources contribute, up to the first that are too deep; how many were done, and the last
/// iteration's number.
///
/// # Errors
/// Too many shortest paths to count; a failed or damaged read, a budget that is too small, interruption.
pub(super) fn add(engine: &Engine<'_>, parameters: &BcParams<'_>, sum: &[AtomicU64]) -> Result<(u32, u32)> {
    let count = parameters.count(engine.vertices());
    let lanes = parameters.batch.min(count).min(LANES as u32);
    let mut batch = Batch::new(engine, lanes as usize, sum)?;
    let (mut done, mut iterations) = (0, 0);
    while done < count {
        engine.checkpoint("batches", |state| {
            state.bounded(&mut done, u64::from(count) - 1)?;
            state.number(&mut iterations)?;
            state.shared(sum)
        })?;
        engine.has_done(done.into());
        let numbers = done..count.min(done + lanes);
        batch.begin(&numbers.clone().map(|number| parameters.source(number)).collect::<Vec<_>>());
        if !batch.forward(engine)? {
            break;
        }
        batch.backward(engine)?;
        iterations = engine.end_iteration(None);
        done = numbers.end;
    }
    engine.has_done(done.into());
    Ok((done, iterations))
}

/// Searches from several sources.
struct Batch<'s> {
    lanes: usize,
    /// The bits of the lanes that are in use.
    all: u16,
    /// The vertices of level 0.
    sources: VertexSet,
    /// The lanes that have reached the vertex, this level left aside.
    seen: VertexValues<AtomicU16>,
    /// The lanes in which the vertex is at this level.
    now: VertexValues<AtomicU16>,
    /// Lanes in which the vertex is at the level that sums come from: the previous one forward, the next one backward.
    beside: VertexValues<AtomicU16>,
    /// A row a vertex.
    levels: VertexValues<AtomicU8>,
    /// A row a vertex. Forward, numbers of shortest paths from the source; backward, what a path brings: (1 +
    /// dependency) / number.
    paths: VertexValues<AtomicU64>,
    /// Dependencies, summed over the sources so far.
    sum: &'s [AtomicU64],
    level: u8,
    everyone: VertexSet,
    _held: Reservation,
    overflow: AtomicBool,
}

impl<'s> Batch<'s> {
    fn new(engine: &Engine<'_>, lanes: usize, sum: &'s [AtomicU64]) -> Result<Self> {
        let (budget, count) = (engine.budget(), engine.vertices() as usize);
        let masks = || engine.vertex_values(|_| AtomicU16::new(0));
        let held = budget.reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        Ok(Self {
            lanes,
            all: 0,
            sources: VertexSet::empty(engine.vertices()),
            seen: masks()?,
            now: masks()?,
            beside: masks()?,
            levels: VertexValues::new(budget, Purpose::VertexValues, count * lanes, |_| AtomicU8::new(UNREACHED))?,
            paths: VertexValues::new(budget, Purpose::VertexValues, count * lanes, |_| AtomicU64::new(0))?,
            sum,
            level: 0,
            everyone: VertexSet::all(engine.vertices()),
            _held: held,
            overflow: AtomicBool::new(false),
        })
    }

    /// Forgets what was, and puts each of `sources` into its lane.
    fn begin(&mut self, sources: &[VertexId]) {
        let masks = [&mut self.seen, &mut self.now, &mut self.beside];
        masks.into_iter().flat_map(|masks| masks.iter_mut()).for_each(|mask| *mask.get_mut() = 0);
        self.levels.iter_mut().for_each(|level| *level.get_mut() = UNREACHED);
        (self.level, self.all) = (0, 0);
        for (lane, source) in sources.iter().enumerate() {
            let (at, bit) = (*source as usize, 1 << lane);
            self.all |= bit;
            self.seen[at].fetch_or(bit, Relaxed);
            self.beside[at].fetch_or(bit, Relaxed);
            self.levels[at * self.lanes + lane].store(0, Relaxed);
            AtomicFloat::store(&self.paths[at * self.lanes + lane], 1.0);
        }
        self.sources = VertexSet::from_members(sources.to_vec(), self.everyone.universe());
    }

    /// Levels and numbers of paths. Whether the levels could be counted to the end.
    fn forward(&mut self, engine: &Engine<'_>) -> Result<bool> {
        let mut frontier = std::mem::replace(&mut self.sources, VertexSet::empty(engine.vertices()));
        while !frontier.is_empty() {
            self.level += 1;
            if self.level == UNREACHED {
                return Ok(false);
            }
            let found = engine.edge_map(&frontier, self, EdgeMapOutput::Frontier)?;
            let paths = OverLanes { batch: self, apply: |vertex, sums: &Sums| self.set_paths(vertex, sums) };
            engine.gather_over(&found, Direction::In, &paths)?;
            if self.overflow.load(Relaxed) {
                return Err(too_many_paths());
            }
            engine.vertex_map(&frontier, |vertex| self.beside[vertex as usize].store(0, Relaxed));
            engine.vertex_map(&found, |vertex| self.keep(vertex));
            frontier = found;
        }
        Ok(true)
    }

    /// Keeps what was found now as what was found before.
    fn keep(&self, vertex: VertexId) {
        let at = vertex as usize;
        let lanes = self.now[at].swap(0, Relaxed);
        self.beside[at].store(lanes, Relaxed);
        self.seen[at].fetch_or(lanes, Relaxed);
        each_lane(lanes, |lane| self.levels[at * self.lanes + lane].store(self.level, Relaxed));
    }

    /// Dependencies, from the farthest level to the first.
    fn backward(&mut self, engine: &Engine<'_>) -> Result<()> {
        while self.level > 1 {
            self.level -= 1;
            let members = engine.vertex_filter(&self.everyone, |vertex| self.step_back(vertex));
            let dependencies =
                OverLanes { batch: self, apply: |vertex, sums: &Sums| self.add_dependencies(vertex, sums) };
            engine.gather_over(&members, Direction::Out, &dependencies)?;
        }
        Ok(())
    }

    /// Finds the lanes in which a vertex is at this level. Whether there are any.
    fn step_back(&self, vertex: VertexId) -> bool {
        let at = vertex as usize;
        let row = &self.levels[at * self.lanes..(at + 1) * self.lanes];
        let here = |level: &AtomicU8| u16::from(level.load(Relaxed) == self.level);
        let lanes = row.iter().rev().fold(0, |lanes, level| lanes << 1 | here(level));
        self.beside[at].store(self.now[at].load(Relaxed), Relaxed);
        self.now[at].store(lanes, Relaxed);
        lanes != 0
    }

    /// Sums of a vertex along its lists, still empty.
    fn begin_sums(&self, vertex: VertexId) -> Sums {
        Sums { totals: [0.0; LANES], wanted: self.now[vertex as usize].load(Relaxed), distinct: Distinct::NONE }
    }

    /// Adds the neighbours that are at the level beside, in the lanes in which they are.
    #[inline]
    fn add_piece(&self, sums: &mut Sums, piece: Neighbours<'_>) {
        let Sums { totals, wanted, distinct } = sums;
        distinct.each(piece, |neighbour| {
            let at = neighbour as usize;
            let lanes = self.beside[at].load(Relaxed) & *wanted;
            each_lane(lanes, |lane| totals[lane] += AtomicFloat::load(&self.paths[at * self.lanes + lane]));
        });
    }
}

/// Calls `take` with the position of each bit.
#[inline]
fn each_lane(mut lanes: u16, mut take: impl FnMut(usize)) {
    while lanes != 0 {
        take(lanes.trailing_zeros() as usize);
        lanes &= lanes - 1;
    }
}

impl EdgeMap for Batch<'_> {
    #[inline]
    fn update_atomic(&self, source: VertexId, target: VertexId, _: f64) -> bool {
        let new = self.beside[source as usize].load(Relaxed) & !self.seen[target as usize].load(Relaxed);
        let now = &self.now[target as usize];
        new & !now.load(Relaxed) != 0 && now.fetch_or(new, Relaxed) == 0
    }

    #[inline]
    fn cond(&self, target: VertexId) -> bool {
        self.seen[target as usize].load(Relaxed) | self.now[target as usize].load(Relaxed) != self.all
    }
}

/// A sum a lane, over distinct neighbours.
struct Sums {
    totals: [f64; LANES],
    /// The lanes in which the vertex is at this level.
    wanted: u16,
    distinct: Distinct,
}

/// Sums over the lanes in which a vertex is at this level, from the level beside it; `apply` makes of them what is
/// wanted.
struct OverLanes<'b, F> {
    batch: &'b Batch<'b>,
    apply: F,
}

impl<F: Fn(VertexId, &Sums) + Sync> Gather for OverLanes<'_, F> {
    type Sum = Sums;

    fn begin(&self, vertex: VertexId) -> Sums {
        self.batch.begin_sums(vertex)
    }

    #[inline]
    fn gather(&self, sums: &mut Sums, piece: Neighbours<'_>) {
        self.batch.add_piece(sums, piece);
    }

    fn apply(&self, vertex: VertexId, sums: Sums) {
        (self.apply)(vertex, &sums);
    }
}

impl Batch<'_> {
    /// Numbers of paths of a level, from those of the level before.
    fn set_paths(&self, vertex: VertexId, sums: &Sums) {
        each_lane(sums.wanted, |lane| {
            if !sums.totals[lane].is_finite() {
                self.overflow.store(true, Relaxed);
            }
            AtomicFloat::store(&self.paths[vertex as usize * self.lanes + lane], sums.totals[lane]);
        });
    }

    /// Dependencies of a level, from those of the level behind it.
    fn add_dependencies(&self, vertex: VertexId, sums: &Sums) {
        let sum = &self.sum[vertex as usize];
        each_lane(sums.wanted, |lane| {
            let paths = &self.paths[vertex as usize * self.lanes + lane];
            let number = AtomicFloat::load(paths);
            let dependency = number * sums.totals[lane];
            AtomicFloat::store(paths, (1.0 + dependency) / number);
            AtomicFloat::store(sum, AtomicFloat::load(sum) + dependency);
        });
    }
}
