//! Similarity to a vertex, and the most similar vertices of each vertex.

mod blocks;
mod edge_map;
mod measure;
mod most_similar;

pub use measure::Measure;
pub use most_similar::MostSimilar;

use crate::algorithm::{Algorithm, Starts};
use crate::params::shared::ONE_SOURCE;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use measure::MEASURE;
use outcrop_types::{Direction, Error, Result};

/// Similarity to a vertex.
pub struct Similarity;

static SPEC: Spec = Spec {
    name: "similarity",
    python_name: "similarity",
    summary: "Similarity to a source vertex: how many out-neighbors each vertex shares with it",
    paper: "Liben-Nowell, Kleinberg: The Link-Prediction Problem for Social Networks, JASIST 2007",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "similarity", meaning: "similarity to the source; null for the source and for vertices without a common neighbor",
    }],
    statistics: &[("similar vertices", Statistic::Known), ("greatest similarity", Statistic::Most)],
    details: "
        Two vertices are similar if they have many out-neighbors in common. With the sets of out-neighbors N(s) of the source and N(v),
        --measure is:

        - jaccard: the number of common neighbors divided by the size of the union of N(s) and N(v)
        - overlap: that number divided by the size of the smaller set
        - cosine: that number divided by the square root of the product of the sizes
        - common: that number
        - adamic-adar: the sum over common neighbors of 1 divided by the logarithm of their number of in-neighbors
        - resource-allocation: the sum over common neighbors of 1 divided by their number of in-neighbors

        In an undirected graph, in-neighbors and out-neighbors are the same. Repeated edges count once, and self-loops and weights are
        ignored. The table of the largest values lists the vertices most similar to the source, and `most-similar` finds those of
        every vertex. For given pairs of vertices of an undirected graph, use NetworkX's functions with outcrop as the backend, such as
        `jaccard_coefficient`.
    ",
    example: r#"
        >>> g = oc.build([("ann", "tea"), ("ann", "jam"), ("bob", "tea"), ("bob", "jam"), ("cid", "jam")], "shop.outcrop")
        >>> oc.similarity(g, "ann").to_dict()
        {'ann': None, 'bob': 1.0, 'cid': 0.5, 'jam': None, 'tea': None}
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Similarity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&ONE_SOURCE.info, &MEASURE.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let measure = args.get(&MEASURE)?;
        let memory = edge_map::memory(shape.vertices, measure);
        let plan = || {
            Plan::edge_map(Requirements::BOTH_LISTS.with_frontiers(), memory, move |engine, run| {
                let [source] = run.sources else { return Err(Error::internal("similarity has no single source")) };
                let sizes = match measure.needs_sizes() && run.shape.simple {
                    true => Some(run.graph.degrees(Direction::Out)?),
                    false => None,
                };
                edge_map::similarity(engine, *source, measure, sizes)
            })
        };
        Ok((model == Model::EdgeMap).then(|| plan().reading_few_lists().resuming()))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids(args.get(&ONE_SOURCE)?))
    }
}
