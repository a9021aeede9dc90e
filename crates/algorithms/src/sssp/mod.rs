//! Weighted shortest paths.

pub mod edge_map;
pub mod gas;
pub mod interval;
pub(crate) mod predecessors;
pub(crate) mod width;

pub use edge_map::Method;
pub use width::BucketWidth;

use crate::AtomicFloat;
use crate::algorithm::Algorithm;
use crate::models::Real;
use crate::outcome::Values;
use crate::params::shared::{COLUMNS, Columns, PRECISION, SOURCE};
use crate::params::{Arg, Args, Bounds, FromArg, Kind, Param, ParamInfo, Preset, choices};
use crate::plan::Plan;
use crate::search::repair;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Cost, Model, Precision, Requirements, Spec, Statistic, Weights};
use crate::weights::RefusedEdge;
use gas::Length;
use outcrop_types::{Error, Result, VertexValues};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Weighted shortest paths.
pub struct Sssp;

static SPEC: Spec = Spec {
    name: "sssp",
    aliases: &["shortest-paths"],
    python_name: "sssp",
    summary: "Shortest paths: the smallest sum of edge weights on a path from a source; predecessors with --columns all",
    paper: "Meyer, Sanders: Δ-stepping, Journal of Algorithms 2003; Shun, Blelloch: Ligra, PPoPP 2013 (Bellman-Ford)",
    models: &[Model::EdgeMap, Model::Interval, Model::Gas],
    weights: Weights::Used,
    on_spark: Some(&["source", "columns"]),
    columns: &[
        ColumnInfo { name: "distance", meaning: "sum of weights on a shortest path; null if unreached or beyond --cutoff" },
        ColumnInfo {
            name: "predecessor", meaning: "previous vertex on a shortest path (smallest original ID; needs --columns all); null for sources and unreached vertices",
        },
    ],
    statistics: &[("reached", Statistic::Known), ("farthest", Statistic::Most), ("mean distance", Statistic::Mean)],
    arrivals: Some(&[]),
    cost: Some(Cost { entry: 8.0, waits: 0.08, value_bytes: 4, passes: 2.3 }),
    details: "
        The distance of a vertex is the smallest sum of weights on a directed path from any source. In a graph without weights every edge
        has weight 1. A negative weight on an edge from a reached vertex is an error.

        Results are identical in all models and with both methods, and for any number of threads, vertex order and layout. A distance
        beyond the largest number of the precision (3.4e38 with f32) is an error that names an edge to the vertex.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (1, 3)], "roads.outcrop", weight=[1.0, 1.5, 4.0])
        >>> oc.sssp(g, 1).to_dict()
        {1: 0.0, 2: 1.0, 3: 2.5}
    "#,
    ..Spec::DEFAULT
};

/// Order in which distances are lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nearest buckets first.
    Delta,
    /// Every vertex with a changed distance, in each round.
    BellmanFord,
}

choices!(Order: "delta" => Self::Delta, "bellman-ford" => Self::BellmanFord);

static METHOD: Param<Option<Order>> = Param::new(
    "method",
    Kind::Word(&["delta", "bellman-ford"]),
    Preset::None("delta with weights, otherwise bellman-ford"),
    "Relax the edges of the nearest vertices first (delta), or of all changed vertices (bellman-ford)",
)
.shown_as("METHOD")
.only_in(&[Model::EdgeMap]);

static BUCKET_WIDTH: Param<Option<BucketWidth>> = Param::new(
    "bucket-width",
    Kind::NumberOrAuto(Bounds::POSITIVE),
    Preset::None("auto"),
    "Bucket width of --method delta",
)
.shown_as("WIDTH")
.only_in(&[Model::EdgeMap]);

static CUTOFF: Param<Option<f64>> = Param::new(
    "cutoff",
    Kind::Number(Bounds::POSITIVE),
    Preset::None("none"),
    "Search only for vertices up to this distance away",
)
.only_in(&[Model::EdgeMap]);

