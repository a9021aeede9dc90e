//! PageRank.

pub mod edge_map;
pub mod edge_map_delta;
pub mod gas;
pub mod gas_delta;
pub mod interval;
pub mod messages;
pub mod messages_delta;

pub use edge_map::{Parameters, Stop};

use crate::algorithm::{Algorithm, Plan, Shape};
use crate::outcome::{Outcome, Values};
use crate::params::shared::{ALPHA, MAX_ITERATIONS, PRECISION, TOLERANCE};
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Personalization, Preset};
use crate::session::{ModelEngine, Session};
use crate::spec::{ColumnInfo, Model, Needs, Precision, Spec, Statistic, Weights};
use outcrop_types::{Direction, Result};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// PageRank.
pub struct PageRank;

static SPEC: Spec = Spec {
    name: "pagerank",
    aliases: &["pr"],
    python_name: "pagerank",
    summary: "PageRank by power iteration",
    paper: "Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999",
    models: &Model::ALL,
    weights: Weights::Ignored,
    columns: &[ColumnInfo { name: "pagerank", meaning: "probability; all sum to 1" }],
    statistics: &[("highest rank", Statistic::Most)],
    details: "
        The probability with which a walk is at a vertex that follows a random out-edge with the probability --alpha, and otherwise jumps:
        anywhere, or as --personalization says. From a vertex without out-edges it always jumps, in the same way, as in NetworkX. Repeated
        edges count as often as they are stored.

        A run ends when the sum of absolute changes is below --tol (NetworkX multiplies its own by the number of vertices), and has failed
        where --max-iter comes before. With --delta only those vertices hand on a change, in each iteration, whose rank has changed by more
        than this part of it since they last did; the run also ends when there are none, and the errors of all ranks then sum to at most `4
        alpha delta / (1 - alpha)`. With single precision changes bottom out at about 1e-7, and a tolerance below that may never be reached.
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
    "Do exactly so many iterations, in place of --tol and --max-iter",
);

/// Where random jumps lead.
pub static PERSONALIZATION: Param<Option<Personalization>> = Param::new(
    "personalization",
    Kind::NodeWeights,
    Preset::None("anywhere"),
    "Jump to these vertices: a .csv or .tsv file with an id and a weight a line",
);

static DELTA: Param<Option<f64>> = Param::new(
    "delta",
    Kind::Number(Bounds::BELOW_ONE),
    Preset::None(""),
    "Hand on only changes of more than this part of a rank; all errors then sum to at most 4 alpha delta / (1 - alpha)",
)
.shown_as("EPS")
.only_in(&[Model::EdgeMap, Model::Messages, Model::Gas]);

fn stop(args: &Args) -> Result<Stop> {
    Ok(match args.get(&ITERATIONS)? {
        Some(iterations) => Stop::After(iterations),
        None => Stop::Below { tolerance: args.get(&TOLERANCE)?, at_most: args.get(&MAX_ITERATIONS)? },
    })
}

