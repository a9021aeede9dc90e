//! Heat diffusion along edges.
//!
//! Definition: explicit Euler steps of the heat equation on the graph, taken as undirected and simple, without weights:
//! x(t + 1, v) = x(t, v) + rate * sum over neighbors u of (x(t, u) - x(t, v)), from given initial temperatures. The sum
//! of all temperatures is constant. A rate is stable if rate times the largest degree is at most 1: temperatures then
//! stay between the initial minimum and maximum.
//!
//! Paper: the discrete heat equation as in Kondor and Lafferty, Diffusion Kernels on Graphs, ICML 2002; as a program on
//! edge values: Vora, Xu, Gupta, USENIX ATC 2016, table 1 (aggregation: sum).
//!
//! Returns: `temperature` f64 in the unit of the input, never null.
//!
//! Memory: 32 bytes per vertex in memory or on disk, the initial temperatures (8 bytes) in memory during the run, and
//! then the result (8 bytes). Edges: a change (8 bytes).
//!
//! Passes over the edges: one over all, to count neighbors; then those of the vertices whose temperature changes, once
//! per step.
//!
//! Deviations: edges carry changes, and a vertex tracks the sum of its neighbors' temperatures: a vertex whose
//! temperature does not change propagates nothing. With a `tolerance`, neither does one whose temperature has changed
//! by at most that amount since its last propagation, and heat flows by the propagated temperatures: their sum remains
//! constant, and each is off by at most twice the tolerance times the number of steps. With delays, heat flows by
//! temperatures that neighbors do not know yet: only without them are steps exact and the sum constant. Lists of edges
//! are summed in another order, and round differently. The default of `rate` is 1 / (1 + the largest degree).

