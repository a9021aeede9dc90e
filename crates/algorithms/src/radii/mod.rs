//! Eccentricities, estimated from a sample of sources.

mod edge_map;

pub use edge_map::MOST_SOURCES;

use crate::algorithm::{Algorithm, Starts};
use crate::params::shared::SEED;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use outcrop_types::Result;

/// Eccentricities, estimated from a sample of sources.
pub struct Radii;

static SPEC: Spec = Spec {
    name: "radii",
    python_name: "radii",
    summary: "Eccentricity estimates: the largest finite distance to a vertex from a sample of up to 64 vertices",
    paper: "Shun, Blelloch: Ligra, PPoPP 2013; Magnien, Latapy, Habib, JEA 2009",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity", meaning: "largest distance (number of edges) from a sampled source; null if none reaches the vertex",
    }],
    statistics: &[("reached", Statistic::Known), ("greatest eccentricity found", Statistic::Most)],
    details: "
        The largest distance, in directed edges, from any sampled vertex that reaches the vertex. In an undirected graph this is a lower
        bound of its eccentricity, and the largest value is a lower bound of the diameter of the reached part.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop", directed=False)
        >>> oc.radii(g).to_dict()
        {1: 2, 2: 1, 3: 2}
    "#,
    ..Spec::DEFAULT
};

static SOURCES: Param<u32> = Param::new(
    "sources",
    Kind::Count(1, MOST_SOURCES as u64),
    Preset::Count(MOST_SOURCES as u64),
    "Number of randomly chosen source vertices",
);

impl Algorithm for Radii {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCES.info, &SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let plan = || {
            Plan::edge_map(
                Requirements::BOTH_LISTS.with_frontiers(),
                edge_map::memory(shape.vertices),
                |engine, run| edge_map::radii(engine, run.sources),
            )
        };
        Ok((model == Model::EdgeMap).then(|| plan().following_frontiers().resuming()))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::sample(args.get(&SOURCES)?, args.get(&SEED)?))
    }
}