impl Algorithm for PageRank {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        static PARAMS: &[&ParamInfo] = &[
            &ALPHA.info,
            &TOLERANCE.info,
            &MAX_ITERATIONS.info,
            &ITERATIONS.info,
            &PERSONALIZATION.info,
            &PRECISION.info,
            &DELTA.info,
        ];
        PARAMS
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (place, vertices) = (shape.place(), shape.vertices);
        let (changes, personalized) = (args.get(&DELTA)?.is_some(), args.is_given("personalization"));
        let single = args.get(&PRECISION)? == Precision::Single;
        Ok(Some(match model {
            Model::EdgeMap if changes => {
                let memory = match single {
                    false => edge_map_delta::memory::<AtomicU64>(vertices, personalized),
                    true => edge_map_delta::memory::<AtomicU32>(vertices, personalized),
                };
                Plan::edge_map(Needs::BOTH_LISTS.with_frontiers(), memory).following_frontiers()
            }
            Model::EdgeMap => Plan::edge_map(
                Needs::IN_LISTS,
                match single {
                    false => edge_map::memory::<AtomicU64>(vertices, personalized),
                    true => edge_map::memory::<AtomicU32>(vertices, personalized),
                },
            ),
            Model::Interval if changes => return Ok(None),
            Model::Interval => Plan::interval(
                Needs::IN_LISTS,
                match single {
                    false => interval::work::<f64>(place),
                    true => interval::work::<f32>(place),
                },
            ),
            Model::Messages => Plan::messages(
                Needs::OUT_LISTS,
                match (changes, single) {
                    (false, false) => messages::work::<f64>(place),
                    (false, true) => messages::work::<f32>(place),
                    (true, false) => messages_delta::work::<f64>(place),
                    (true, true) => messages_delta::work::<f32>(place),
                },
            ),
            Model::Gas => {
                let plan = Plan::gas(match (changes, single) {
                    (false, false) => gas::work::<f64>(place),
                    (false, true) => gas::work::<f32>(place),
                    (true, false) => gas_delta::work::<f64>(place),
                    (true, true) => gas_delta::work::<f32>(place),
                });
                if changes && args.get(&ITERATIONS)?.is_none() { plan } else { plan.in_exact_steps() }
            }
        }))
    }

    fn run(&self, session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let personalization = session.personalization;
        let parameters = &Parameters { alpha: args.get(&ALPHA)?, stop: stop(args)?, personalization };
        let degrees = || session.graph.degrees(Direction::Out);
        match (session.engine, args.get(&DELTA)?, args.get(&PRECISION)?) {
            (ModelEngine::EdgeMap(engine), None, Precision::Double) => {
                edge_map::pagerank::<AtomicU64>(engine, degrees()?, parameters, Values::Float64)
            }
            (ModelEngine::EdgeMap(engine), None, Precision::Single) => {
                edge_map::pagerank::<AtomicU32>(engine, degrees()?, parameters, Values::Float32)
            }
            (ModelEngine::EdgeMap(engine), Some(delta), Precision::Double) => {
                edge_map_delta::pagerank_delta::<AtomicU64>(engine, degrees()?, parameters, delta, Values::Float64)
            }
            (ModelEngine::EdgeMap(engine), Some(delta), Precision::Single) => {
                edge_map_delta::pagerank_delta::<AtomicU32>(engine, degrees()?, parameters, delta, Values::Float32)
            }
            (ModelEngine::Interval(engine), _, Precision::Double) => interval::pagerank::<f64>(engine, parameters),
            (ModelEngine::Interval(engine), _, Precision::Single) => interval::pagerank::<f32>(engine, parameters),
            (ModelEngine::Messages(engine), None, Precision::Double) => messages::pagerank::<f64>(engine, parameters),
            (ModelEngine::Messages(engine), None, Precision::Single) => messages::pagerank::<f32>(engine, parameters),
            (ModelEngine::Messages(engine), Some(delta), Precision::Double) => {
                messages_delta::pagerank_delta::<f64>(engine, parameters, delta)
            }
            (ModelEngine::Messages(engine), Some(delta), Precision::Single) => {
                messages_delta::pagerank_delta::<f32>(engine, parameters, delta)
            }
            (ModelEngine::Gas(engine), None, Precision::Double) => gas::pagerank::<f64>(engine, parameters),
            (ModelEngine::Gas(engine), None, Precision::Single) => gas::pagerank::<f32>(engine, parameters),
            (ModelEngine::Gas(engine), Some(delta), Precision::Double) => {
                gas_delta::pagerank_delta::<f64>(engine, parameters, delta)
            }
            (ModelEngine::Gas(engine), Some(delta), Precision::Single) => {
                gas_delta::pagerank_delta::<f32>(engine, parameters, delta)
            }
        }
    }

    fn needs_synchronous_delivery(&self, args: &Args) -> Option<&'static str> {
        (!args.is_given("delta")).then_some("an iteration adds up what all vertices had in the one before")
    }

    fn takes_arrivals(&self, args: &Args) -> bool {
        args.is_given("delta")
    }
}
