//! Weighted shortest paths.
//!
//! Definition: the distance of a vertex is the minimum sum of weights on a path from any source along the edges'
//! direction; every weight is 1 in a store without weights. Weights must not be negative.
//!
//! Paper: delta-stepping (Meyer and Sanders, Journal of Algorithms 2003), or Bellman-Ford on frontiers, as in Ligra
//! (Shun and Blelloch, PPoPP 2013, section 4.6); predecessors from the final distances, see `predecessors.rs`. Without
//! weights, both perform the same rounds.
//!
//! Returns: `distance` (f64 or f32, in the unit of the weights) and, if requested, `predecessor` as an original ID (the
//! smallest on a shortest path); null if unreached, and for the sources' predecessors.
//!
//! Memory: 8 bytes per vertex (4 with single precision), frontiers and one more set of vertices, the index of the
//! out-lists; with predecessors, 4 more bytes per vertex, another set and the index of the in-lists.
//!
//! Passes over the edges: the lists of a vertex once for each iteration in which its distance has fallen or, with
//! delta-stepping, has fallen and is in the nearest bucket; once more for predecessors.
//!
//! Deviations: there are two piles, the nearest bucket and the rest; light and heavy edges are not distinguished, as in
//! the GAP benchmark. Distances are always pushed. They are the same with either method: sums are rounded along a path
//! from its source, so the result does not depend on threads, order or layout. The number of iterations may: a distance
//! that falls in an iteration can be propagated within the same one, and then is not in the next. It counts the rounds
//! that lower distances, while observers also see those for predecessors. If a sum exceeds the range of the precision,
//! a pass over the lists of reached vertices finds vertices that no other sum reaches, which are refused.

use super::predecessors::{self, predecessors};
use crate::outcome::{Column, Outcome, Values};
use crate::search::repair::{Lengths, Restarted, restart};
use crate::weights::{Refused, RefusedEdge};
use crate::{AtomicFloat, IdOrder};
use outcrop_engine::{Engine, FrontierBuilder, Gather, State};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, Error, MemoryPlan, Purpose, Result, VertexId, VertexSet, VertexValues};

use super::width::{self, Width};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use width::BucketWidth;

/// Vertices that propagate their distances in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Vertices with decreased distances.
    BellmanFord,
    /// Vertices of the nearest bucket with decreased distances.
    DeltaStepping(BucketWidth),
}

/// Returns the memory for `vertices` vertices with distances of `F`, and with `predecessors` if requested, without the
/// indexes.
pub fn memory<F: AtomicFloat>(vertices: u32, predecessors: bool) -> MemoryPlan {
    let distances = VertexValues::<F>::bytes(u64::from(vertices));
    let plan = MemoryPlan::new().with(Purpose::VertexValues, distances);
    match predecessors {
        true => predecessors::memory(vertices).and(&plan),
        false => plan.with(Purpose::Frontier, BitSet::bytes(vertices)),
    }
}

/// Lowers distances from `sources` up to `cutoff` until nothing changes, and finds predecessors if `ranks` are given;
/// `as_values` wraps the distances. Refuses only negative edges that leave reached vertices.
///
/// # Errors
///
/// Returns the error that `refuse` creates from a negative edge or from an edge to a vertex whose distance exceeds the
/// range, or an error if a read fails or the data is damaged, if the budget is too small, or if the run is interrupted.
pub fn sssp<F: AtomicFloat>(
    engine: &Engine<'_>,
    sources: &[VertexId],
    ranks: Option<IdOrder<'_>>,
    method: Method,
    cutoff: f64,
    as_values: impl Fn(VertexValues<F::Plain>) -> Values,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let relax = Relax::<F>::new(engine)?.up_to(cutoff);
    let changes = engine.restore_result(|state| state.by_vertex(&relax.distance))?;
    let begun = changes
        .map(|changes| restart(engine, &relax.distance, Lengths::Unknown, sources, changes))
        .transpose()?
        .flatten();
    let (frontier, repairs) = match begun {
        Some(Restarted { frontier, .. }) => (frontier, true),
        None => (relax.begin(engine, sources), false),
    };
    let width = match method {
        Method::BellmanFord => Width::fixed(f64::INFINITY),
        Method::DeltaStepping(BucketWidth::Auto) if repairs => width::of_frontier(engine, &frontier)?,
        Method::DeltaStepping(width) => width::of(engine, width)?,
    };
    let iterations = relax.lower(engine, frontier, width, repairs, &refuse)?;
    relax.check_beyond(engine, &refuse)?;
    engine.save_result(|state| state.by_vertex(&relax.distance))?;
    let found = ranks.map(|ranks| predecessors(engine, &relax.distance, sources, ranks, f64::INFINITY)).transpose()?;
    let distance = Column::new("distance", as_values(relax.distance.map(F::into_plain)));
    let predecessor = found.map(|found| Column::new("predecessor", Values::Node(found)));
    Ok(Outcome::new([distance].into_iter().chain(predecessor).collect(), iterations))
}

