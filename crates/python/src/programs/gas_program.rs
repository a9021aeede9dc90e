//! Gather-apply-scatter programs on arrays, on the gas engine.

use super::functions::Functions;
use numpy::{IntoPyArray, PyReadonlyArray1};
use outcrop::Result;
use outcrop::engine::{
    Aggregation, EdgeBatch, GasProgram, GasStep, GasVertex, IdOrder, OutEdge, Totals, VertexId, VertexRange,
};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Running program. All vertices apply in iteration 1, and then those with an edge that received a value.
pub(super) struct ArrayProgram<'r, const REVERSE: bool> {
    functions: &'r Functions,
    ranks: IdOrder<'r>,
    initial: &'r [f64],
    tolerance: f64,
    /// Largest change of a value in an iteration, as bits.
    largest: AtomicU64,
    everywhere: AtomicBool,
}

impl<'r, const REVERSE: bool> ArrayProgram<'r, REVERSE> {
    pub(super) fn new(functions: &'r Functions, ranks: IdOrder<'r>, initial: &'r [f64], tolerance: f64) -> Self {
        let (largest, everywhere) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { functions, ranks, initial, tolerance, largest, everywhere }
    }

    /// Returns the combination of no edge values.
    fn nothing(&self) -> f64 {
        match self.functions.combine() {
            Aggregation::Min => f64::INFINITY,
            Aggregation::Max => f64::NEG_INFINITY,
            Aggregation::Product => 1.0,
            _ => 0.0,
        }
    }
}

impl<const REVERSE: bool> GasProgram for ArrayProgram<'_, REVERSE> {
    type Value = f64;
    type Edge = f64;
    type Sum = f64;
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::None;
    const KEEPS_EDGES: bool = REVERSE;
    const BATCH: usize = 1 << 14;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (f64, Option<f64>) {
        let value = self.initial[vertex.id as usize];
        (value, Some(value))
    }

    #[inline]
    fn gather(&self, sum: Option<f64>, edge: f64) -> f64 {
        sum.map_or(edge, |sum| self.functions.combine().of(sum, edge))
    }

    fn apply_batch(
        &self,
        range: VertexRange,
        positions: &[u32],
        values: &[f64],
        sums: &mut [Option<f64>],
    ) -> Result<()> {
        if positions.is_empty() {
            return Ok(());
        }
        self.functions.call(|py| {
            let of = |get: &dyn Fn(usize) -> f64| positions.iter().map(|at| get(*at as usize)).collect::<Vec<_>>();
            let old = of(&|at| values[at]).into_pyarray(py);
            let gathered = of(&|at| sums[at].unwrap_or_else(|| self.nothing())).into_pyarray(py);
            let rows: Vec<u32> = positions.iter().map(|at| self.ranks.of(range.start + at)).collect();
            let new = self.functions.apply().bind(py).call1((old, gathered, rows.into_pyarray(py)))?;
            let new: PyReadonlyArray1<'_, f64> = new.extract()?;
            for (at, value) in positions.iter().zip(new.as_slice()?) {
                sums[*at as usize] = Some(*value);
            }
            Ok(())
        })
    }

    fn apply(&self, _: GasVertex, old: &f64, sum: Option<f64>) -> f64 {
        sum.unwrap_or(*old)
    }

    fn change(&self, _: GasVertex, old: &f64, new: &mut f64, _: &mut Totals) -> Option<f64> {
        if new == old {
            return None;
        }
        self.largest.fetch_max((*new - *old).abs().to_bits(), Relaxed);
        Some(*new)
    }

    fn scatter(&self, _: GasVertex, _: &f64, change: f64, _: OutEdge<f64>) -> f64 {
        change
    }

    fn scatter_batch(&self, edges: EdgeBatch<'_, f64>, values: &mut [f64]) -> Result<()> {
        self.functions.call(|py| {
            let rows = |ids: &[VertexId]| {
                edges.positions.iter().map(|at| self.ranks.of(ids[*at as usize])).collect::<Vec<_>>().into_pyarray(py)
            };
            let pick =
                |of: &[f64]| edges.positions.iter().map(|at| of[*at as usize]).collect::<Vec<_>>().into_pyarray(py);
            let reverse = REVERSE.then(|| {
                let value = |edge: &Option<_>| edge.map_or(f64::NAN, |edge: outcrop::engine::Reverse<f64>| edge.value);
                edges.reverse.iter().map(value).collect::<Vec<_>>().into_pyarray(py)
            });
            let (sources, targets) = (rows(&edges.arcs.sources), rows(&edges.arcs.targets));
            let weights = (!edges.arcs.weights.is_empty()).then(|| pick(&edges.arcs.weights));
            let sent = values.to_vec().into_pyarray(py);
            let given = (sent, sources, targets, weights, pick(edges.previous), reverse);
            let new = self.functions.scatter().bind(py).call1(given)?;
            let new: PyReadonlyArray1<'_, f64> = new.extract()?;
            for (value, new) in values.iter_mut().zip(new.as_slice()?) {
                *value = *new;
            }
            Ok(())
        })
    }

    fn everywhere(&self) -> bool {
        self.everywhere.load(Relaxed)
    }

    fn continues(&self, ended: &GasStep) -> bool {
        self.everywhere.store(ended.iteration == 0, Relaxed);
        let largest = f64::from_bits(self.largest.swap(0, Relaxed));
        ended.iteration == 0 || largest > self.tolerance
    }

    fn change_of(&self, _: &GasStep) -> Option<f64> {
        Some(f64::from_bits(self.largest.load(Relaxed)))
    }
}
