//! The product of the adjacency matrix and a vector.

pub mod edge_map;
pub mod interval;
mod semiring;

use crate::AtomicFloat;
use crate::algorithm::{Algorithm, VectorUse};
use crate::outcome::{Outcome, Values};
use crate::params::shared::PRECISION;
use crate::params::{Args, InputVector, Kind, Param, ParamInfo, Preset, choices};
use crate::plan::{Plan, Shape};
use crate::session::{ModelEngine, Session, VertexVector, other_model};
use crate::spec::{ColumnInfo, Model, Precision, Requirements, Spec, Statistic, Weights};
use outcrop_engine::VertexArray;
use outcrop_engine::interval::IntervalEngine;
use outcrop_types::{Direction, Result};
pub use semiring::{Combine, EdgeTerm, Semiring};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The product of the adjacency matrix and a vector.
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

/// The lists along which a product sums.
fn along(args: &Args) -> Result<Direction> {
    Ok(if args.get(&TRANSPOSE)? { Direction::Out } else { Direction::In })
}

impl Algorithm for Spmv {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&VECTOR.info, &TRANSPOSE.info, &COMBINE.info, &EDGE.info, &PRECISION.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (place, along) = (shape.place(), along(args)?);
        let needs = if along == Direction::Out { Requirements::OUT_LISTS } else { Requirements::IN_LISTS };
        let plan = match (model, args.get(&PRECISION)?) {
            (Model::EdgeMap, Precision::Double) => Plan::edge_map(needs, edge_map::memory::<AtomicU64>(shape.vertices)),
            (Model::EdgeMap, Precision::Single) => Plan::edge_map(needs, edge_map::memory::<AtomicU32>(shape.vertices)),
            (Model::Interval, Precision::Double) => Plan::interval(needs, interval::work::<f64>(place, along)),
            (Model::Interval, Precision::Single) => Plan::interval(needs, interval::work::<f32>(place, along)),
            (Model::Messages | Model::Gas, _) => return Ok(None),
        };
        Ok(Some(plan.reading_few_lists().resuming()))
    }

    fn run(&self, mut session: Session<'_, '_>, args: &Args) -> Result<Outcome> {
        let (along, vector) = ((along(args)?, semiring(args)?), session.take_vector()?);
        match session.engine {
            ModelEngine::EdgeMap(engine) => match vector {
                VertexVector::Double(vector) => edge_map::spmv(engine, vector, along, Values::Float64),
                VertexVector::Single(vector) => edge_map::spmv(engine, vector, along, Values::Float32),
                VertexVector::DoubleFile(_) | VertexVector::SingleFile(_) => Err(other_model()),
            },
            ModelEngine::Interval(engine) => by_intervals(engine, vector, along),
            ModelEngine::Messages(_) | ModelEngine::Gas(_) => Err(other_model()),
        }
    }

    fn vector(&self, args: &Args) -> Result<Option<VectorUse>> {
        let (precision, combine) = (args.get(&PRECISION)?, args.get(&COMBINE)?);
        let meaning = VectorUse { precision, unnamed: semiring(args)?.identity(), ..VectorUse::ANY };
        Ok(Some(VectorUse { infinite: combine != Combine::Plus, ..meaning }))
    }
}

fn by_intervals(engine: &IntervalEngine<'_>, vector: VertexVector, along: (Direction, Semiring)) -> Result<Outcome> {
    let double = |vector| interval::spmv::<f64>(engine, &vector, along);
    let single = |vector| interval::spmv::<f32>(engine, &vector, along);
    match vector {
        VertexVector::Double(vector) => double(VertexArray::Memory(vector.map(AtomicU64::into_plain))),
        VertexVector::DoubleFile(vector) => double(VertexArray::Disk(vector)),
        VertexVector::Single(vector) => single(VertexArray::Memory(vector.map(AtomicU32::into_plain))),
        VertexVector::SingleFile(vector) => single(VertexArray::Disk(vector)),
    }
}
