//! Embedding by fast random projections.

mod edge_map;

use crate::algorithm::Algorithm;
use crate::params::shared::SEED;
use crate::params::{Args, Bounds, Kind, Param, ParamInfo, Preset};
use crate::plan::{Batch, EdgeMapWork, Plan};
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Weights};
use edge_map::Projection;
use outcrop_types::Result;

/// Embedding by fast random projections.
pub struct FastRp;

static SPEC: Spec = Spec {
    name: "fastrp",
    aliases: &["embedding"],
    python_name: "fastrp",
    summary: "FastRP: a vector per vertex, similar for vertices with similar neighborhoods, by random projections",
    paper: "Chen, Sultan, Tian, Chen, Skiena: Fast and Accurate Network Embeddings via Very Sparse Random Projection, CIKM 2019",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "embedding_<id>", meaning: "coordinate of the vector, with the number of its dimension as the name; 0 for vertices without edges",
    }],
    details: "
        Every vertex starts with a random vector of --dimensions coordinates. In each iteration, it takes the mean of the vectors of its
        neighbors. The embedding is the sum of the vectors after all iterations but the first, whose vectors say little: with more
        --iterations, it depends on a larger neighborhood. With --beta below 0, neighbors of high degree count less.

        Directions are ignored, each stored copy of a repeated edge counts, and weights are ignored. The vectors are not scaled to length 1.

        For a seed, the result does not depend on threads or memory, and on the vertex order and the layout only by rounding. Dimensions
        are computed in groups, whose size depends on the memory, and written to temporary files of 4 bytes per vertex and dimension.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (3, 4)], "chain-of-four.outcrop", directed=False)
        >>> oc.fastrp(g, dimensions=2).columns
        ['node', 'embedding_0', 'embedding_1']
    "#,
    ..Spec::DEFAULT
};

static DIMENSIONS: Param<u32> =
    Param::new("dimensions", Kind::Count(1, 512), Preset::Count(64), "Number of coordinates of a vector");

static ITERATIONS: Param<u32> =
    Param::new("iterations", Kind::POSITIVE_COUNT, Preset::Count(3), "Number of iterations");

static BETA: Param<f64> = Param::new(
    "beta",
    Kind::Number(Bounds::SIGNED_UNIT),
    Preset::Number(0.0),
    "Power of the degrees that scales the random vectors",
);

impl Algorithm for FastRp {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&DIMENSIONS.info, &ITERATIONS.info, &BETA.info, &SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_ranks();
        let projection = Projection {
            dimensions: args.get(&DIMENSIONS)?,
            iterations: args.get(&ITERATIONS)?,
            beta: args.get(&BETA)?,
            seed: args.get(&SEED)?,
        };
        let dimensions = projection.dimensions;
        let bytes = |vertices, lanes| edge_map::memory(vertices, lanes, lanes).total();
        let batch = Batch { sources: dimensions.min(edge_map::LANES), requested: None, bytes };
        let work = EdgeMapWork {
            batch: Some(batch),
            temporary_bytes: edge_map::temporary_bytes(shape.vertices, dimensions),
            ..edge_map::memory(shape.vertices, dimensions, 1).into()
        };
        let directions: Vec<_> = shape.directions(needs).collect();
        let plan =
            Plan::edge_map(needs, work, move |engine, run| edge_map::embedding(engine, &run, &directions, projection));
        Ok((model == Model::EdgeMap).then(|| plan.resuming()))
    }

    fn rounds(&self, args: &Args) -> Result<u32> {
        args.get(&ITERATIONS)
    }
}
