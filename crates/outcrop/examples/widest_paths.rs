//! Most that can flow from one place to every other, along a single path. The width of a path is that of its narrowest
//! edge, and the widest path counts: streets for a lorry, lines for data. A program whose vertices take the largest of
//! what their edges offer, so that a change of one edge is enough to go on: once little changes, only the edges that
//! matter are read.
//!
//! `cargo run --release --example widest_paths -- roads.outcrop 7` prints the ten vertices that most can get to from
//! vertex 7.

use outcrop::engine::{
    Aggregation, Column, Directions, GasProgram, GasRequirements, GasVertex, GasWork, OutEdge, Outcome, Plan, Shape,
    Totals, Values,
};
use outcrop::params::shared::ONE_SOURCE;
use outcrop::{
    Algorithm, Args, ColumnInfo, Error, Graph, Model, OpenOptions, ParamInfo, Result, RunRequest, Spec, Starts,
    TableFormat, Weights,
};

/// Wider and wider paths from a source.
struct WidestPaths {
    source: u32,
}

impl GasProgram for WidestPaths {
    /// The width of the widest path so far; 0 without any, and infinite at the source.
    type Value = f64;
    /// The width of the path that ends with the edge.
    type Edge = f64;
    type Sum = f64;
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::Max;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (f64, Option<f64>) {
        if vertex.id == self.source { (f64::INFINITY, Some(f64::INFINITY)) } else { (0.0, None) }
    }

    fn gather(&self, sum: Option<f64>, edge: f64) -> f64 {
        sum.map_or(edge, |sum| sum.max(edge))
    }

    fn apply(&self, _: GasVertex, old: &f64, sum: Option<f64>) -> f64 {
        sum.map_or(*old, |sum| sum.max(*old))
    }

    fn change(&self, _: GasVertex, old: &f64, new: &mut f64, _: &mut Totals) -> Option<f64> {
        (*new > *old).then_some(*new)
    }

    fn scatter(&self, _: GasVertex, _: &f64, change: f64, edge: OutEdge<f64>) -> f64 {
        change.min(edge.weight)
    }
}

/// For every vertex the width of the widest path from a source to it, along edges as wide as their weights.
pub struct Widths;

static SPEC: Spec = Spec {
    name: "widest-paths",
    summary: "The widest path from a source to every vertex, along edges as wide as their weights",
    models: &[Model::Gas],
    weights: Weights::Used,
    columns: &[ColumnInfo { name: "width", meaning: "of the widest path; 0 without any, null for the source" }],
    ..Spec::DEFAULT
};

impl Algorithm for Widths {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        static PARAMS: &[&ParamInfo] = &[&ONE_SOURCE.info];
        PARAMS
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let requirements = GasRequirements::of::<WidestPaths>(shape.vertices, shape.on_disk, Directions::Out);
        let work = GasWork::new(GasRequirements { weighted: shape.weighted, ..requirements }, 4);
        let plan = || {
            Plan::gas(work, |engine, session| {
                let source = session.sources.first().copied();
                let source = source.ok_or_else(|| Error::internal("paths begin nowhere"))?;
                let ran = engine.run(&WidestPaths { source }, u32::MAX)?;
                let widths = engine.project(&ran.values, |width| width)?;
                Ok(Outcome::new(vec![Column::new("width", Values::from(widths))], ran.iterations))
            })
        };
        Ok((model == Model::Gas).then(plan))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids(args.get(&ONE_SOURCE)?))
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let store = arguments.next().unwrap_or_else(|| "roads.outcrop".to_owned());
    let source = arguments.next().unwrap_or_else(|| "0".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = graph.run(&RunRequest::of(&Widths).with("source", source)?)?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
