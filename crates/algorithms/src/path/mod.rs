//! Shortest paths between two vertices.

mod by_edges;
mod by_weight;
mod found;
mod k_shortest;
mod yen;

pub use k_shortest::KShortestPaths;

use crate::algorithm::{Algorithm, Starts};
use crate::params::shared::ONE_SOURCE;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Weights};
use crate::weights::WEIGHTED;
use found::{Ends, TARGET};
use outcrop_types::Result;

/// Shortest path between two vertices.
pub struct ShortestPath;

static SPEC: Spec = Spec {
    name: "path",
    aliases: &["shortest-path"],
    python_name: "shortest_path",
    summary: "Shortest path from one vertex to another: the fewest edges, or the smallest sum of weights",
    paper: "Pohl: Bi-directional Search, Machine Intelligence 6, 1971; Meyer, Sanders: Δ-stepping, Journal of Algorithms 2003",
    weights: Weights::OnRequest,
    columns: &[ColumnInfo { name: "step", meaning: "number of edges of the path before the vertex; 0 is the source" }],
    values: &[ScalarInfo {
        name: "distance", meaning: "number of edges or, with --weighted, sum of weights of the path; null if there is none",
    }],
    details: "
        A shortest path has the smallest number of directed edges of all paths from --source to --target or, with --weighted, the smallest
        sum of weights. The result has one row per vertex of the path, from the source to the target, and no rows if there is no path. With
        --weighted, a negative weight on an edge from a reached vertex is an error.

        Without weights, the search alternates between both ends, takes a step from the end with fewer new vertices, and stops at the first
        edge where they meet. With --weighted, it starts at the source and stops when the distance of the target is final.

        If there are several shortest paths, the result is the same one for any number of threads, vertex order and layout. A path of more
        than 65,536 vertices needs more memory than estimated, 4 bytes per vertex.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "c"), ("c", "d"), ("a", "x"), ("x", "d")], "letters.outcrop")
        >>> oc.shortest_path(g, "a", "d").to_arrow()["node"].to_pylist()
        ['a', 'x', 'd']
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for ShortestPath {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&ONE_SOURCE.info, &TARGET.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::ALL;
        let plan = match SPEC.weights.count(args)? {
            true => Plan::edge_map(needs, by_weight::memory(shape.vertices), |engine, run| {
                let refuse = |edge| crate::sssp::refused::<f64>(&run, edge);
                by_weight::path(engine, Ends::of(&run)?, run.ranks, refuse)
            }),
            false => Plan::edge_map(needs, by_edges::memory(shape.vertices), |engine, run| {
                by_edges::path(engine, Ends::of(&run)?, run.ranks)
            }),
        };
        Ok((model == Model::EdgeMap).then(|| plan.following_frontiers().reading_few_lists().resuming()))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids([args.get(&ONE_SOURCE)?, args.get(&TARGET)?].concat()))
    }
}
