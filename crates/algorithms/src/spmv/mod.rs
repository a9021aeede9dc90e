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
    summary: "Product of the adjacency matrix and a vector: weights times values, summed over in-edges",
    paper: "Zhu, Han, Chen: GridGraph, USENIX ATC 2015; Xu et al.: LOSC, JPDC 2022",
    models: &[Model::EdgeMap, Model::Interval],
    weights: Weights::Used,
    columns: &[ColumnInfo {
        name: "value",
        meaning: "the sum, over in-edges, of weight times the vector's value; with --transpose over out-edges; null where it overflows, and where there is no least or greatest",
    }],
    statistics: &[("sum of values", Statistic::Sum), ("greatest value", Statistic::Most)],
    details: "
        The sum, over the edges that lead to a vertex, of their weights times the numbers of their sources, which is `A.T @ x` with SciPy's
        adjacency matrix `A`; with --transpose over the edges that leave it, `A @ x`. In an undirected graph both are the same. Without
        weights every edge counts 1, and repeated edges count as often as they are stored. Vertices that the vector does not name have 0.

        In other semirings the terms of edges are the weight plus the number (`--edge plus`) or the number alone (`first`), and come
        together as their least or greatest (`--combine min`, `max`): `--combine min --edge plus` is a step of shortest paths. Numbers may be
        infinite then, vertices that the vector does not name give nothing, and a vertex without neighbours that give anything has null.

        With single precision only the numbers that are kept are rounded; sums are of double precision.
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
    "Multiply this: .npy with a value a vertex in ascending id, or .parquet, .csv or .tsv with an id and a value a row",
);

static TRANSPOSE: Param<bool> =
    Param::new("transpose", Kind::Flag, Preset::Flag(false), "Sum over out-edges in place of in-edges");

choices!(Combine: "plus" => Self::Plus, "min" => Self::Min, "max" => Self::Max);
choices!(EdgeTerm: "times" => Self::Times, "plus" => Self::Plus, "first" => Self::First);

static COMBINE: Param<Combine> =
    Param::word("combine", "plus", "Add the terms of a vertex up, or take the least or the greatest").shown_as("WAY");

static EDGE: Param<EdgeTerm> = Param::word(
    "edge",
    "times",
    "Term of an edge: its weight times or plus the number of the neighbour, or that number alone",
)
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
