//! Weighted shortest paths, interval by interval.
//!
//! Definition: as in `edge_map.rs` and, for predecessors, `predecessors.rs`, with the same results. Weights must not be
//! negative.
//!
//! Paper: LOSC (Xu, Wang, Jiang et al., JPDC 172, 2023, sections 3.6 to 3.8): active vertices propagate their distances
//! (Bellman-Ford), and intervals are synchronized one after the other; then every vertex finds its predecessor among
//! its in-neighbors.
//!
//! Returns: `distance` (f64 or f32, in the unit of the weights) and, if requested, `predecessor` as an original ID;
//! null if unreached, and for the sources' predecessors.
//!
//! Memory: 12 bytes per vertex (8 with single precision) in memory or on disk, sets of active vertices, and in stores
//! of another order the ranks (4 bytes) in memory.
//!
//! Passes over the edges: in each iteration, the out-lists of vertices whose distances have fallen or all in-lists; the
//! in-lists once for predecessors, and those of vertices without one in each round of zero-length edges. On disk,
//! distances are read once per interval of a pull, and predecessors are written once per round.
//!
//! Deviations: there are no buckets, since an iteration waits for whole intervals anyway. The number of iterations
//! depends on memory, schedule and threads, the result on none of them. Of the negative edges that leave reached
//! vertices, the one with the smallest ends is reported, whichever iteration found one first.

use crate::models::interval::{BEGINNING, IntervalWork, Place, Real, nodes};
use crate::outcome::{Column, Outcome};
use crate::weights::{Refused, RefusedEdge};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::interval::{IntervalEngine, IntervalProgram, IntervalRequirements};
use outcrop_engine::{Directions, VertexArray};
use outcrop_types::{BitSet, Direction, Error, Result, VertexId, VertexSet};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns the needs of the program with distances of `F`.
pub const fn work<F: Real>(place: Place) -> IntervalWork {
    // The sums of predecessors are not larger than those of the search for a negative edge.
    let folding = place.folding(Direction::In, F::BYTES, size_of::<(VertexId, f64)>() as u64);
    IntervalWork {
        requirements: IntervalRequirements { active: true, weighted: place.weighted, ..folding },
        value_bytes: F::BYTES + 4,
    }
}

/// Lowers distances from `sources` until nothing changes, and finds predecessors if `ranks` are given. Refuses only
/// negative edges that leave reached vertices.
///
/// # Errors
///
/// Returns the error that `refuse` creates from a negative edge or from an edge to a vertex whose distance exceeds the
/// range, or an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if
/// the run is interrupted.
pub fn sssp<F: Real>(
    engine: &IntervalEngine<'_>,
    sources: &[VertexId],
    ranks: Option<IdOrder<'_>>,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let mut distances = engine.values(|_| F::of(f64::INFINITY))?;
    sources.iter().try_for_each(|source| distances.set(*source, F::of(0.0)))?;
    let (negative, past_largest) = (AtomicBool::new(false), AtomicBool::new(false));
    let relax = Relax::<F> { negative, past_largest, values: PhantomData };
    let mut active = VertexSet::from_members(sources.to_vec(), engine.vertices());
    let mut iterations = 0;
    while !active.is_empty() {
        engine.checkpoint("distances", |state| {
            state.number(&mut iterations)?;
            state.frontier(&mut active)?;
            let mut past_largest = u32::from(relax.past_largest.load(Relaxed));
            state.number(&mut past_largest)?;
            relax.past_largest.store(past_largest > 0, Relaxed);
            state.array(&mut distances)
        })?;
        active = engine.propagate(&relax, Directions::Out, &mut distances, &active)?;
        iterations = engine.end_iteration(None);
        if relax.negative.load(Relaxed) {
            return Err(refuse(find_negative(engine, &distances)?));
        }
    }
    drop(active);
    if relax.past_largest.load(Relaxed) {
        let search = FindBeyond::<F> { sources, found: Refused::new(), values: PhantomData };
        let mut nothing = engine.values(|_| 0_u32)?;
        engine.gather(&search, Direction::In, &distances, &mut nothing)?;
        search.found.check(&refuse)?;
    }
    let found = ranks.map(|ranks| predecessors(engine, &distances, sources, ranks)).transpose()?;
    let distance = Column::new("distance", F::values(distances));
    let predecessor = found.map(|found| Column::new("predecessor", nodes(found)));
    Ok(Outcome::new([distance].into_iter().chain(predecessor).collect(), iterations))
}

