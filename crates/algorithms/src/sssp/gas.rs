//! Weighted shortest paths from one or several sources, on edge values.
//!
//! Definition: as in `edge_map.rs` and, for predecessors, `predecessors.rs`, with the same results. Weights must not be
//! negative.
//!
//! Paper: Vora, Xu, Gupta, USENIX ATC 2016 (multiple-source shortest paths; table 1, aggregation: min): a vertex whose
//! distance has fallen writes its offers to its out-edges (Bellman-Ford).
//!
//! Returns: `distance` (f64 or f32, in the unit of the weights) and, if requested, `predecessor` as an original ID;
//! null if unreached, and for the sources' predecessors.
//!
//! Memory: 16 bytes per vertex (12 with single precision) in memory or on disk, and at the end, when columns are
//! created, 12 more (8); in stores of another order the ranks (4 bytes) in memory. Edges: 16 bytes (12 with single
//! precision).
//!
//! Passes over the edges: those of a vertex for each iteration in which its distance or its level falls.
//!
//! Deviations: predecessors are computed in the same passes, requested or not. For that a vertex also has a *level*: 0
//! if a shorter distance leads to it, otherwise one more than that of its predecessor, which is the round of
//! `predecessors.rs` in which it gets one. Of the negative edges that leave reached vertices and are found first, the
//! one with the smallest ends is reported.

use crate::models::Place;
use crate::models::gas::{GasWork, requirements};
use crate::models::interval::{Real, nodes};
use crate::outcome::{Column, Outcome};
use crate::weights::{Refused, RefusedEdge};
use crate::{IdOrder, UNREACHED};
use outcrop_engine::{Directions, Plain};
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasRequirements, GasStep, GasVertex, OutEdge, Totals};
use outcrop_types::{Error, Result, VertexId};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns the needs of the program with distances of `F`, with or without `predecessors` in the result.
pub const fn work<F: Length>(place: Place, predecessors: bool) -> GasWork {
    let requirements =
        GasRequirements { weighted: place.weighted, ..requirements::<Paths<'_, F>>(place, Directions::Out) };
    GasWork::new(requirements, F::BYTES + if predecessors { 4 } else { 0 })
}

/// Lowers distances from `sources` until nothing changes, and returns predecessors if `ranks` are given. Refuses only
/// negative edges that leave reached vertices.
///
/// # Errors
///
/// Returns the error that `refuse` creates from a negative edge or from an edge to a vertex whose distance exceeds the
/// range, or an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if
/// the run is interrupted.
pub fn sssp<F: Length>(
    engine: &GasEngine<'_>,
    sources: &[VertexId],
    ranks: Option<IdOrder<'_>>,
    refuse: impl Fn(RefusedEdge) -> Error,
) -> Result<Outcome> {
    // The choice among predecessors does not matter if they are not part of the result.
    let paths = Paths::<F>::new(sources, ranks.unwrap_or(IdOrder(None)));
    let ran = engine.run(&paths, u32::MAX)?;
    paths.negative.check(&refuse)?;
    let beyond = AtomicBool::new(false);
    let distances = engine.project(&ran.values, |found: F::Packed| {
        let found = F::unpack(found);
        if found.is_beyond() {
            beyond.store(true, Relaxed);
        }
        found.distance
    })?;
    if beyond.into_inner() {
        paths.beyond.check(refuse)?;
    }
    let distance = Column::new("distance", F::values(distances));
    let predecessor = match ranks {
        Some(_) => Some(engine.project(&ran.values, |found: F::Packed| F::unpack(found).predecessor)?),
        None => None,
    };
    let predecessor = predecessor.map(|found| Column::new("predecessor", nodes(found)));
    Ok(Outcome::new([distance].into_iter().chain(predecessor).collect(), ran.iterations))
}

/// State of a vertex, or offer to one: of two, the one that `leads` is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SsspState<F> {
    /// Distance; infinite if unreached.
    pub distance: F,
    /// Number of zero-length edges after the last edge of positive length.
    pub level: u32,
    /// Rank of the predecessor.
    pub predecessor: u32,
}

impl<F: Real> SsspState<F> {
    fn nowhere() -> Self {
        Self { distance: F::of(f64::INFINITY), level: UNREACHED, predecessor: UNREACHED }
    }

    /// Creates a distance beyond the range, after the vertex with this rank: better than [`SsspState::nowhere`], and
    /// never propagated.
    fn beyond(predecessor: u32) -> Self {
        Self { level: 0, predecessor, ..Self::nowhere() }
    }

    fn is_beyond(self) -> bool {
        self.distance.get().is_infinite() && self.level == 0
    }

    /// Returns true if it is better than `other`.
    fn leads(self, other: Self) -> bool {
        let ends = |found: Self| (found.level, found.predecessor);
        self.distance < other.distance || self.distance == other.distance && ends(self) < ends(other)
    }

