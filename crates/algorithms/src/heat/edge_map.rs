//! Heat diffusion by sums over the lists of neighbors.
//!
//! Definition: see `gas.rs`. Temperatures differ from those of `gas.rs` by rounding.
//!
//! Paper: the discrete heat equation as in Kondor and Lafferty, Diffusion Kernels on Graphs, ICML 2002.
//!
//! Returns: `temperature` f64 in the unit of the input, never null.
//!
//! Memory: 20 bytes per vertex, 28 with a tolerance, three eighths of a byte of frontiers, and both indexes; in
//! directed graphs also the out-degrees (4 bytes). In-memory lists to merge out- and in-lists.
//!
//! Passes over the edges: one per step. In a step with few changed vertices, only the lists of their neighbors, and
//! those of the changed vertices to find them. No pass counts neighbors: the first step does.
//!
//! Deviations: a vertex keeps the sum of its neighbors' temperatures, which is computed again only if one of them has
//! changed. With a `tolerance`, heat flows by propagated temperatures, as in `gas.rs`. Lists are summed in their order,
//! in the pieces of the layout, so the result does not depend on threads. In directed graphs, lists that do not fit in
//! the in-memory space are summed in parts, and round differently.

use super::gas::{HeatParams, unstable};
use crate::AtomicFloat;
use crate::outcome::{Column, Outcome, Values};
use crate::session::BatchedLists;
use outcrop_engine::neighborhood::VisitNeighbors;
use outcrop_engine::{Engine, Gather, unrolled_sum};
use outcrop_store::access::Neighbors;
use outcrop_types::{BitSet, Direction, MemoryPlan, Purpose, Result, RunEnd, VertexId, VertexSet, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, including the initial temperatures but without the indexes, out-degrees
/// and in-memory lists.
pub fn memory(vertices: u32, tolerance: f64) -> MemoryPlan {
    let values = VertexValues::<f64>::bytes(u64::from(vertices)) * if tolerance > 0.0 { 3 } else { 2 };
    MemoryPlan::new()
        .with(Purpose::VertexValues, values + VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::Frontier, Engine::changed_bytes(vertices))
}

/// Performs steps from the temperatures of `start`; fewer if nothing changes any more. `directed` is `None` for an
/// undirected graph.
///
/// # Errors
///
/// Returns an error with the largest stable rate if the rate is not stable, or an error if a read fails or the data is
/// damaged, if the budget is too small, or if the run is interrupted.
pub fn heat(
    engine: &Engine<'_>,
    directed: Option<BatchedLists<'_>>,
    start: VertexValues<AtomicU64>,
    parameters: HeatParams,
) -> Result<Outcome> {
    let vertices = engine.vertices();
    let _frontiers = engine.budget().reserve(Engine::changed_bytes(vertices), Purpose::Frontier)?;
    let heat = Heat::new(engine, directed, start, parameters.tolerance)?;
    let (mut number, mut changed, mut known_rate) = (0, VertexSet::all(vertices), None);
    engine.set_end(RunEnd::Iterations { most: parameters.steps, tolerance: None });
    while number < parameters.steps && (parameters.tolerance > 0.0 || !changed.is_empty()) {
        engine.checkpoint("steps", |state| {
            state.number(&mut number)?;
            state.frontier(&mut changed)?;
            state.shared(&heat.degrees)?;
            state.shared(&heat.around)?;
            heat.sent.iter().try_for_each(|sent| state.shared(sent))?;
            state.shared(&heat.temperatures)
        })?;
        heat.sum(engine, &changed, number == 0)?;
        let rate = match known_rate {
            Some(rate) => rate,
            None => *known_rate.insert(heat.stable_rate(engine, parameters.rate)?),
        };
        let change;
        (change, changed) = heat.flow(engine, rate);
        number = engine.end_iteration(Some(change));
    }
    let temperatures = Values::Float64(heat.temperatures.map(AtomicU64::into_plain));
    Ok(Outcome::new(vec![Column::new("temperature", temperatures)], number))
}

/// State of the steps.
struct Heat<'g> {
    directed: Option<BatchedLists<'g>>,
    tolerance: f64,
    temperatures: VertexValues<AtomicU64>,
    /// Sums of the propagated temperatures of neighbors.
    around: VertexValues<AtomicU64>,
    /// Propagated temperatures; `None` without a tolerance, when all temperatures are propagated.
    sent: Option<VertexValues<AtomicU64>>,
    /// Numbers of neighbors, once they are known.
    degrees: VertexValues<AtomicU32>,
}

impl<'g> Heat<'g> {
    fn new(
        engine: &Engine<'_>,
        directed: Option<BatchedLists<'g>>,
        temperatures: VertexValues<AtomicU64>,
        tolerance: f64,
    ) -> Result<Self> {
        let around = engine.vertex_values(|_| AtomicFloat::new(0.0))?;
        let copy = || engine.vertex_values(|vertex| AtomicFloat::new(float(&temperatures, vertex)));
        let sent = (tolerance > 0.0).then(copy).transpose()?;
        let degrees = engine.vertex_values(|_| AtomicU32::new(0))?;
        Ok(Self { directed, tolerance, temperatures, around, sent, degrees })
    }

