//! Several shortest paths between two vertices.

use super::found::{Ends, TARGET};
use super::yen;
use crate::algorithm::{Algorithm, Starts};
use crate::outcome::InMemoryListBytes;
use crate::params::shared::ONE_SOURCE;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Weights};
use crate::weights::{RefusedEdge, WEIGHTED};
use outcrop_types::Result;

/// Several shortest paths between two vertices.
pub struct KShortestPaths;

static SPEC: Spec = Spec {
    name: "k-shortest-paths",
    aliases: &["yen"],
    python_name: "k_shortest_paths",
    summary: "Several shortest paths from one vertex to another, each visiting a vertex at most once",
    paper: "Yen: Finding the K Shortest Loopless Paths in a Network, Management Science 1971",
    weights: Weights::OnRequest,
    columns: &[
        ColumnInfo { name: "path", meaning: "number of the path, starting at 0 with the shortest" },
        ColumnInfo { name: "step", meaning: "number of edges of the path before the vertex; 0 is the source" },
        ColumnInfo {
            name: "distance", meaning: "number of edges or, with --weighted, sum of weights of the path up to the vertex",
        },
    ],
    values: &[
        ScalarInfo { name: "paths", meaning: "number of paths found" },
        ScalarInfo { name: "distance", meaning: "length of the shortest path; null if there is none" },
    ],
    details: "
        The --k shortest directed paths from --source to --target by the number of edges or, with --weighted, by the sum of weights; fewer
        if there are not that many. No path visits a vertex twice. The smallest weight of repeated edges counts. With
        --weighted, a negative weight on an edge to a vertex that reaches the target is an error.

        The result has one row per vertex of each path, from the source to the target, shortest path first. Distances of all vertices to the
        target are computed first and direct the searches for paths, of which there is one per vertex of a path. A search needs about 96
        bytes per vertex that it reaches, which may be more than the estimate.

        Which of several equally long paths are found does not depend on threads, memory, vertex order or layout.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "d"), ("a", "c"), ("c", "e"), ("e", "d")], "detours.outcrop")
        >>> oc.k_shortest_paths(g, "a", "d", k=2).to_arrow()["node"].to_pylist()
        ['a', 'b', 'd', 'a', 'c', 'e', 'd']
    "#,
    ..Spec::DEFAULT
};

static MOST: Param<u32> = Param::new("k", Kind::Count(1, 10_000), Preset::Count(3), "Number of paths");

impl Algorithm for KShortestPaths {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&ONE_SOURCE.info, &TARGET.info, &MOST.info, &WEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let most = args.get(&MOST)?;
        let held = InMemoryListBytes { least: 1 << 20, most: 256 << 20 };
        let work = EdgeMapWork::holding(yen::memory(shape.vertices), held);
        let plan = Plan::edge_map(Requirements::ALL, work, move |engine, run| {
            let too_long = "a path through it is longer than 1.8e308, the limit of f64; use a larger unit of weights";
            let refuse = |edge: RefusedEdge| match edge.weight < 0.0 {
                true => crate::sssp::refused::<f64>(&run, edge),
                false => run.refused_weight(edge, too_long),
            };
            yen::paths(engine, Ends::of(&run)?, run.ranks, most, run.held, refuse)
        });
        Ok((model == Model::EdgeMap).then(|| plan.following_frontiers().resuming()))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids([args.get(&ONE_SOURCE)?, args.get(&TARGET)?].concat()))
    }
}
