//! PageRank.

mod dangling;
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

pub use params::{PageRankParams, Stop};

use crate::AtomicFloat;
use crate::algorithm::Algorithm;
use crate::models::Real;
use crate::outcome::{Outcome, Values};
use crate::params::shared::{ALPHA, MAX_ITERATIONS, PRECISION, TOLERANCE};
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Personalization, Preset};
use crate::plan::{Plan, Shape};
use crate::probability::out_weights::{self, OutEdges, sums_of_all};
use crate::probability::rounds_until;
use crate::session::{ModelEngine, Session};
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
        whose out-edge weights sum to 0 is treated as one without out-edges; negative weights are refused. The model gas does not support
        weights.

        A run converges when the sum of absolute changes falls below --tol (NetworkX multiplies its tolerance by the number of vertices);
        it fails if --max-iter comes first. --delta makes vertices propagate only changes above this fraction of their rank; the run also
        ends when no vertex propagates, and the errors of all ranks then sum to at most `4 alpha delta / (1 - alpha)`. In single
        precision, changes bottom out at about 1e-7, so a smaller tolerance may never be reached.
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

fn stop(args: &Args) -> Result<Stop> {
    Ok(match args.get(&ITERATIONS)? {
        Some(iterations) => Stop::After(iterations),
        None => Stop::Below { tolerance: args.get(&TOLERANCE)?, at_most: args.get(&MAX_ITERATIONS)? },
    })
}

/// Reason that weights do not count on values of edges.
const NOT_IN_GAS: &str = "`pagerank --model gas` does not support weights; use --unweighted, or another --model";

/// Reason that a run of a number of iterations does not go on from the last result.
const NOT_BY_COUNT: &str = "`pagerank` with --incremental runs to a tolerance; use --tol instead of --iterations";

/// True if weights count on a graph of this shape.
fn is_weighted(shape: &Shape, args: &Args) -> Result<bool> {
    Ok(shape.weighted && SPEC.weights.count(args)?)
}

/// Plan of a run with values of `A` or `F`.
fn planned<A: AtomicFloat, F: Real>(model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
    let (place, vertices) = (shape.place(), shape.vertices);
    let (changes, personalized) = (args.get(&DELTA)?.is_some(), args.is_given("personalization"));
    let weighted = is_weighted(shape, args)?;
    Ok(Some(match (model, weighted) {
        (Model::EdgeMap, _) if changes => {
            let memory = edge_map_delta::memory::<A>(vertices, personalized, weighted);
            Plan::edge_map(Requirements::BOTH_LISTS.with_frontiers(), memory).following_frontiers().resuming()
        }
        (Model::EdgeMap, _) => {
            if shape.incremental && args.get(&ITERATIONS)?.is_some() {
                return Err(Error::Usage(NOT_BY_COUNT.to_owned()));
            }
            let needs = if weighted { Requirements::BOTH_LISTS } else { Requirements::IN_LISTS };
            Plan::edge_map(needs, edge_map::memory::<A>(vertices, personalized, weighted)).resuming().repairing()
        }
        (Model::Interval, _) if changes => return Ok(None),
        (Model::Interval, false) => Plan::interval(Requirements::IN_LISTS, interval::work::<F>(place)).resuming(),
        (Model::Interval, true) => {
            Plan::interval(Requirements::BOTH_LISTS, interval::work_by_weight::<F>(place)).resuming()
        }
        (Model::Messages, _) => {
            let work = if changes { messages_delta::work::<F>(place) } else { messages::work::<F>(place) };
            Plan::messages(Requirements::OUT_LISTS, if weighted { work.with_weights() } else { work })
        }
        (Model::Gas, true) => return Err(Error::Usage(NOT_IN_GAS.to_owned())),
        (Model::Gas, false) => {
            let work = if changes { gas_delta::work::<F>(place) } else { gas::work::<F>(place) };
            let plan = Plan::gas(work);
            if changes && args.get(&ITERATIONS)?.is_none() { plan } else { plan.in_exact_steps() }
        }
    }))
}

/// A run with values of `A` or `F`.
fn scores<A: AtomicFloat, F: Real>(
    session: &Session<'_, '_>,
    args: &Args,
    as_values: fn(VertexValues<A::Plain>) -> Values,
) -> Result<Outcome> {
    let personalization = session.personalization;
    let parameters = &PageRankParams { alpha: args.get(&ALPHA)?, stop: stop(args)?, personalization };
    let refuse: Refuse<'_> = &|edge| session.refused_weight(edge, out_weights::NEEDS);
    let by_weight = is_weighted(&session.shape, args)?.then_some(refuse);
    match (session.engine, args.get(&DELTA)?) {
        (ModelEngine::EdgeMap(engine), delta) => match by_weight {
            None => {
                let degrees = session.graph.degrees(Direction::Out)?;
                by_edge_maps::<A, _>(engine, degrees, parameters, delta, as_values)
            }
            Some(refuse) => {
                let sums = sums_of_all(engine, parameters.stop.limits().0 > 0, refuse)?;
                by_edge_maps::<A, _>(engine, sums, parameters, delta, as_values)
            }
        },
        (ModelEngine::Interval(engine), _) => interval::pagerank::<F>(engine, parameters, by_weight),
        (ModelEngine::Messages(engine), None) => messages::pagerank::<F>(engine, parameters, by_weight),
        (ModelEngine::Messages(engine), Some(delta)) => {
            messages_delta::pagerank_delta::<F>(engine, parameters, delta, by_weight)
        }
        (ModelEngine::Gas(engine), None) => gas::pagerank::<F>(engine, parameters),
        (ModelEngine::Gas(engine), Some(delta)) => gas_delta::pagerank_delta::<F>(engine, parameters, delta),
    }
}

/// A run over maps of edges, which hands on changes only with `delta`.
fn by_edge_maps<A: AtomicFloat, E: OutEdges>(
    engine: &Engine<'_>,
    edges: VertexValues<E>,
    parameters: &PageRankParams<'_>,
    delta: Option<f64>,
    as_values: fn(VertexValues<A::Plain>) -> Values,
) -> Result<Outcome> {
    match delta {
        None => edge_map::pagerank::<A, E>(engine, edges, parameters, as_values),
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
                &UNWEIGHTED.info,
            ]
        }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        match args.get(&PRECISION)? {
            Precision::Double => planned::<AtomicU64, f64>(model, shape, args),
            Precision::Single => planned::<AtomicU32, f32>(model, shape, args),
        }
    }

    fn run(&self, session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        match args.get(&PRECISION)? {
            Precision::Double => scores::<AtomicU64, f64>(&session, args, Values::Float64),
            Precision::Single => scores::<AtomicU32, f32>(&session, args, Values::Float32),
        }
    }

    fn needs_synchronous_delivery(&self, args: &Args) -> Option<&'static str> {
        (!args.is_given("delta")).then_some("each iteration sums the ranks of the previous one")
    }

    fn rounds(&self, args: &Args) -> Result<u32> {
        let until = |most| Ok(rounds_until(args.get(&TOLERANCE)?, args.get(&ALPHA)?, most));
        args.get(&ITERATIONS)?.map_or_else(|| until(args.get(&MAX_ITERATIONS)?), Ok)
    }
}
