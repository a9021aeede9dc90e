//! Searches from up to 16 sources at once: the lists of a vertex are read once for each distance at which a source
//! newly reaches it, instead of once per source.
//!
//! A source is a lane: a bit of a mask, and a position in the rows of levels and path counts of each vertex. Levels are
//! bytes: if a search exceeds their range, the batch is abandoned, and its sources are processed one at a time.

use super::distinct::Distinct;
use super::params::{BcParams, too_many_paths};
use super::single;
use crate::AtomicFloat;
use outcrop_engine::{EdgeMap, EdgeMapOutput, Engine, Gather};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Reservation, Result, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

/// Maximum number of lanes: one bit each.
pub(super) const LANES: usize = u16::BITS as usize;
/// Level of unreached vertices, one more than the maximum level.
const UNREACHED: u8 = u8::MAX;

/// Returns the memory for `vertices` vertices with `lanes` lanes: 6 bytes per vertex, 9 per vertex and lane, and the
/// sets of a search that exceeds the levels.
pub(super) fn memory(vertices: u32, lanes: u32) -> MemoryPlan {
    let rows = u64::from(vertices) * u64::from(lanes);
    let masks = 3 * VertexValues::<u16>::bytes(u64::from(vertices));
    let values = masks + VertexValues::<u8>::bytes(rows) + VertexValues::<u64>::bytes(rows);
    MemoryPlan::new().with(Purpose::VertexValues, values).with(Purpose::Frontier, single::frontier_bytes(vertices))
}

/// Adds the contributions of the sources to `sum`, up to the first batch that exceeds the levels; returns the number of
/// processed sources and the number of the last iteration.
///
/// # Errors
///
/// Returns an error if there are too many shortest paths to count, if a read fails or the data is damaged, if the
/// budget is too small, or if the run is interrupted.
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
        engine.set_done(done.into());
        let numbers = done..count.min(done + lanes);
        batch.begin(&numbers.clone().map(|number| parameters.source(number)).collect::<Vec<_>>());
        if !batch.forward(engine)? {
            break;
        }
        batch.backward(engine)?;
        iterations = engine.end_iteration(None);
        done = numbers.end;
    }
    engine.set_done(done.into());
    Ok((done, iterations))
}

/// Searches from several sources.
struct Batch<'s> {
    lanes: usize,
    /// Bits of the lanes in use.
    all: u16,
    /// Vertices of level 0.
    sources: VertexSet,
    /// Lanes that have reached the vertex, without this level.
    seen: VertexValues<AtomicU16>,
    /// Lanes in which the vertex is at this level.
    now: VertexValues<AtomicU16>,
    /// Lanes in which the vertex is at the level that sums are taken from: the previous one in the forward pass, the
    /// next one in the backward pass.
    beside: VertexValues<AtomicU16>,
    /// Rows of levels, one per vertex.
    levels: VertexValues<AtomicU8>,
    /// Rows, one per vertex. In the forward pass, numbers of shortest paths from the source; in the backward pass,
    /// contributions per path: (1 + dependency) / number.
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

    /// Resets the state, and assigns each of `sources` to its lane.
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

    /// Computes levels and path counts. Returns false if the search exceeded the levels.
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

    /// Marks the vertices of this level as seen.
    fn keep(&self, vertex: VertexId) {
        let at = vertex as usize;
        let lanes = self.now[at].swap(0, Relaxed);
        self.beside[at].store(lanes, Relaxed);
        self.seen[at].fetch_or(lanes, Relaxed);
        each_lane(lanes, |lane| self.levels[at * self.lanes + lane].store(self.level, Relaxed));
    }

    /// Computes dependencies, from the last level to the first.
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

    /// Finds the lanes in which a vertex is at this level. Returns true if there are any.
    fn step_back(&self, vertex: VertexId) -> bool {
        let at = vertex as usize;
        let row = &self.levels[at * self.lanes..(at + 1) * self.lanes];
        let here = |level: &AtomicU8| u16::from(level.load(Relaxed) == self.level);
        let lanes = row.iter().rev().fold(0, |lanes, level| lanes << 1 | here(level));
        self.beside[at].store(self.now[at].load(Relaxed), Relaxed);
        self.now[at].store(lanes, Relaxed);
        lanes != 0
    }

    /// Returns empty sums of a vertex.
    fn begin_sums(&self, vertex: VertexId) -> Sums {
        Sums { totals: [0.0; LANES], wanted: self.now[vertex as usize].load(Relaxed), distinct: Distinct::NONE }
    }

    /// Adds the values of neighbors at the adjacent level, in their lanes.
    #[inline]
    fn add_piece(&self, sums: &mut Sums, piece: Neighbors<'_>) {
        let Sums { totals, wanted, distinct } = sums;
        distinct.each(piece, |neighbor| {
            let at = neighbor as usize;
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

/// Sums per lane, over distinct neighbors.
struct Sums {
    totals: [f64; LANES],
    /// Lanes in which the vertex is at this level.
    wanted: u16,
    distinct: Distinct,
}

/// Sums over the lanes in which a vertex is at this level, from the adjacent level; `apply` processes the result.
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
    fn gather(&self, sums: &mut Sums, piece: Neighbors<'_>) {
        self.batch.add_piece(sums, piece);
    }

    fn apply(&self, vertex: VertexId, sums: Sums) {
        (self.apply)(vertex, &sums);
    }
}

impl Batch<'_> {
    /// Sets the path counts of a level from those of the previous level.
    fn set_paths(&self, vertex: VertexId, sums: &Sums) {
        each_lane(sums.wanted, |lane| {
            if !sums.totals[lane].is_finite() {
                self.overflow.store(true, Relaxed);
            }
            AtomicFloat::store(&self.paths[vertex as usize * self.lanes + lane], sums.totals[lane]);
        });
    }

    /// Adds the dependencies of a level, from those of the next level.
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
