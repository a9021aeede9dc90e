//! PageRank.

pub mod edge_map;
pub mod edge_map_delta;
pub mod gas;
pub mod gas_delta;
pub mod interval;
pub mod messages;
pub mod messages_delta;
mod params;
pub mod parts;
mod power_iteration;
mod withheld_dangling_mass;

pub use params::{PageRankParams, Stop};

use crate::AtomicFloat;
use crate::algorithm::Algorithm;
use crate::models::Real;
use crate::outcome::{Outcome, Values};
use crate::params::shared::{ALPHA, MAX_ITERATIONS, PRECISION, TOLERANCE};
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Personalization, Preset};
use crate::plan::Plan;
use crate::probability::out_weights::{OutEdges, sums_of_all};
use crate::probability::rounds_until;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Precision, Requirements, Spec, Statistic, Weights};
use crate::weights::{Refuse, UNWEIGHTED};
use outcrop_engine::Engine;
use outcrop_types::{Direction, Error, Result, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// PageRank.
pub struct PageRank;

static SPEC: Spec = Spec {
    name: "pagerank",
    aliases: &["pr"],
    python_name: "pagerank",
    summary: "PageRank: stationary distribution of a random walk that jumps to a random vertex with probability 1 - alpha",
    paper: "Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999",
    models: &Model::ALL,
    weights: Weights::ByDefault,
    on_spark: Some(&["alpha", "personalization", "max-iter", "tol", "iterations", "unweighted"]),
    columns: &[ColumnInfo { name: "pagerank", meaning: "probability that the walk is at the vertex; all values sum to 1" }],
    statistics: &[("highest rank", Statistic::Most)],
    arrivals: Some(&["delta"]),
    cost: Some(Cost { entry: 1.6, waits: 0.03, value_bytes: 4, passes: 1.0 }),
    details: "
        The stationary distribution of a random walk that follows an out-edge with probability --alpha and otherwise jumps to a random
        vertex (or to one sampled from --personalization). A walk at a vertex without out-edges always jumps, as in NetworkX. Each stored
        copy of a repeated edge counts.

        In a weighted graph, an out-edge is followed with probability proportional to its weight, unless --unweighted is given. A vertex
        whose out-edge weights sum to 0 is treated as one without out-edges. Weights must be 0 or from 1e-280 to 1e270. The model gas does
        not support weights.

        A run converges when the sum of absolute changes falls below --tol (NetworkX multiplies its tolerance by the number of vertices);
        it fails if --max-iter comes first. --delta makes vertices propagate only changes above this fraction of their rank; the run also
        ends when no vertex propagates, and the errors of all ranks then sum to at most `4 alpha delta / (1 - alpha)`. In single
        precision, changes bottom out at about 1e-7, so a smaller tolerance may never be reached.

        --accelerate starts each iteration from the combination of the last three results that changes least (Anderson acceleration,
        depth 2). This reaches the same tolerance in fewer iterations (29 instead of 64 on a road network, 13 instead of 16 on a graph
        with hubs), and takes 16 bytes more per vertex, which cache no lists.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (4, 1)], "small.outcrop")
        >>> [row["node"] for row in oc.pagerank(g).top(2)]
        [1, 2]
    "#,
    ..Spec::DEFAULT
};

static ITERATIONS: Param<Option<u32>> = Param::new(
    "iterations",
    Kind::ANY_COUNT,
    Preset::None(""),
    "Exact number of iterations, instead of --tol and --max-iter",
);

/// Targets of random jumps.
pub static PERSONALIZATION: Param<Option<Personalization>> = Param::new(
    "personalization",
    Kind::NodeWeights,
    Preset::None("uniform"),
    "Jump distribution: .csv or .tsv, ID and weight",
);

static DELTA: Param<Option<f64>> = Param::new(
    "delta",
    Kind::Number(Bounds::BELOW_ONE),
    Preset::None(""),
    "Propagate changes above this fraction of the rank",
)
.shown_as("EPS")
.only_in(&[Model::EdgeMap, Model::Messages, Model::Gas]);

static ACCELERATE: Param<bool> = Param::new(
    "accelerate",
    Kind::Flag,
    Preset::Flag(false),
    "Reach --tol in fewer iterations, with 16 bytes more per vertex",
)
.excludes(&["iterations", "delta"])
.only_in(&[Model::EdgeMap]);

fn stop(args: &Args) -> Result<Stop> {
    Ok(match args.get(&ITERATIONS)? {
        Some(iterations) => Stop::After(iterations),
        None => Stop::Below { tolerance: args.get(&TOLERANCE)?, at_most: args.get(&MAX_ITERATIONS)? },
    })
}

/// Error text: `gas` ignores weights.
const NOT_IN_GAS: &str = "`pagerank --model gas` does not support weights; use --unweighted, or another --model";

/// Error text: a run with a fixed number of iterations cannot start from the previous result.
const NOT_BY_COUNT: &str = "`pagerank` with --incremental runs to a tolerance; use --tol instead of --iterations";

/// Inputs of a program, derived from the parameters of a run.
#[derive(Clone, Copy)]
struct Inputs {
    alpha: f64,
    stop: Stop,
    weighted: bool,
}

impl Inputs {
    fn parameters<'s>(&self, run: &Session<'s>) -> PageRankParams<'s> {
        PageRankParams { alpha: self.alpha, stop: self.stop, personalization: run.personalization }
    }

    /// Runs `program` with the parameters, and with the function that refuses weights if weights count.
    fn with(
        self,
        run: &Session<'_>,
        program: impl FnOnce(&PageRankParams<'_>, Option<Refuse<'_>>) -> Result<Outcome>,
    ) -> Result<Outcome> {
        let refuse: Refuse<'_> = &|edge| run.refused_weight(edge, &SPEC.needs_summands());
        program(&self.parameters(run), self.weighted.then_some(refuse))
    }
}