/// Distances that edges lower.
pub(crate) struct Relax<F> {
    /// Current distance of each vertex.
    pub(crate) distance: VertexValues<F>,
    negative: Refused,
    /// True if a sum exceeded the range.
    beyond: AtomicBool,
    /// Vertex whose final distance ends the search.
    target: Option<VertexId>,
    /// Direction of the lists that are followed.
    along: Direction,
    /// Greatest distance to search for.
    cutoff: f64,
}

impl<F: AtomicFloat> Relax<F> {
    /// Creates the state in which nothing is reached.
    pub(crate) fn new(engine: &Engine<'_>) -> Result<Self> {
        let unreached = |_| F::new(f64::INFINITY);
        Ok(Self::of(engine.vertex_values(unreached)?))
    }

    /// Creates the state from these initial distances.
    pub(crate) const fn of(distance: VertexValues<F>) -> Self {
        Self {
            distance,
            negative: Refused::new(),
            beyond: AtomicBool::new(false),
            target: None,
            along: Direction::Out,
            cutoff: f64::INFINITY,
        }
    }

    /// Ends the search as soon as the distance of `target` is final.
    #[must_use]
    pub(crate) fn until(self, target: VertexId) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Ignores distances above `cutoff`.
    #[must_use]
    pub(crate) fn up_to(self, cutoff: f64) -> Self {
        Self { cutoff, ..self }
    }

    /// Follows edges against their direction: distances are those to the sources.
    #[must_use]
    pub(crate) fn against(self) -> Self {
        Self { along: Direction::In, ..self }
    }

    /// Records an edge from `vertex` in the direction of the search.
    fn note(&self, refused: &Refused, vertex: VertexId, other: VertexId, weight: f64) {
        match self.along {
            Direction::Out => refused.note(vertex, other, weight),
            Direction::In => refused.note(other, vertex, weight),
        }
    }

    /// Serializes the state except distances.
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        self.visit_beyond(state)?;
        Ok(())
    }

    /// Lowers distances from `frontier`, with a checkpoint before each round; returns the number of rounds. If it
    /// `repairs` a result, counts the vertices of the rounds as touched.
    ///
    /// # Errors
    ///
    /// Returns the error that `refuse` creates from a negative edge, or an error under the same conditions as
    /// [`Relax::nearest`].
    pub(crate) fn lower(
        &self,
        engine: &Engine<'_>,
        frontier: VertexSet,
        width: Width,
        repairs: bool,
        refuse: &impl Fn(RefusedEdge) -> Error,
    ) -> Result<u32> {
        let begin_round = |rounds: &mut Rounds| {
            engine.touch(if repairs { rounds.near.len() as u64 } else { 0 });
            engine.checkpoint("distances", |state| {
                rounds.visit(state)?;
                self.visit(state)?;
                state.shared(&self.distance)
            })
        };
        let end_round = || {
            engine.end_iteration(None);
            self.negative.check(refuse)
        };
        self.nearest(engine, frontier, width, begin_round, end_round)
    }

    /// Serializes whether a sum exceeded the range.
    pub(crate) fn visit_beyond(&self, state: &mut State<'_>) -> Result<()> {
        let mut beyond = u32::from(self.beyond.load(Relaxed));
        state.number(&mut beyond)?;
        self.beyond.store(beyond > 0, Relaxed);
        Ok(())
    }

    /// Returns the error that `refuse` creates from an edge from a reached vertex to an unreached one, whose distance
    /// exceeds the range. With a cutoff, such a distance is ignored.
    pub(crate) fn check_beyond(&self, engine: &Engine<'_>, refuse: impl FnOnce(RefusedEdge) -> Error) -> Result<()> {
        if !self.beyond.load(Relaxed) || self.cutoff.is_finite() {
            return Ok(());
        }
        let _held = engine.budget().reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let reached = BitSet::empty(engine.vertices());
        let finite = |vertex: &VertexId| self.distance[*vertex as usize].load().is_finite();
        (0..engine.vertices()).filter(finite).for_each(|vertex| _ = reached.insert(vertex));
        let beyond = Beyond { relax: self, found: Refused::new() };
        engine.gather_over(&VertexSet::from_bits(reached), self.along, &beyond)?;
        beyond.found.check(refuse)
    }

    /// Resets the state such that only `sources` are reached; returns their frontier.
    pub(crate) fn begin(&self, engine: &Engine<'_>, sources: &[VertexId]) -> VertexSet {
        let unreached = |vertex: VertexId| self.distance[vertex as usize].store(f64::INFINITY);
        engine.workers().map_blocks(engine.vertices(), BLOCK, |block| block.iter().for_each(unreached));
        sources.iter().for_each(|source| self.distance[*source as usize].store(0.0));
        VertexSet::from_members(sources.to_vec(), engine.vertices())
    }

    /// Lowers distances from `sources`, the nearest bucket first, and calls `begin_round` before and `end_round` after
    /// each round; returns the number of rounds. A bucket of infinite width contains all vertices (Bellman-Ford).
    ///
    /// # Errors
    ///
    /// Returns the errors of `begin_round` and `end_round`, or an error if a read fails or the data is damaged, if the
    /// budget is too small, or if the run is interrupted.
    pub(crate) fn nearest(
        &self,
        engine: &Engine<'_>,
        sources: VertexSet,
        width: Width,
        begin_round: impl Fn(&mut Rounds) -> Result<()>,
        end_round: impl Fn() -> Result<()>,
    ) -> Result<u32> {
        let _held = engine.budget().reserve(BitSet::bytes(engine.vertices()), Purpose::Frontier)?;
        let mut piles = Piles { far: sources.into_bits(), limit: 0.0, width, target: self.target };
        let near = piles.next_bucket(engine, &self.distance, 0, u64::MAX)?;
        let mut under = Rounds { piles, near, number: 0 };
        let mut round = engine.figures();
        let mut bucket = (0, round.entries);
        while !under.near.is_empty() {
            begin_round(&mut under)?;
            let Rounds { piles, near, number } = &mut under;
            let fallen =
                engine.collect(|next| engine.gather_over(near, self.along, &Round { relax: self, piles, next }))?;
            end_round()?;
            *number += 1;
            *near = fallen;
            let now = engine.figures();
            let read = now - std::mem::replace(&mut round, now);
            if near.is_empty() {
                let (before, entries) = std::mem::replace(&mut bucket, (*number, round.entries));
                // In a run resumed from a checkpoint, the bucket started before.
                let rounds = number.saturating_sub(before);
                *near = piles.next_bucket(engine, &self.distance, rounds, round.entries - entries)?;
            } else if let Some(width) = piles.width.after_round(read.entries, read.bytes_read) {
                *near = piles.widen(engine, &self.distance, near, width)?;
            }
        }
        Ok(under.number)
    }
}