use crate::AtomicFloat;
use crate::models::Place;
use crate::models::gas::{BadValue, GasWork, refuse_any, requirements};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasStep, GasVertex, OutEdge, Totals};
use outcrop_types::{Error, Result, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatParams {
    /// Fraction of the difference between two neighbors that flows per step, greater than 0.
    pub rate: Option<f64>,
    /// Number of steps.
    pub steps: u32,
    /// Changes of temperature that are withheld until they add up, at least 0.
    pub tolerance: f64,
}

/// Maximum temperature: larger ones are refused, since sums over all neighbors would be infinite.
pub const HOTTEST: f64 = 1e290;

/// Returns the needs of the program.
pub const fn work(place: Place) -> GasWork {
    GasWork::new(requirements::<Diffusion<'_>>(place, Directions::Both), 8)
}

/// Performs steps from the temperatures of `start`; fewer if nothing changes any more.
///
/// # Errors
///
/// Returns an error with the largest stable rate if the rate is not stable, the error that `refuse` creates from a
/// temperature that is NaN or beyond [`HOTTEST`], or an error if a read fails or the data is damaged, if the budget is
/// too small, if the disk is full, or if the run is interrupted.
pub fn heat(
    engine: &GasEngine<'_>,
    start: VertexValues<f64>,
    parameters: HeatParams,
    refuse: impl Fn(BadValue) -> Error,
) -> Result<Outcome> {
    refuse_any(&start, |temperature| temperature.abs() <= HOTTEST, refuse)?;
    let diffusion = Diffusion::new(&start, parameters);
    let ran = engine.run(&diffusion, diffusion.last)?;
    if let Some(largest) = diffusion.unstable() {
        return Err(unstable(parameters.rate.unwrap_or(largest), largest));
    }
    drop(start);
    let temperatures = engine.project(&ran.values, |[temperature, ..]: State| temperature)?;
    let columns = vec![Column::new("temperature", temperatures.into())];
    Ok(Outcome::new(columns, ran.iterations.saturating_sub(1)))
}

/// Returns the error for a `rate` beyond the `largest` stable one.
pub(super) fn unstable(rate: f64, largest: f64) -> Error {
    Error::Usage(format!(
        "--rate {rate} is unstable: temperatures would diverge at the vertex with {} neighbors; the largest stable rate of this graph is {largest}",
        (1.0 / largest).round()
    ))
}

/// Temperature; sum of those propagated by neighbors; propagated temperature; number of neighbors.
pub type State = [f64; 4];

/// Total of absolute changes.
const CHANGE: usize = 0;

/// Iteration in which neighbors are counted; those after it are steps.
const COUNTING: u32 = 1;

/// Program of heat diffusion.
#[derive(Debug)]
pub struct Diffusion<'s> {
    start: &'s [f64],
    /// Last iteration.
    last: u32,
    tolerance: f64,
    given: Option<f64>,
    rate: AtomicU64,
    largest_degree: AtomicU32,
}

impl<'s> Diffusion<'s> {
    /// Creates the program from the initial temperatures `start`, one per vertex.
    pub fn new(start: &'s [f64], parameters: HeatParams) -> Self {
        let last = if parameters.steps == 0 { 0 } else { parameters.steps.saturating_add(COUNTING) };
        let (tolerance, given) = (parameters.tolerance, parameters.rate);
        Self { start, last, tolerance, given, rate: AtomicFloat::new(0.0), largest_degree: AtomicU32::new(0) }
    }

    /// Returns the number of iterations of all steps, including the one that counts neighbors.
    pub const fn iterations(&self) -> u32 {
        self.last
    }

    /// Returns the largest stable rate, if a larger one was requested.
    pub fn unstable(&self) -> Option<f64> {
        let degree = f64::from(self.largest_degree.load(Relaxed));
        (self.given? * degree > 1.0).then_some(1.0 / degree)
    }
}

impl GasProgram for Diffusion<'_> {
    type Value = State;
    /// Change of the temperature of the source.
    type Edge = f64;
    /// Sum of temperatures, and the number of edges that contributed.
    type Sum = (f64, u32);
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::Sum;
    const CONTINUES: bool = true;

    /// Starts every vertex as propagating, so that its neighbors count it.
    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (State, Option<f64>) {
        let temperature = self.start[vertex.id as usize];
        ([temperature, 0.0, 0.0, 0.0], Some(0.0))
    }

    #[inline]
    fn extract(&self, _: GasVertex, [_, around, ..]: &State) -> Option<(f64, u32)> {
        Some((*around, 0))
    }

    #[inline]
    fn gather(&self, sum: Option<(f64, u32)>, change: f64) -> (f64, u32) {
        // Default: the first change starts the sum.
        let (around, edges) = sum.unwrap_or_default();
        (around + change, edges + 1)
    }

    #[inline]
    fn apply(&self, vertex: GasVertex, old: &State, sum: Option<(f64, u32)>) -> State {
        let [temperature, known, sent, degree] = *old;
        let (around, edges) = sum.unwrap_or((known, 0));
        if vertex.iteration <= COUNTING {
            self.largest_degree.fetch_max(edges, Relaxed);
            return [temperature, around, sent, f64::from(edges)];
        }
        // The flows in both directions of an edge are opposite: both ends know the propagated temperatures.
        let flows = AtomicFloat::load(&self.rate) * (around - degree * sent);
        [temperature + flows, around, sent, degree]
    }

    #[inline]
    fn change(&self, vertex: GasVertex, old: &State, new: &mut State, totals: &mut Totals) -> Option<f64> {
        totals[CHANGE] += (new[0] - old[0]).abs();
        let unsent = new[0] - new[2];
        if unsent.abs() <= self.tolerance || vertex.iteration >= self.last {
            return None;
        }
        new[2] = new[0];
        Some(unsent)
    }

    #[inline]
    fn scatter(&self, _: GasVertex, _: &State, change: f64, _: OutEdge<f64>) -> f64 {
        change
    }

    /// Returns true with a tolerance: a withheld change of temperature takes effect nevertheless.
    fn everywhere(&self) -> bool {
        self.tolerance > 0.0
    }

    fn continues(&self, ended: &GasStep) -> bool {
        if ended.iteration == COUNTING {
            let degree = f64::from(self.largest_degree.load(Relaxed));
            AtomicFloat::store(&self.rate, self.given.unwrap_or(1.0 / (1.0 + degree)));
        }
        self.unstable().is_none()
    }

    fn visit(&self, state: &mut outcrop_engine::State<'_>) -> Result<()> {
        state.shared(std::slice::from_ref(&self.rate))?;
        state.shared(std::slice::from_ref(&self.largest_degree))
    }

    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        (ended.iteration > COUNTING).then_some(ended.totals[CHANGE])
    }
}
