//! Distances from many sources to all vertices (all-pairs shortest paths).

pub mod edge_map;

use crate::algorithm::{Algorithm, Starts};
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Weights};
use outcrop_types::Result;

/// Distances from many sources to all vertices (all-pairs shortest paths).
pub struct Apsp;

static SPEC: Spec = Spec {
    name: "apsp",
    aliases: &["distances"],
    python_name: "multi_source_distances",
    summary: "Distances (numbers of edges on shortest paths) from each of several source vertices",
    paper: "Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, PVLDB 2014",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "distance_<id>", meaning: "number of edges on a shortest path from the vertex with this ID; null if unreached",
    }],
    memory_hint: Some("each source takes 2 bytes per vertex; use fewer sources (--samples or --source)"),
    details: "
        The distance from a source to a vertex is the smallest number of edges on a directed path between them. The sources are the given
        vertices, without duplicates, or a random sample. The search processes 64 sources at a time. A column takes 2 bytes of memory per
        vertex, or 4 bytes if its source reaches vertices more than 65,534 edges away.
    ",
    example: r#"
        >>> g = oc.build([("a", "b"), ("b", "c")], "letters.outcrop")
        >>> result = oc.multi_source_distances(g, ["b", "a"])
        >>> result.columns
        ['node', 'distance_b', 'distance_a']
        >>> result.to_dict("distance_a")
        {'a': 0, 'b': 1, 'c': 2}
    "#,
    ..Spec::DEFAULT
};

static SOURCE: Param<Vec<String>> = Param::new("source", Kind::Ids, Preset::None(""), "Source vertex (repeatable)");

static SAMPLES: Param<u32> = Param::new(
    "samples",
    Kind::POSITIVE_COUNT,
    Preset::Count(edge_map::SAMPLES as u64),
    "Number of randomly chosen source vertices",
)
.excludes(&["source"]);

static SEED: Param<u64> = Param::new("seed", Kind::SEED, Preset::Count(1), "Random seed").excludes(&["source"]);

impl Algorithm for Apsp {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCE.info, &SAMPLES.info, &SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let memory = edge_map::memory(shape.vertices, self.starts(args)?.count(shape.vertices));
        let plan = || {
            Plan::edge_map(Requirements::BOTH_LISTS.with_frontiers(), memory, |engine, run| {
                edge_map::apsp(engine, run.sources, run.source_names)
            })
        };
        Ok((model == Model::EdgeMap).then(|| plan().following_frontiers().resuming()))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        let ids = args.get(&SOURCE)?;
        let starts =
            if ids.is_empty() { Starts::sample(args.get(&SAMPLES)?, args.get(&SEED)?) } else { Starts::ids(ids) };
        Ok(starts.once().named())
    }
}