    fn better(self, other: Self) -> Self {
        if other.leads(self) { other } else { self }
    }
}

/// Distances as plain bytes, with their additional data.
pub trait Length: Real {
    /// A [`SsspState`].
    type Packed: Plain;
    /// Encodes a [`SsspState`] as bytes.
    fn pack(found: SsspState<Self>) -> Self::Packed;
    /// Decodes a [`SsspState`] from bytes.
    fn unpack(packed: Self::Packed) -> SsspState<Self>;
}

impl Length for f32 {
    type Packed = [u32; 3];

    #[inline]
    fn pack(found: SsspState<Self>) -> [u32; 3] {
        [found.distance.to_bits(), found.level, found.predecessor]
    }

    #[inline]
    fn unpack([distance, level, predecessor]: [u32; 3]) -> SsspState<Self> {
        SsspState { distance: Self::from_bits(distance), level, predecessor }
    }
}

impl Length for f64 {
    type Packed = [u64; 2];

    #[inline]
    fn pack(found: SsspState<Self>) -> [u64; 2] {
        [found.distance.to_bits(), u64::from(found.level) << 32 | u64::from(found.predecessor)]
    }

    #[inline]
    fn unpack([distance, ends]: [u64; 2]) -> SsspState<Self> {
        SsspState { distance: Self::from_bits(distance), level: (ends >> 32) as u32, predecessor: ends as u32 }
    }
}

/// Program of decreasing path lengths.
#[derive(Debug)]
pub struct Paths<'r, F> {
    /// Sources, ascending.
    sources: Vec<VertexId>,
    ranks: IdOrder<'r>,
    negative: Refused,
    /// Receives edges to distances beyond the range.
    beyond: Refused,
    distances: PhantomData<fn() -> F>,
}

impl<'r, F> Paths<'r, F> {
    /// Creates the program for a search from `sources`.
    pub fn new(sources: &[VertexId], ranks: IdOrder<'r>) -> Self {
        let mut sources = sources.to_vec();
        sources.sort_unstable();
        Self { sources, ranks, negative: Refused::new(), beyond: Refused::new(), distances: PhantomData }
    }

    /// Returns the negative edge that ended the run.
    pub fn negative(&self) -> Option<RefusedEdge> {
        self.negative.edge()
    }
}

impl<F: Length> GasProgram for Paths<'_, F> {
    type Value = F::Packed;
    /// Offer to the target.
    type Edge = F::Packed;
    type Sum = SsspState<F>;
    type Change = F;

    const AGGREGATION: Aggregation = Aggregation::Min;
    const TAKES_ARRIVALS: bool = true;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (F::Packed, Option<F>) {
        match self.sources.binary_search(&vertex.id) {
            Ok(_) => (F::pack(SsspState { distance: F::of(0.0), level: 0, predecessor: UNREACHED }), Some(F::of(0.0))),
            Err(_) => (F::pack(SsspState::nowhere()), None),
        }
    }

    #[inline]
    fn gather(&self, sum: Option<SsspState<F>>, offered: F::Packed) -> SsspState<F> {
        let offered = F::unpack(offered);
        sum.map_or(offered, |sum| sum.better(offered))
    }

    #[inline]
    fn apply(&self, _: GasVertex, old: &F::Packed, sum: Option<SsspState<F>>) -> F::Packed {
        sum.map_or(*old, |sum| F::pack(F::unpack(*old).better(sum)))
    }

    #[inline]
    fn change(&self, _: GasVertex, old: &F::Packed, new: &mut F::Packed, _: &mut Totals) -> Option<F> {
        let (old, new) = (F::unpack(*old), F::unpack(*new));
        let better = new.distance < old.distance || new.level < old.level;
        (better && new.distance.get().is_finite()).then_some(new.distance)
    }

    /// The value may be newer than the change, and then is better.
    #[inline]
    fn scatter(&self, vertex: GasVertex, value: &F::Packed, _: F, edge: OutEdge<F::Packed>) -> F::Packed {
        if edge.weight < 0.0 {
            self.negative.note(vertex.id, edge.target, edge.weight);
            return F::pack(SsspState::nowhere());
        }
        let found = F::unpack(*value);
        let distance = F::of(found.distance.get() + edge.weight);
        if !distance.get().is_finite() {
            self.beyond.note(vertex.id, edge.target, edge.weight);
            return F::pack(SsspState::beyond(self.ranks.of(vertex.id)));
        }
        let level = if found.distance < distance { 0 } else { found.level + 1 };
        F::pack(SsspState { distance, level, predecessor: self.ranks.of(vertex.id) })
    }

    fn initial_change(&self, _: GasVertex, value: &F::Packed) -> Option<F> {
        let distance = F::unpack(*value).distance;
        distance.get().is_finite().then_some(distance)
    }

    fn continues(&self, _: &GasStep) -> bool {
        self.negative().is_none()
    }
}
