//! How much can flow from one place to every other, along a single path? The width of a path is that of its narrowest edge, and the
//! widest path counts: streets for a lorry, lines for data. A program whose vertices take the largest of what their edges offer, so that
//! a change of one edge is enough to go on: once little changes, only the edges that matter are read.
//!
//! `cargo run --release --example widest_paths -- roads.outcrop 7` prints the ten vertices that most can get to from vertex 7.

use outcrop::engine::{Aggregation, GasAlong, GasProgram, GasVertex, OutEdge, Totals};
use outcrop::{GasChoices, GasRun, Graph, OpenOptions, OwnResult, Result, TableFormat, ValuePlace};

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

/// For every vertex the width of the widest path from `source` to it, along edges as wide as their weights; 0 without any, and null for the
/// source, which is as wide as one likes.
pub fn widest_paths(graph: &Graph, source: &str, gas: GasChoices, values: ValuePlace) -> Result<OwnResult> {
    let source = graph.vertices_of(&[source.to_owned()])?.first().copied().unwrap_or_default();
    let run = GasRun {
        column: "width",
        result: &|width| width,
        along: GasAlong::Out,
        weights: true,
        degrees: false,
        at_most: u32::MAX,
        values,
        gas,
        arrivals: None,
    };
    graph.run_gas_program(&WidestPaths { source }, &run)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let store = arguments.next().unwrap_or_else(|| "roads.outcrop".to_owned());
    let source = arguments.next().unwrap_or_else(|| "0".to_owned());
    let graph = Graph::open(store.as_ref(), OpenOptions::default())?;
    let result = widest_paths(&graph, &source, GasChoices::default(), ValuePlace::Auto)?;
    result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, 10)
}