/// State of the rounds.
pub(crate) struct Rounds {
    piles: Piles,
    near: VertexSet,
    number: u32,
}

impl Rounds {
    /// Returns the propagating vertices.
    pub(crate) const fn near(&self) -> &VertexSet {
        &self.near
    }

    /// Serializes the state at the start of a round, except distances.
    fn visit(&mut self, state: &mut State<'_>) -> Result<()> {
        state.number(&mut self.number)?;
        state.frontier(&mut self.near)?;
        state.number(&mut self.piles.limit)?;
        state.number(&mut self.piles.width)?;
        state.members(&mut self.piles.far)
    }
}

/// Vertices beyond the nearest bucket (near and far piles: Davidson, Baxter, Garland, Owens, IPDPS 2014, section 4.3).
struct Piles {
    /// Vertices whose distances have fallen, but not below `limit`; and some that were added before they fell below it.
    far: BitSet,
    /// End of the nearest bucket.
    limit: f64,
    width: Width,
    /// Vertex whose final distance ends the search.
    target: Option<VertexId>,
}

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 14;

impl Piles {
    /// Advances to the next nonempty bucket, after one with the given numbers of rounds and entries; returns its
    /// vertices, or none if the distance of the target is final.
    fn next_bucket<F: AtomicFloat>(
        &mut self,
        engine: &Engine<'_>,
        distance: &[F],
        rounds: u32,
        entries: u64,
    ) -> Result<VertexSet> {
        let (far, workers, old) = (&self.far, engine.workers(), self.limit);
        let of = |vertex: VertexId| distance[vertex as usize].load();
        if self.target.is_some_and(|target| of(target) < old) {
            return Ok(VertexSet::empty(far.universe()));
        }
        let least_of = |block| {
            far.iter_range(block).fold((f64::INFINITY, 0), |(least, waiting), vertex| match of(vertex) {
                distance if distance < old => {
                    far.remove(vertex);
                    (least, waiting)
                }
                distance => (least.min(distance), waiting + 1),
            })
        };
        let blocks = workers.map_blocks(far.universe(), BLOCK, least_of);
        let (least, waiting) = blocks.into_iter().fold((f64::INFINITY, 0), |a, b| (f64::min(a.0, b.0), a.1 + b.1));
        self.width = self.width.after(rounds, entries, waiting);
        self.begin(engine, distance, least, None)
    }