/// Returns the plan of a run with values of `A` or `F`.
fn planned<A: AtomicFloat, F: Real>(
    model: Model,
    shape: &Shape,
    args: &Args,
    as_values: fn(VertexValues<A::Plain>) -> Values,
) -> Result<Option<Plan>> {
    let (place, vertices) = (shape.place(), shape.vertices);
    let (delta, accelerated) = (args.get(&DELTA)?, args.get(&ACCELERATE)?);
    let personalized = args.is_given("personalization");
    let weighted = shape.weighted && SPEC.weights.count(args)?;
    let inputs = Inputs { alpha: args.get(&ALPHA)?, stop: stop(args)?, weighted };
    Ok(Some(match (model, weighted, delta) {
        (Model::EdgeMap, _, _) => {
            let program = move |engine: &Engine<'_>, run: Session<'_>| {
                inputs.with(&run, |parameters, by_weight| match by_weight {
                    None => {
                        let degrees = run.graph.degrees(Direction::Out)?;
                        by_edge_maps::<A, _>(engine, degrees, parameters, delta, accelerated, as_values)
                    }
                    Some(refuse) => {
                        let sums = sums_of_all(engine, parameters.stop.limits().0 > 0, refuse)?;
                        by_edge_maps::<A, _>(engine, sums, parameters, delta, accelerated, as_values)
                    }
                })
            };
            if delta.is_some() {
                let memory = edge_map_delta::memory::<A>(vertices, personalized, weighted);
                let needs = Requirements::BOTH_LISTS.with_frontiers();
                return Ok(Some(Plan::edge_map(needs, memory, program).following_frontiers().resuming()));
            }
            if shape.incremental && args.get(&ITERATIONS)?.is_some() {
                return Err(Error::Usage(NOT_BY_COUNT.to_owned()));
            }
            let needs = if weighted { Requirements::BOTH_LISTS } else { Requirements::IN_LISTS };
            let memory = edge_map::memory::<A>(vertices, personalized, weighted, accelerated);
            Plan::edge_map(needs, memory, program).resuming().repairing()
        }
        (Model::Interval, _, Some(_)) => return Ok(None),
        (Model::Interval, _, None) => {
            let (needs, work) = match weighted {
                false => (Requirements::IN_LISTS, interval::work::<F>(place)),
                true => (Requirements::BOTH_LISTS, interval::work_by_weight::<F>(place)),
            };
            Plan::interval(needs, work, move |engine, run| {
                inputs.with(&run, |parameters, by_weight| interval::pagerank::<F>(engine, parameters, by_weight))
            })
            .resuming()
        }
        (Model::Messages, _, _) => {
            let work = match delta {
                Some(_) => messages_delta::work::<F>(place)
                    .synchronous("changes would be propagated in parts, which takes more supersteps and messages"),
                None => messages::work::<F>(place).synchronous("each iteration sums the ranks of the previous one"),
            };
            let work = if weighted { work.with_weights() } else { work };
            Plan::messages(Requirements::OUT_LISTS, work, move |engine, run| {
                inputs.with(&run, |parameters, by_weight| match delta {
                    None => messages::pagerank::<F>(engine, parameters, by_weight),
                    Some(delta) => messages_delta::pagerank_delta::<F>(engine, parameters, delta, by_weight),
                })
            })
        }
        (Model::Gas, true, _) => return Err(Error::Usage(NOT_IN_GAS.to_owned())),
        (Model::Gas, false, _) => {
            let work = if delta.is_some() { gas_delta::work::<F>(place) } else { gas::work::<F>(place) };
            let exact = delta.is_none() || args.get(&ITERATIONS)?.is_some();
            let work = if exact { work.in_exact_steps() } else { work };
            Plan::gas(work, move |engine, run| {
                let parameters = &inputs.parameters(&run);
                match delta {
                    None => gas::pagerank::<F>(engine, parameters),
                    Some(delta) => gas_delta::pagerank_delta::<F>(engine, parameters, delta),
                }
            })
        }
    }))
}

/// Runs with edge maps; with `delta`, propagates only changes.
fn by_edge_maps<A: AtomicFloat, E: OutEdges>(
    engine: &Engine<'_>,
    edges: VertexValues<E>,
    parameters: &PageRankParams<'_>,
    delta: Option<f64>,
    accelerated: bool,
    as_values: fn(VertexValues<A::Plain>) -> Values,
) -> Result<Outcome> {
    match delta {
        None => edge_map::pagerank::<A, E>(engine, edges, parameters, accelerated, as_values),
        Some(delta) => edge_map_delta::pagerank_delta::<A, E>(engine, edges, parameters, delta, as_values),
    }
}

impl Algorithm for PageRank {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const {
            &[
                &ALPHA.info,
                &TOLERANCE.info,
                &MAX_ITERATIONS.info,
                &ITERATIONS.info,
                &PERSONALIZATION.info,
                &PRECISION.info,
                &DELTA.info,
                &ACCELERATE.info,
                &UNWEIGHTED.info,
            ]
        }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        match args.get(&PRECISION)? {
            Precision::Double => planned::<AtomicU64, f64>(model, shape, args, Values::Float64),
            Precision::Single => planned::<AtomicU32, f32>(model, shape, args, Values::Float32),
        }
    }

    fn rounds(&self, args: &Args) -> Result<u32> {
        let until = |most| Ok(rounds_until(args.get(&TOLERANCE)?, args.get(&ALPHA)?, most));
        args.get(&ITERATIONS)?.map_or_else(|| until(args.get(&MAX_ITERATIONS)?), Ok)
    }
}