struct Relax<F> {
    /// True if a reached vertex has an edge with a negative weight.
    negative: AtomicBool,
    /// True if a sum exceeded the range.
    past_largest: AtomicBool,
    values: PhantomData<fn() -> F>,
}

impl<F: Real> IntervalProgram for Relax<F> {
    type Source = F;
    type Target = F;
    type Sum = F;

    #[inline]
    fn begin(&self, _: VertexId) -> F {
        F::of(f64::INFINITY)
    }

    #[inline]
    fn gather(&self, least: &mut F, _: VertexId, distance: F, weight: f64) {
        if weight < 0.0 && distance.get().is_finite() {
            self.negative.store(true, Relaxed);
        }
        let offered = beyond(distance, weight);
        if offered.get() == f64::INFINITY && distance.get().is_finite() {
            self.past_largest.store(true, Relaxed);
        }
        if offered < *least {
            *least = offered;
        }
    }

    #[inline]
    fn apply(&self, _: VertexId, old: F, least: F) -> F {
        if least < old { least } else { old }
    }
}

/// Returns the distance at the end of an edge.
#[inline]
fn beyond<F: Real>(distance: F, weight: f64) -> F {
    F::of(distance.get() + weight)
}

/// Returns the negative edge with the smallest ends that leaves a reached vertex.
fn find_negative<F: Real>(engine: &IntervalEngine<'_>, distances: &VertexArray<F>) -> Result<RefusedEdge> {
    let search = FindNegative::<F> { found: Refused::new(), values: PhantomData };
    let mut nothing = engine.values(|_| 0_u32)?;
    engine.gather(&search, Direction::In, distances, &mut nothing)?;
    search.found.edge().ok_or_else(|| Error::internal("a negative weight was not found again"))
}

struct FindNegative<F> {
    found: Refused,
    values: PhantomData<fn() -> F>,
}

impl<F: Real> IntervalProgram for FindNegative<F> {
    type Source = F;
    type Target = u32;
    /// First source of a negative edge, and the weight.
    type Sum = (VertexId, f64);

    fn begin(&self, _: VertexId) -> (VertexId, f64) {
        (VertexId::MAX, 0.0)
    }

    fn gather(&self, first: &mut (VertexId, f64), source: VertexId, distance: F, weight: f64) {
        if weight < 0.0 && distance.get().is_finite() && first.1 >= 0.0 {
            *first = (source, weight);
        }
    }

    fn apply(&self, target: VertexId, old: u32, (source, weight): Self::Sum) -> u32 {
        if weight < 0.0 {
            self.found.note(source, target, weight);
        }
        old
    }
}

/// Finds vertices all of whose sums exceed the range.
struct FindBeyond<'s, F> {
    sources: &'s [VertexId],
    found: Refused,
    values: PhantomData<fn() -> F>,
}

impl<F: Real> IntervalProgram for FindBeyond<'_, F> {
    type Source = F;
    type Target = u32;
    /// First source of such a sum and the weight of its edge: infinite before one is found, negative once a sum is
    /// finite.
    type Sum = (VertexId, f64);

    fn begin(&self, _: VertexId) -> (VertexId, f64) {
        (VertexId::MAX, f64::INFINITY)
    }

    fn gather(&self, first: &mut (VertexId, f64), source: VertexId, distance: F, weight: f64) {
        match (distance.get().is_finite(), beyond(distance, weight).get().is_finite()) {
            (true, true) => *first = (source, -1.0),
            (true, false) if first.1 == f64::INFINITY => *first = (source, weight),
            _ => {}
        }
    }

    fn apply(&self, target: VertexId, old: u32, (source, weight): Self::Sum) -> u32 {
        if weight >= 0.0 && weight.is_finite() && !self.sources.contains(&target) {
            self.found.note(source, target, weight);
        }
        old
    }
}

