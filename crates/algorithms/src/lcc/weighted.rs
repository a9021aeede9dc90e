//! Weighted local clustering coefficients of undirected graphs.
//!
//! Definition: that of NetworkX (Saramäki et al., Physical Review E 75, 2007; Onnela et al., Physical Review E 71,
//! 2005). Weights are divided by the largest weight of the graph, including loops. The coefficient of a vertex is the
//! sum, over the triangles through it, of the geometric means of their three weights, divided by the number of pairs of
//! its neighbors. Loops form no triangles; among duplicate edges the smallest weight counts, also for the largest
//! weight of the graph (NetworkX has no coefficient for graphs with duplicate edges). If all weights are 0, so are all
//! coefficients. Weights must not be negative.
//!
//! Paper: triangles as in `triangles/oriented.rs`, with the cube root of the weight stored with each edge.
//!
//! Returns: `clustering` f64 from 0 to 1, never null.
//!
//! Memory: 24 bytes per vertex, the index, and in-memory lists as for `triangles` with 8 more bytes per edge.
//!
//! Passes over the edges: one to find the largest weight, then as for `triangles`.
//!
//! Deviations: the share of each triangle is rounded down to a multiple of 2^-88, so that the result depends neither on
//! threads nor on memory; this changes a coefficient by less than 1e-26. The result depends on the order of the store
//! by rounding of double precision.

use crate::outcome::{Column, InMemoryListBytes, Outcome, Values};
use crate::triangles::oriented::{self, Order, Progress, Shares, Triangles};
use crate::weights::{Refused, RefusedEdge};
use outcrop_engine::neighborhood::{NeighborhoodBuffer, Neighborhoods};
use outcrop_engine::{Engine, Gather, State};
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, Error, MemoryPlan, Purpose, Result, VertexId, VertexRange, VertexValues};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Returns the memory for `vertices` vertices, including one array of degrees but without the index and in-memory
/// lists.
pub fn memory(vertices: u32) -> MemoryPlan {
    let (sums, numbers) = (ShareSums::bytes(vertices), VertexValues::<u32>::bytes(u64::from(vertices)));
    MemoryPlan::new().with(Purpose::VertexValues, sums + numbers).with(Purpose::Degrees, numbers)
}

/// Returns the memory of in-memory lists.
pub const fn in_memory_list_bytes(vertices: u32, arcs: u64, slots: usize) -> InMemoryListBytes {
    oriented::in_memory_list_bytes::<GeometricMeans<'_>>(vertices, arcs, slots)
}

/// Computes coefficients of an undirected graph, with `held` bytes for lists; `entries` are the numbers of list
/// entries.
///
/// # Errors
///
/// Returns the error that `refuse` creates from a negative edge, or an error if a read fails or the data is damaged, if
/// the budget is too small, or if the run is interrupted.
pub fn clustering(
    engine: &Engine<'_>,
    neighborhoods: &Neighborhoods<'_>,
    entries: &VertexValues<u32>,
    held: u64,
    refuse: impl FnOnce(RefusedEdge) -> Error,
) -> Result<Outcome> {
    let largest = Largest::default();
    engine.gather_along(Direction::Out, &largest)?;
    largest.negative.check(refuse)?;
    let sums = ShareSums::new(engine)?;
    let zero = |_| AtomicU32::new(0);
    let degrees = VertexValues::new(engine.budget(), Purpose::VertexValues, engine.vertices() as usize, zero)?;
    let shares = GeometricMeans { sums: &sums, largest: f64::from_bits(largest.bits.into_inner()) };
    let search = Triangles { entries, shares, degrees: Some(&degrees) };
    let mut progress = Progress::none(u32::MAX);
    search.checkpoint(engine, &mut progress)?;
    let iterations = search.find(engine, neighborhoods, held, progress)?;
    let coefficients = sums.into_values(|vertex, sum| match u64::from(degrees[vertex].load(Relaxed)) {
        0 | 1 => 0.0,
        degree => 2.0 * sum / (degree * (degree - 1)) as f64,
    });
    Ok(Outcome::new(vec![Column::new("clustering", Values::Float64(coefficients))], iterations))
}

/// Finds the largest weight (among duplicate edges only the smallest counts) and edges with negative weights.
#[derive(Default)]
struct Largest {
    /// The bits of nonnegative floats are in the order of the floats.
    bits: AtomicU64,
    negative: Refused,
}

/// Largest weight in a list so far, and its last neighbor.
struct LargestOf {
    vertex: VertexId,
    largest: f64,
    /// Last neighbor, and the smallest weight of its edges so far.
    last: Option<(VertexId, f64)>,
}

impl LargestOf {
    /// Processes an edge to a different neighbor than the last, or the end.
    fn begin(&mut self, next: Option<(VertexId, f64)>) {
        // 0 is not replaced by -0.
        if let Some((_, weight)) = std::mem::replace(&mut self.last, next)
            && weight > self.largest
        {
            self.largest = weight;
        }
    }
}

impl Gather for Largest {
    type Sum = LargestOf;

    fn begin(&self, vertex: VertexId) -> LargestOf {
        LargestOf { vertex, largest: 0.0, last: None }
    }

