//! Heat that flows along edges.
//!
//! Definition: explicit Euler steps of the heat equation on the graph, taken as undirected and simple, without weights:
//! x(t + 1, v) = x(t, v) + rate * sum over neighbours u of (x(t, u) - x(t, v)), from given temperatures on. The sum of
//! all temperatures stays the same. A rate is stable where rate times the largest degree is at most 1: temperatures
//! then stay between the lowest and the highest of the beginning. Paper: the discrete heat equation as in Kondor and
//! Lafferty, Diffusion Kernels on Graphs, ICML 2002; as a program on values of edges: Vora, Xu, Gupta, USENIX ATC 2016,
//! table 1 (aggregation: sum). Returns: `temperature` f64 in the unit of the start, never null. Memory: 32 bytes a
//! vertex in memory or on disk, the temperatures of the start (8 bytes) in memory while it runs, and then the result (8
//! bytes). Edges: a change (8 bytes). Passes over the edges: one in which neighbours are counted, all; then those of
//! the vertices whose temperature changes, once a step. Deviations: edges carry changes, and a vertex keeps the sum of
//! its neighbours' temperatures: one whose temperature does not change hands on nothing. With a `tolerance`, neither
//! does one whose temperature has changed by that much or less since it last did, and heat flows by the temperatures
//! that were handed on: their sum still stays the same, and each is off by at most twice the tolerance times the number
//! of steps. With delays heat flows by temperatures that neighbours do not know of yet: without them only are steps
//! exact, and does the sum stay the same. Lists of edges add up in another order, and round otherwise. The default of
//! `rate` is 1 / (1 + the largest degree).

use crate::AtomicFloat;
use crate::models::Place;
use crate::models::gas::{BadValue, Work, refuse_any, requirements};
use crate::outcome::{Column, Outcome};
use outcrop_engine::Directions;
use outcrop_gas::{Aggregation, GasEngine, GasProgram, GasStep, GasVertex, OutEdge, Totals};
use outcrop_types::{Error, Result, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatParams {
    /// The part of the difference between two neighbours that flows in a step, above 0.
    pub rate: Option<f64>,
    /// The number of steps.
    pub steps: u32,
    /// Changes of temperature that are kept back until they add up, at least 0.
    pub tolerance: f64,
}

/// Beyond this a temperature is refused: sums over all neighbours would be infinite.
pub const HOTTEST: f64 = 1e290;

/// Needs of the program.
pub const fn work(place: Place) -> Work {
    Work::new(requirements::<Diffusion<'_>>(place, Directions::Both), 8)
}

/// Makes steps from the temperatures of `start`; fewer where nothing changes any more.
///
/// # Errors
/// A rate that is not stable, with the largest that is; what `refuse` makes of a temperature that is no number or
/// beyond [`HOTTEST`]; a failed or damaged read, a budget that is too small, a full disk, interruption.
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

fn unstable(rate: f64, largest: f64) -> Error {
    Error::Usage(format!(
        "--rate {rate} is unstable: temperatures would diverge at the vertex with {} neighbors; the largest stable rate of this graph is {largest}",
        (1.0 / largest).round()
    ))
}

/// The temperature; the sum of those that neighbours have handed on; the one that was handed on; the number of
/// neighbours.
pub type State = [f64; 4];

/// The total of absolute changes.
const CHANGE: usize = 0;

/// The iteration in which neighbours are counted; those after it are steps.
const COUNTING: u32 = 1;

/// Temperatures under way.
#[derive(Debug)]
pub struct Diffusion<'s> {
    start: &'s [f64],
    /// The last iteration.
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

    /// Iterations of all steps, with the one in which neighbours are counted.
    pub const fn iterations(&self) -> u32 {
        self.last
    }

    /// The largest stable rate, where a larger one was asked for.
    pub fn unstable(&self) -> Option<f64> {
        let degree = f64::from(self.largest_degree.load(Relaxed));
        (self.given? * degree > 1.0).then_some(1.0 / degree)
    }
}

impl GasProgram for Diffusion<'_> {
    type Value = State;
    /// Change of the temperature of the source.
    type Edge = f64;
    /// The sum of temperatures, and how many edges brought something.
    type Sum = (f64, u32);
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::Sum;
    const CONTINUES: bool = true;

    /// Every vertex is heard of by its neighbours, which count it.
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
        // Default: the first change begins the sum.
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
        // What flows in one direction is what flows back in the other: both ends know the temperatures that were handed
        // on.
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

    /// True with a tolerance: what is kept back of a temperature changes it all the same.
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