    /// Extends the current bucket of `near` to the given `width`; returns its vertices.
    fn widen<F: AtomicFloat>(
        &mut self,
        engine: &Engine<'_>,
        distance: &[F],
        near: &VertexSet,
        width: Width,
    ) -> Result<VertexSet> {
        self.width = width;
        self.begin(engine, distance, self.limit, Some(near))
    }

    /// Makes the bucket that contains `least` the nearest one; returns its pending vertices, and those of `near`.
    fn begin<F: AtomicFloat>(
        &mut self,
        engine: &Engine<'_>,
        distance: &[F],
        least: f64,
        near: Option<&VertexSet>,
    ) -> Result<VertexSet> {
        let (width, old) = (self.width.now, self.limit);
        let limit = (((least / width).floor() + 1.0) * width).max(least.next_up());
        self.limit = limit;
        let far = &self.far;
        engine.collect(|next| {
            if let Some(near) = near {
                near.for_each(|vertex| next.add(vertex));
            }
            let move_near = |vertex: VertexId| {
                let distance = distance[vertex as usize].load();
                if distance < limit {
                    far.remove(vertex);
                    // A distance that fell below the old end is already in the bucket, or was propagated.
                    if distance >= old {
                        next.add(vertex);
                    }
                }
            };
            engine.workers().map_blocks(far.universe(), BLOCK, |block| far.iter_range(block).for_each(move_near));
            Ok(())
        })
    }
}

/// Program of a round: vertices of the nearest bucket lower the distances of their out-neighbors.
struct Round<'r, F> {
    relax: &'r Relax<F>,
    piles: &'r Piles,
    /// Receives the vertices of the nearest bucket whose distances have fallen since they were propagated.
    next: &'r FrontierBuilder,
}

/// Number of entries compared before distances are lowered.
const BATCH: usize = 64;

impl<F: AtomicFloat> Round<'_, F> {
    /// Lowers the distance of a target at the end of an edge.
    #[inline]
    fn lower(&self, near: Near, target: VertexId, weight: f64) {
        if weight < 0.0 {
            return self.relax.note(&self.relax.negative, near.vertex, target, weight);
        }
        let distance = near.distance + weight;
        if F::rounded(distance) > self.relax.cutoff {
            return;
        }
        if !self.relax.distance[target as usize].lower_to(distance) {
            return;
        }
        match F::rounded(distance) < self.piles.limit {
            true => self.next.add(target),
            false => _ = self.piles.far.insert(target),
        }
    }
}

/// Finds edges from reached to unreached vertices.
struct Beyond<'b, F> {
    relax: &'b Relax<F>,
    found: Refused,
}

impl<F: AtomicFloat> Gather for Beyond<'_, F> {
    type Sum = VertexId;

    fn begin(&self, vertex: VertexId) -> VertexId {
        vertex
    }

    fn gather(&self, source: &mut VertexId, piece: Neighbors<'_>) {
        for (place, target) in piece.ids().iter().enumerate() {
            if self.relax.distance[*target as usize].load().is_infinite() {
                let weight = piece.weights().map_or(1.0, |weights| weights[place]);
                self.relax.note(&self.found, *source, *target, weight);
            }
        }
    }

    fn apply(&self, _: VertexId, _: VertexId) {}
}

/// Vertex with a propagating distance.
#[derive(Clone, Copy)]
struct Near {
    vertex: VertexId,
    distance: f64,
}

impl<F: AtomicFloat> Gather for Round<'_, F> {
    type Sum = Near;

    /// Starts with the current distance: earlier decreases are thus propagated, and the vertex need not be in the next
    /// round.
    fn begin(&self, vertex: VertexId) -> Near {
        self.next.remove(vertex);
        Near { vertex, distance: self.relax.distance[vertex as usize].load() }
    }

    #[inline]
    fn gather(&self, near: &mut Near, piece: Neighbors<'_>) {
        let (mut start, mut beyond) = (0, false);
        while start < piece.len() {
            let ids = &piece.ids()[start..(start + BATCH).min(piece.len())];
            let weights = piece.weights().map(|weights| &weights[start..start + ids.len()]);
            let weight = |place: usize| weights.map_or(1.0, |weights| weights[place]);
            let (mut lower, mut count) = ([0_u8; BATCH], 0);
            for (place, target) in ids.iter().enumerate() {
                lower[count] = place as u8;
                let offered = F::rounded(near.distance + weight(place));
                beyond |= offered == f64::INFINITY;
                // A negative weight offers less than the distance of the vertex, or is lost in it.
                count += usize::from((offered < self.relax.distance[*target as usize].load()) | (weight(place) < 0.0));
            }
            lower[..count]
                .iter()
                .for_each(|place| self.lower(*near, ids[usize::from(*place)], weight(usize::from(*place))));
            start += BATCH;
        }
        if beyond {
            self.relax.beyond.store(true, Relaxed);
        }
    }

    fn apply(&self, _: VertexId, _: Near) {}
}