    #[inline]
    fn gather(&self, of: &mut LargestOf, piece: Neighbors<'_>) {
        _ = piece.try_for_each(|neighbor, weight| {
            if weight < 0.0 {
                self.negative.note(of.vertex, neighbor, weight);
            }
            match &mut of.last {
                Some((last, least)) if *last == neighbor => *least = weight.min(*least),
                _ => of.begin(Some((neighbor, weight))),
            }
            ControlFlow::Continue(())
        });
    }

    fn apply(&self, _: VertexId, mut of: LargestOf) {
        of.begin(None);
        self.bits.fetch_max(of.largest.to_bits(), Relaxed);
    }
}

/// Shares of triangles: the geometric means of their weights, from the cube roots of the weights.
struct GeometricMeans<'t> {
    sums: &'t ShareSums,
    /// Largest weight.
    largest: f64,
}

impl Shares for GeometricMeans<'_> {
    type Edge = f64;
    /// Share, as a multiple of 2^-88.
    type Share = u128;
    type Sum = u128;

    const EDGE_ENTRIES: u64 = 1 + NeighborhoodBuffer::VALUE_ENTRIES;

    fn load(
        &self,
        neighborhoods: &Neighborhoods<'_>,
        start: VertexId,
        space: &NeighborhoodBuffer,
        order: &Order<'_>,
    ) -> Result<VertexRange> {
        let root = |weight: f64| if weight > 0.0 { (weight / self.largest).cbrt() } else { 0.0 };
        neighborhoods.load_values(start, space, order, &root)
    }

    #[inline]
    fn length(&self, space: &NeighborhoodBuffer, position: usize) -> usize {
        space.values(position).len()
    }

    #[inline]
    fn for_each_below(
        &self,
        end: VertexId,
        space: &NeighborhoodBuffer,
        position: usize,
        mut take: impl FnMut(VertexId, f64),
    ) {
        let values = space.values(position);
        values.iter().take_while(|(neighbor, _)| *neighbor < end).for_each(|(neighbor, root)| take(neighbor, root));
    }

    #[inline]
    fn shares(lower: f64, long: f64, upper: f64) -> [u128; 3] {
        [(lower * long * upper * ONE) as u128; 3]
    }

    type Room = ();

    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.shared(&self.sums.low)?;
        state.shared(&self.sums.high)
    }

    #[inline]
    fn add(&self, vertex: VertexId, sum: u128) {
        if sum > 0 {
            self.sums.add(vertex, sum);
        }
    }
}

/// Sums of shares from 0 to 1 as integer multiples of 2^-88, which are independent of the order. Up to 2^40 shares fit.
struct ShareSums {
    /// Lower 64 bits of each sum.
    low: VertexValues<AtomicU64>,
    /// Upper bits of each sum.
    high: VertexValues<AtomicU64>,
}

/// A share of 1.
const ONE: f64 = (1_u128 << 88) as f64;

impl ShareSums {
    /// Returns the memory for `vertices` vertices, in bytes.
    const fn bytes(vertices: u32) -> u64 {
        2 * VertexValues::<u64>::bytes(vertices as u64)
    }

    fn new(engine: &Engine<'_>) -> Result<Self> {
        let zeros = || {
            let count = engine.vertices() as usize;
            VertexValues::new(engine.budget(), Purpose::VertexValues, count, |_| AtomicU64::new(0))
        };
        Ok(Self { low: zeros()?, high: zeros()? })
    }

    fn add(&self, vertex: VertexId, amount: u128) {
        let at = vertex as usize;
        // The one thread whose amount overflows the lower bits adds the carry.
        let low = amount as u64;
        let carry = self.low[at].fetch_add(low, Relaxed).checked_add(low).is_none();
        let high = (amount >> 64) as u64 + u64::from(carry);
        if high > 0 {
            self.high[at].fetch_add(high, Relaxed);
        }
    }

    /// Maps each vertex and its sum to a value with `change`.
    fn into_values(self, mut change: impl FnMut(usize, f64) -> f64) -> VertexValues<f64> {
        let Self { low, high } = self;
        map_numbered(low, |vertex, low| {
            let amount = u128::from(high[vertex].load(Relaxed)) << 64 | u128::from(low.into_inner());
            change(vertex, amount as f64 / ONE)
        })
    }
}

/// Maps the position of each value and the value with `change`.
fn map_numbered<T, U>(values: VertexValues<T>, mut change: impl FnMut(usize, T) -> U) -> VertexValues<U> {
    let mut next = 0;
    values.map(|value| {
        let vertex = next;
        next += 1;
        change(vertex, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::MemoryBudget;

    #[test]
    fn shares_are_carried_from_the_lower_to_the_upper_half() {
        let budget = MemoryBudget::new(1 << 20);
        let zeros = || VertexValues::new(&budget, Purpose::VertexValues, 2, |_| AtomicU64::new(0)).unwrap();
        let sums = ShareSums { low: zeros(), high: zeros() };
        let shares = [1.0, 0.3, 1e-12, 5e5, 0.7, 2.0_f64.powi(-24), 1.0 - f64::EPSILON];
        for _ in 0..1000 {
            shares.iter().for_each(|share| sums.add(1, (*share * ONE) as u128));
        }
        let expected = 1000.0 * shares.iter().sum::<f64>();
        let found: Vec<_> = sums.into_values(|_, sum| sum).iter().copied().collect();
        assert_eq!(found[0], 0.0);
        assert!((found[1] - expected).abs() <= 1e-12 * expected, "{found:?}, expected {expected}");
    }
}
