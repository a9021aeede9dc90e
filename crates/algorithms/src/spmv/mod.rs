//! Sparse matrix-vector product with the adjacency matrix.

pub mod edge_map;
pub mod interval;
mod semiring;

use crate::AtomicFloat;
use crate::algorithm::{Algorithm, VectorUse};
use crate::models::{Place, Real};
use crate::outcome::Values;
use crate::params::shared::PRECISION;
use crate::params::{Args, InputVector, Kind, Param, ParamInfo, Preset, choices};
use crate::plan::Plan;
use crate::session::{Session, VertexVector};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Precision, Requirements, Spec, Statistic, Weights};
use outcrop_engine::VertexArray;
use outcrop_types::{Direction, Error, Result, VertexValues};
pub use semiring::{Combine, EdgeTerm, Semiring};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Sparse matrix-vector product with the adjacency matrix.
pub struct Spmv;

static SPEC: Spec = Spec {
    name: "spmv",
    python_name: "spmv",
    summary: "Sparse matrix-vector product: for each vertex, the weighted sum of a vector over its in-edges",
    paper: "Zhu, Han, Chen: GridGraph, USENIX ATC 2015; Xu et al.: LOSC, JPDC 2022",
    models: &[Model::EdgeMap, Model::Interval],
    weights: Weights::Used,
    columns: &[ColumnInfo {
        name: "value", meaning: "sum over in-edges of weight times vector value; with --transpose over out-edges; null on overflow, or without a minimum or maximum",
    }],
    statistics: &[("sum of values", Statistic::Sum), ("greatest value", Statistic::Most)],
    details: "
        For each vertex, the sum over its in-edges of the weight times the value of the source, which is `A.T @ x` with SciPy's adjacency
        matrix `A`; --transpose sums over its out-edges instead, `A @ x`. In an undirected graph both are the same. Without weights every
        edge has weight 1. Each stored copy of a repeated edge counts. Vertices without a value in the vector have 0.

        In other semirings, the term of an edge is the weight plus the value (--edge plus) or the value alone (--edge first), and terms are
        combined by minimum (--combine min) or maximum (--combine max). With --combine min and --edge plus, this is one step of shortest
        paths. Values may then be infinite, vertices without a value in the vector contribute nothing, and a vertex without contributing
        neighbors has null.

        In single precision only stored values are rounded; sums use double precision.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "matrix.outcrop", weight=[0.5, 2.0, 1.0])
        >>> oc.spmv(g).to_dict()
        {1: 0.0, 2: 0.5, 3: 3.0}
        >>> oc.spmv(g, {3: -2.0}, transpose=True).to_dict()
        {1: -4.0, 2: -2.0, 3: 0.0}
        >>> oc.spmv(g, {1: 0.0}, combine="min", edge="plus").to_dict()
        {1: None, 2: 0.5, 3: 2.0}
    "#,
    ..Spec::DEFAULT
};

static VECTOR: Param<Option<InputVector>> = Param::new(
    "vector",
    Kind::Vector,
    Preset::None("ones"),
    "Vector to multiply by: .npy (one value per vertex by ascending ID), or .parquet, .csv or .tsv (ID and value)",
);

static TRANSPOSE: Param<bool> =
    Param::new("transpose", Kind::Flag, Preset::Flag(false), "Sum over out-edges instead of in-edges");

choices!(Combine: "plus" => Self::Plus, "min" => Self::Min, "max" => Self::Max);
choices!(EdgeTerm: "times" => Self::Times, "plus" => Self::Plus, "first" => Self::First);

static COMBINE: Param<Combine> =
    Param::word("combine", "plus", "Operator that combines the terms of a vertex: sum, minimum or maximum")
        .shown_as("OPERATOR");

static EDGE: Param<EdgeTerm> =
    Param::word("edge", "times", "Term of an edge: weight times value, weight plus value, or the value alone")
        .shown_as("TERM");

fn semiring(args: &Args) -> Result<Semiring> {
    Ok(Semiring { combine: args.get(&COMBINE)?, term: args.get(&EDGE)? })
}

/// Returns the direction of the lists along which a product sums.
fn along(args: &Args) -> Result<Direction> {
    Ok(if args.get(&TRANSPOSE)? { Direction::Out } else { Direction::In })
}

/// Returns the plan of a product with edge maps, in the precision of `F`.
fn by_maps<F: AtomicFloat>(
    needs: Requirements,
    vertices: u32,
    along: Direction,
    semiring: Semiring,
    vector: fn(VertexVector) -> Option<VertexValues<F>>,
    as_values: fn(VertexValues<F::Plain>) -> Values,
) -> Plan {
    Plan::edge_map(needs, edge_map::memory::<F>(vertices), move |engine, mut run| {
        edge_map::spmv(engine, in_precision(&mut run, vector)?, along, semiring, as_values)
    })
}

/// Returns the plan of a product by intervals, in the precision of `F`.
fn by_intervals<F: Real>(
    needs: Requirements,
    place: Place,
    along: Direction,
    semiring: Semiring,
    vector: fn(VertexVector) -> Option<VertexArray<F>>,
) -> Plan {
    Plan::interval(needs, interval::work::<F>(place, along), move |engine, mut run| {
        interval::spmv::<F>(engine, &in_precision(&mut run, vector)?, along, semiring)
    })
}

/// Returns the vector of a run in the form given by its plan.
fn in_precision<V>(run: &mut Session<'_>, vector: fn(VertexVector) -> Option<V>) -> Result<V> {
    vector(run.take_vector()?).ok_or_else(|| Error::internal("the vector has another precision than the plan"))
}

impl Algorithm for Spmv {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&VECTOR.info, &TRANSPOSE.info, &COMBINE.info, &EDGE.info, &PRECISION.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (place, vertices) = (shape.place(), shape.vertices);
        let (along, semiring) = (along(args)?, semiring(args)?);
        let needs = if along == Direction::Out { Requirements::OUT_LISTS } else { Requirements::IN_LISTS };
        let plan = match (model, args.get(&PRECISION)?) {
            (Model::EdgeMap, Precision::Double) => {
                by_maps::<AtomicU64>(needs, vertices, along, semiring, VertexVector::doubles, Values::Float64)
            }
            (Model::EdgeMap, Precision::Single) => {
                by_maps::<AtomicU32>(needs, vertices, along, semiring, VertexVector::singles, Values::Float32)
            }
            (Model::Interval, Precision::Double) => {
                by_intervals::<f64>(needs, place, along, semiring, VertexVector::double_array)
            }
            (Model::Interval, Precision::Single) => {
                by_intervals::<f32>(needs, place, along, semiring, VertexVector::single_array)
            }
            (Model::Messages | Model::Gas, _) => return Ok(None),
        };
        Ok(Some(plan.reading_few_lists().resuming()))
    }

    fn vector(&self, args: &Args) -> Result<Option<VectorUse>> {
        let (precision, combine) = (args.get(&PRECISION)?, args.get(&COMBINE)?);
        let meaning = VectorUse { precision, unnamed: semiring(args)?.identity(), ..VectorUse::ANY };
        Ok(Some(VectorUse { infinite: combine != Combine::Plus, ..meaning }))
    }
}