/// Returns the predecessors, as ranks, of all vertices that `distances` marks as reached from `sources`. The sets use
/// the memory of frontiers, which no longer exist.
fn predecessors<F: Real>(
    engine: &IntervalEngine<'_>,
    distances: &VertexArray<F>,
    sources: &[VertexId],
    ranks: IdOrder<'_>,
) -> Result<VertexArray<u32>> {
    let mut predecessors = engine.values(|_| UNREACHED)?;
    sources.iter().try_for_each(|source| predecessors.set(*source, BEGINNING))?;
    let waiting = BitSet::empty(engine.vertices());
    engine.gather(
        &LeadingOn::<F> { ranks, waiting: &waiting, values: PhantomData },
        Direction::In,
        distances,
        &mut predecessors,
    )?;
    engine.end_iteration(None);
    let mut left = waiting.count();
    while left > 0 {
        let settled = BitSet::empty(engine.vertices());
        let round = WithoutLength::<F> { ranks, waiting: &waiting, settled: &settled, values: PhantomData };
        engine.gather(&round, Direction::In, distances, &mut predecessors)?;
        engine.end_iteration(None);
        settled.iter().for_each(|vertex| waiting.remove(vertex));
        // A path leads to each of them from a source, so each round settles some.
        left = if settled.count() == 0 { 0 } else { waiting.count() };
    }
    Ok(predecessors)
}

/// Smallest distance offered by in-neighbors, which is that of the vertex unless it is a source, and the smallest rank
/// of the possible predecessors.
type Nearest<F> = (F, u32);

/// Processes the distance offered by a source, and its `rank_of` if it may be the predecessor.
#[inline]
fn take<F: Real>((least, rank): &mut Nearest<F>, offered: F, rank_of: impl FnOnce() -> Option<u32>) {
    if offered < *least {
        (*least, *rank) = (offered, UNREACHED);
    }
    // Sums beyond the range lead nowhere.
    if offered == *least && offered.get().is_finite() {
        *rank = rank_of().map_or(*rank, |one| one.min(*rank));
    }
}

fn nowhere<F: Real>() -> Nearest<F> {
    (F::of(f64::INFINITY), UNREACHED)
}

/// Finds predecessors that are nearer than the vertex.
struct LeadingOn<'r, F> {
    ranks: IdOrder<'r>,
    /// Receives the reached vertices without one.
    waiting: &'r BitSet,
    values: PhantomData<fn() -> F>,
}

impl<F: Real> IntervalProgram for LeadingOn<'_, F> {
    type Source = F;
    type Target = u32;
    type Sum = Nearest<F>;

    fn begin(&self, _: VertexId) -> Nearest<F> {
        nowhere()
    }

    #[inline]
    fn gather(&self, nearest: &mut Nearest<F>, source: VertexId, distance: F, weight: f64) {
        let offered = beyond(distance, weight);
        take(nearest, offered, || (distance < offered).then(|| self.ranks.of(source)));
    }

    #[inline]
    fn apply(&self, vertex: VertexId, old: u32, (least, rank): Nearest<F>) -> u32 {
        if old == BEGINNING {
            return UNREACHED;
        }
        if rank == UNREACHED && least.get().is_finite() {
            self.waiting.insert(vertex);
        }
        rank
    }
}

/// Finds predecessors of the pending vertices among the settled ones at the same distance.
struct WithoutLength<'r, F> {
    ranks: IdOrder<'r>,
    waiting: &'r BitSet,
    /// Receives the vertices with one.
    settled: &'r BitSet,
    values: PhantomData<fn() -> F>,
}

impl<F: Real> IntervalProgram for WithoutLength<'_, F> {
    type Source = F;
    type Target = u32;
    type Sum = Nearest<F>;

    fn selective(&self) -> bool {
        true
    }

    fn wants(&self, vertex: VertexId) -> bool {
        self.waiting.contains(vertex)
    }

    fn begin(&self, _: VertexId) -> Nearest<F> {
        nowhere()
    }

    #[inline]
    fn gather(&self, nearest: &mut Nearest<F>, source: VertexId, distance: F, weight: f64) {
        let rank = || (!self.waiting.contains(source)).then(|| self.ranks.of(source));
        take(nearest, beyond(distance, weight), rank);
    }

    #[inline]
    fn apply(&self, vertex: VertexId, old: u32, (_, rank): Nearest<F>) -> u32 {
        if rank == UNREACHED {
            return old;
        }
        self.settled.insert(vertex);
        rank
    }
}
