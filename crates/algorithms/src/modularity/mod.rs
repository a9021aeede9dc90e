//! Modularity and conductance of given communities.

mod edge_map;

use crate::algorithm::{Algorithm, VectorUse};
use crate::params::{Args, Bounds, InputVector, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Statistic, Weights};
use crate::weights::UNWEIGHTED;
use outcrop_types::{Error, Location, Result, VertexId, VertexValues};

/// Modularity and conductance of given communities.
pub struct Modularity;

static SPEC: Spec = Spec {
    name: "modularity",
    aliases: &["conductance"],
    python_name: "modularity",
    summary: "Modularity and conductance of given communities: how many of the edges are within them",
    paper: "Newman, Girvan: Finding and Evaluating Community Structure in Networks, Physical Review E 2004",
    weights: Weights::ByDefault,
    columns: &[ColumnInfo {
        name: "conductance", meaning: "conductance of the community of the vertex; null if the degrees within or outside sum to 0",
    }],
    values: &[
        ScalarInfo { name: "modularity", meaning: "modularity of the communities; null without edges" },
        ScalarInfo { name: "coverage", meaning: "share of the edges that are within communities; null without edges" },
        ScalarInfo { name: "communities", meaning: "number of communities" },
    ],
    statistics: &[("mean conductance", Statistic::Mean), ("highest conductance", Statistic::Most)],
    details: "
        Each vertex has a community (--communities): any integer below 2^53 in size, such as those that leiden, louvain or
        cdlp return in a graph of integer IDs. The modularity is the share of the edges within communities (the coverage), less the share expected in a random graph with the
        same degrees, which --resolution multiplies. The conductance of a community is the number of edges that leave it in either
        direction, divided by the sum of the degrees (in a directed graph, of the out-degrees) within it or outside it, whichever is
        smaller. All these are those of NetworkX.

        Each stored copy of a repeated edge counts, and a self-loop of an undirected graph counts twice in degrees. Weights of a weighted
        graph count unless --unweighted is given. The edges of a directed graph count by their direction, unlike in leiden.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 7), (7, 8), (8, 9), (9, 7)], "pair.outcrop", directed=False)
        >>> found = oc.modularity(g, communities=oc.leiden(g).to_dict())
        >>> round(found.stats["values"]["modularity"], 3)
        0.357
        >>> round(found.to_dict()[1], 3)
        0.143
    "#,
    ..Spec::DEFAULT
};

static COMMUNITIES: Param<Option<InputVector>> = Param::new(
    "communities",
    Kind::Vector,
    Preset::None(""),
    "Community of each vertex: .npy (one integer per vertex by ascending ID), or .parquet, .csv or .tsv (ID and integer)",
)
.needed(", an integer per vertex");

static RESOLUTION: Param<f64> =
    Param::new("resolution", Kind::Number(Bounds::POSITIVE), Preset::Number(1.0), "Weight of the expected edges");

/// Returns the label of each vertex.
fn labels(run: &mut Session<'_>) -> Result<VertexValues<f64>> {
    let labels = run.take_vector()?.into_doubles()?;
    match (0..).zip(labels.iter()).find(|(_, label)| label.is_nan()) {
        Some((vertex, _)) => Err(missing(run, vertex)),
        None => Ok(labels),
    }
}

fn missing(run: &Session<'_>, vertex: VertexId) -> Error {
    match run.graph.name_of(vertex) {
        Ok(name) => Error::bad_input(
            Location::file("the communities"),
            format!("vertex {name} has no community; give every vertex one"),
        ),
        Err(error) => error,
    }
}

impl Algorithm for Modularity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&COMMUNITIES.info, &RESOLUTION.info, &UNWEIGHTED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (resolution, weighted) = (args.get(&RESOLUTION)?, SPEC.weights.count(args)?);
        let memory = edge_map::memory(shape.vertices, shape.directed);
        let plan = Plan::edge_map(Requirements::BOTH_LISTS, memory, move |engine, mut run| {
            edge_map::modularity(engine, labels(&mut run)?, resolution, weighted)
        });
        Ok((model == Model::EdgeMap).then(|| plan.reading_few_lists().resuming()))
    }

    fn vector(&self, _: &Args) -> Result<Option<VectorUse>> {
        Ok(Some(VectorUse {
            // Marks vertices without a community.
            unnamed: f64::NAN,
            allows: |value| value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0,
            refusal: "is not an integer below 2^53 in size; number the communities",
            ..VectorUse::ANY
        }))
    }
}