    /// Returns the temperatures that neighbors know.
    #[inline]
    fn known(&self) -> &[AtomicU64] {
        self.sent.as_ref().unwrap_or(&self.temperatures)
    }

    /// Sums temperatures for the neighbors of `changed`; for the `first` time also counts neighbors.
    fn sum(&self, engine: &Engine<'_>, changed: &VertexSet, first: bool) -> Result<()> {
        let sum = Sum { heat: self, known: self.known(), counts: first };
        let affected = engine.neighbors_of(changed)?;
        let Some(lists) = &self.directed else { return engine.gather_over(&affected, Direction::Out, &sum) };
        engine.vertex_map(&affected, |vertex| AtomicFloat::store(&self.around[vertex as usize], 0.0));
        engine.note_visit(Some(&affected));
        lists.neighborhoods.visit(&affected, &lists.space, |vertex| lists.stored_entries(vertex), &sum)
    }

    /// Returns the `given` rate, or the default; an error if it is not stable. Neighbors must have been counted.
    fn stable_rate(&self, engine: &Engine<'_>, given: Option<f64>) -> Result<f64> {
        let largest = f64::from(engine.maximum(|vertex| self.degrees[vertex as usize].load(Relaxed)));
        let rate = given.unwrap_or(1.0 / (1.0 + largest));
        if rate * largest > 1.0 { Err(unstable(rate, 1.0 / largest)) } else { Ok(rate) }
    }

    /// Performs a step; returns the total of absolute changes, and the vertices whose propagated temperature changes.
    fn flow(&self, engine: &Engine<'_>, rate: f64) -> (f64, VertexSet) {
        let changed = BitSet::empty(engine.vertices());
        let change = engine.sum(|vertex| {
            let place = vertex as usize;
            let (temperature, known) = (float(&self.temperatures, vertex), float(self.known(), vertex));
            let degree = f64::from(self.degrees[place].load(Relaxed));
            let next = temperature + rate * (float(&self.around, vertex) - degree * known);
            AtomicFloat::store(&self.temperatures[place], next);
            if (next - known).abs() > self.tolerance {
                changed.insert(vertex);
                self.sent.iter().for_each(|sent| AtomicFloat::store(&sent[place], next));
            }
            (next - temperature).abs()
        });
        (change, VertexSet::from_bits(changed))
    }
}

#[inline]
fn float(values: &[AtomicU64], vertex: VertexId) -> f64 {
    AtomicFloat::load(&values[vertex as usize])
}

/// Sums over distinct neighbors.
struct Sum<'h, 'g> {
    heat: &'h Heat<'g>,
    /// Temperatures that neighbors know.
    known: &'h [AtomicU64],
    /// True if neighbors are also counted.
    counts: bool,
}

/// Sum over a list of an undirected graph, in which duplicates are adjacent.
struct ListSum {
    vertex: VertexId,
    sum: f64,
    neighbors: u32,
    /// Last entry.
    last: Option<VertexId>,
}

impl Gather for Sum<'_, '_> {
    type Sum = ListSum;

    fn begin(&self, vertex: VertexId) -> ListSum {
        ListSum { vertex, sum: 0.0, neighbors: 0, last: None }
    }

    #[inline]
    fn gather(&self, list: &mut ListSum, piece: Neighbors<'_>) {
        let (ids, vertex, last) = (piece.ids(), list.vertex, list.last);
        let counts = |place: usize, id: VertexId| {
            let before = if place == 0 { last } else { Some(ids[place - 1]) };
            id != vertex && before != Some(id)
        };
        list.sum += unrolled_sum(ids, |place, id| if counts(place, id) { float(self.known, id) } else { 0.0 });
        if self.counts {
            list.neighbors += (0..).zip(ids).filter(|(place, id)| counts(*place, **id)).count() as u32;
        }
        list.last = ids.last().copied().or(last);
    }

    #[inline]
    fn apply(&self, vertex: VertexId, list: ListSum) {
        AtomicFloat::store(&self.heat.around[vertex as usize], list.sum);
        if self.counts {
            self.heat.degrees[vertex as usize].store(list.neighbors, Relaxed);
        }
    }
}

impl VisitNeighbors for Sum<'_, '_> {
    #[inline]
    fn keeps(&self, _: VertexId, _: VertexId) -> bool {
        true
    }

    /// Adds one neighbor after the other, so that sums do not depend on the parts.
    #[inline]
    fn neighbors(&self, vertex: VertexId, part: &[VertexId]) {
        let around = &self.heat.around;
        let sum = part.iter().fold(float(around, vertex), |sum, neighbor| sum + float(self.known, *neighbor));
        AtomicFloat::store(&around[vertex as usize], sum);
        if self.counts {
            self.heat.degrees[vertex as usize].fetch_add(part.len() as u32, Relaxed);
        }
    }
}
