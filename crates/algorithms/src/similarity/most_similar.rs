//! The most similar vertices of each vertex.

use super::blocks::{self, Search};
use super::measure::MEASURE;
use crate::algorithm::Algorithm;
use crate::outcome::InMemoryListBytes;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Weights};
use outcrop_types::Result;

/// The most similar vertices of each vertex.
pub struct MostSimilar;

static SPEC: Spec = Spec {
    name: "most-similar",
    aliases: &["node-similarity"],
    python_name: "most_similar",
    summary: "Most similar vertices of each vertex: those that share the most out-neighbors with it",
    paper: "Liben-Nowell, Kleinberg: The Link-Prediction Problem for Social Networks, JASIST 2007",
    weights: Weights::Ignored,
    columns: &[
        ColumnInfo {
            name: "similar_<id>", meaning: "similar vertex, with its place from 1 to --k as the name; null if fewer share a neighbor with the vertex",
        },
        ColumnInfo {
            name: "similarity_<id>", meaning: "its similarity; null if fewer vertices share a neighbor with the vertex",
        },
    ],
    details: "
        Two vertices are similar if they have many out-neighbors in common, by one of the measures of `similarity` (--measure). The result
        has the --k most similar vertices of each vertex, most similar first; of equally similar ones, those of the smallest IDs. Vertices
        without a common neighbor are not similar. Repeated edges count once, and self-loops and weights are ignored.

        The time grows with the sum of the squares of the in-degrees: a vertex with a million in-neighbors is shared by 500 billion pairs.
        With --max-degree, neighbors with more in-neighbors do not count, neither as common ones nor in the sizes of sets. Such neighbors
        say little about similarity.

        The memory determines how many vertices are compared at the same time; with more, the lists are read less often. The result does not
        depend on threads, memory, vertex order or layout.
    ",
    example: r#"
        >>> g = oc.build([("ann", "tea"), ("ann", "jam"), ("bob", "tea"), ("bob", "jam"), ("cid", "jam")], "pairs.outcrop")
        >>> oc.most_similar(g, k=1).to_arrow().to_pylist()[0]
        {'node': 'ann', 'similar_1': 'bob', 'similarity_1': 1.0}
    "#,
    ..Spec::DEFAULT
};

static MOST: Param<u32> =
    Param::new("k", Kind::Count(1, 100), Preset::Count(10), "Number of similar vertices per vertex");

static MAX_DEGREE: Param<Option<u32>> = Param::new(
    "max-degree",
    Kind::POSITIVE_COUNT,
    Preset::None("all"),
    "Ignore neighbors with more in-neighbors than this",
);

impl Algorithm for MostSimilar {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&MOST.info, &MEASURE.info, &MAX_DEGREE.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let search = Search {
            measure: args.get(&MEASURE)?,
            most: args.get(&MOST)?,
            // Default: no vertex has more in-neighbors.
            max_degree: args.get(&MAX_DEGREE)?.unwrap_or(u32::MAX),
        };
        let needs = Requirements::BOTH_LISTS.with_ranks();
        // A pair of vertices per common neighbor; 64 times the entries is as many as in large graphs of low degree.
        let least = blocks::least_held(shape.vertices);
        let held = InMemoryListBytes { least, most: (64 * shape.entries_of(needs)).clamp(least, least.max(4 << 30)) };
        let work = EdgeMapWork {
            temporary_bytes: blocks::temporary_bytes(shape.vertices, search.most),
            ..EdgeMapWork::holding(blocks::memory(shape.vertices, search.most), held)
        };
        let plan = Plan::edge_map(needs, work, move |engine, run| blocks::most_similar(engine, &run, search));
        Ok((model == Model::EdgeMap).then(|| plan.resuming()))
    }
}