impl FromArg for BucketWidth {
    fn from_arg(arg: Option<&Arg>) -> Option<Self> {
        match arg? {
            Arg::Auto => Some(Self::Auto),
            Arg::Number(width) => Some(Self::Exactly(*width)),
            _ => None,
        }
    }
}

/// Returns the plan of a run in the precision of `A` and `F`.
fn planned<A: AtomicFloat<Plain = F>, F: Length>(
    model: Model,
    shape: &Shape,
    args: &Args,
    as_values: fn(VertexValues<F>) -> Values,
) -> Result<Option<Plan>> {
    let (place, all) = (shape.place(), args.get(&COLUMNS)? == Columns::All);
    Ok(Some(match model {
        Model::EdgeMap => {
            let width = args.get(&BUCKET_WIDTH)?;
            // If every edge counts 1, distances fall in order without buckets.
            let method = match args.get(&METHOD)? {
                Some(Order::BellmanFord) => Method::BellmanFord,
                None if width.is_none() && !shape.weighted => Method::BellmanFord,
                // Default: the width is derived from the weights.
                _ => Method::DeltaStepping(width.unwrap_or_default()),
            };
            let once = matches!(method, Method::BellmanFord) && !shape.weighted;
            let lists = if all || shape.incremental { Requirements::BOTH_LISTS } else { Requirements::OUT_LISTS };
            let memory = repair::with_sets(shape, edge_map::memory::<A>(shape.vertices, all));
            let cutoff = args.get(&CUTOFF)?;
            let plan = Plan::edge_map(lists.with_frontiers(), memory, move |engine, run| {
                let refuse = |edge| refused::<F>(&run, edge);
                // Default: no vertex is farther away.
                let (ranks, most) = (all.then_some(run.ranks), cutoff.unwrap_or(f64::INFINITY));
                edge_map::sssp::<A>(engine, run.sources, ranks, method, most, as_values, refuse)
            });
            let plan = if cutoff.is_some() { plan.resuming() } else { plan.resuming().repairing() };
            match shape.incremental && !all {
                true => plan.reading_few_lists(),
                false if once => plan.reading_lists_once(),
                false => plan,
            }
        }
        Model::Interval => Plan::interval(Requirements::BOTH_LISTS, interval::work::<F>(place), move |engine, run| {
            interval::sssp::<F>(engine, run.sources, all.then_some(run.ranks), |edge| refused::<F>(&run, edge))
        })
        .resuming(),
        Model::Gas => Plan::gas(gas::work::<F>(place, all), move |engine, run| {
            gas::sssp::<F>(engine, run.sources, all.then_some(run.ranks), |edge| refused::<F>(&run, edge))
        }),
        Model::Messages => return Ok(None),
    }))
}

/// Returns the error for an edge with a negative weight, or one at whose end a distance exceeds the precision.
pub(crate) fn refused<F: Real>(run: &Session<'_>, edge: RefusedEdge) -> Error {
    let needs = match (edge.weight < 0.0, F::BYTES) {
        (true, _) => "shortest paths need weights of at least 0",
        (false, 4) => "the distance at its end exceeds 3.4e38, the limit of f32; use --precision f64",
        (false, _) => "the distance at its end exceeds 1.8e308, the limit of f64; use a larger unit of weights",
    };
    run.refused_weight(edge, needs)
}

impl Algorithm for Sssp {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCE.info, &COLUMNS.info, &PRECISION.info, &CUTOFF.info, &METHOD.info, &BUCKET_WIDTH.info] }
    }

    fn validate(&self, args: &Args) -> Result<()> {
        match args.get(&METHOD)? {
            Some(Order::BellmanFord) if args.is_given("bucket-width") => {
                Err(Error::Usage("--bucket-width needs --method delta".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let plan = match args.get(&PRECISION)? {
            Precision::Double => planned::<AtomicU64, f64>(model, shape, args, Values::Float64)?,
            Precision::Single => planned::<AtomicU32, f32>(model, shape, args, Values::Float32)?,
        };
        let all = args.get(&COLUMNS)? == Columns::All;
        Ok(plan.map(|plan| if all { plan.with_ranks() } else { plan }.following_frontiers()))
    }
}
