//! Personalized PageRank.

pub mod edge_map;

use crate::AtomicFloat;
use crate::algorithm::{Algorithm, Starts};
use crate::outcome::Values;
use crate::params::shared::{ALPHA, ONE_SOURCE, PRECISION};
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::probability::rounds_until;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Precision, Requirements, Spec, Statistic, Weights};
use crate::weights::UNWEIGHTED;
use outcrop_engine::Engine;
use outcrop_types::{Direction, Error, Result, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Personalized PageRank of one source.
pub struct PersonalizedPageRank;

static SPEC: Spec = Spec {
    name: "ppr",
    aliases: &["personalized-pagerank"],
    python_name: "personalized_pagerank",
    summary: "Personalized PageRank: PageRank in which every random jump leads to one source vertex",
    paper: "Andersen, Chung, Lang: Local Graph Partitioning using PageRank Vectors, FOCS 2006",
    weights: Weights::ByDefault,
    columns: &[ColumnInfo { name: "pagerank", meaning: "probability, at most the exact value; 0 where no probability arrived" }],
    statistics: &[("sum of ranks", Statistic::Sum), ("highest rank", Statistic::Most)],
    cost: Some(Cost { entry: 2.0, waits: 0.03, value_bytes: 8, passes: 1.0 }),
    details: "
        PageRank in which every jump leads to the source, including those from vertices without out-edges. Forward push moves probability
        along out-edges, beginning with the vertices that have the most of it per out-edge, and ends when the errors of all ranks sum to
        less than --tol times the highest rank. With the default, no rank is off by more than 0.0001 of the highest, and ranks sum to at
        least 0.9999. No rank exceeds the exact value. If probability stays near the source, only vertices near it are read. A run that
        does not reach --tol within --max-iter rounds has not converged (exit code 6). Results do not depend on threads, vertex order or
        layout.

        In a weighted graph, an out-edge is followed with probability proportional to its weight, unless --unweighted is given; the unit
        of the weights does not matter. At vertices that push, weights must be 0 or from 1e-280 to 1e270. The last digits of weighted
        results can depend on vertex order and layout.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 1), (3, 1)], "small.outcrop")
        >>> [row["node"] for row in oc.personalized_pagerank(g, 1).top(2)]
        [1, 2]
    "#,
    ..Spec::DEFAULT
};

static TOLERANCE: Param<f64> = Param::new(
    "tol",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1e-4),
    "Stop when the errors of all ranks sum to less than this fraction of the highest rank",
);

static MAX_ITERATIONS: Param<u32> =
    Param::new("max-iter", Kind::ANY_COUNT, Preset::Count(10_000), "Maximum number of rounds");

/// Returns the plan of a run with ranks of `F`.
fn planned<F: AtomicFloat>(
    shape: &Shape,
    args: &Args,
    as_values: fn(VertexValues<F::Plain>) -> Values,
) -> Result<Plan> {
    let weighted = shape.weighted && SPEC.weights.count(args)?;
    let (alpha, tolerance, at_most) = (args.get(&ALPHA)?, args.get(&TOLERANCE)?, args.get(&MAX_ITERATIONS)?);
    let program = move |engine: &Engine<'_>, run: Session<'_>| {
        let source = run.sources.first().copied().ok_or_else(|| Error::internal("`ppr` has no source"))?;
        let parameters = &edge_map::PprParams { source, alpha, tolerance, at_most };
        let degrees = run.graph.degrees(Direction::Out)?;
        if weighted {
            let refuse = |edge| run.refused_weight(edge, &SPEC.needs_summands());
            return edge_map::by_weight::<F>(engine, degrees, parameters, as_values, refuse);
        }
        edge_map::ppr::<F>(engine, degrees, parameters, as_values)
    };
    let memory = edge_map::memory::<F>(shape.vertices, weighted);
    Ok(Plan::edge_map(Requirements::OUT_LISTS.with_frontiers(), memory, program))
}

impl Algorithm for PersonalizedPageRank {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&ONE_SOURCE.info, &ALPHA.info, &TOLERANCE.info, &MAX_ITERATIONS.info, &PRECISION.info, &UNWEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let plan = match args.get(&PRECISION)? {
            Precision::Double => planned::<AtomicU64>(shape, args, Values::Float64)?,
            Precision::Single => planned::<AtomicU32>(shape, args, Values::Float32)?,
        };
        Ok((model == Model::EdgeMap).then(|| plan.following_frontiers().resuming()))
    }

    fn rounds(&self, args: &Args) -> Result<u32> {
        let alpha = args.get(&ALPHA)?;
        // The highest rank is at least 1 - alpha.
        Ok(rounds_until(args.get(&TOLERANCE)? * (1.0 - alpha), alpha, args.get(&MAX_ITERATIONS)?))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids(args.get(&ONE_SOURCE)?))
    }
}
