//! Eccentricities, estimated from a sample of sources.

mod edge_map;

pub use edge_map::MOST_SOURCES;

use crate::algorithm::{Algorithm, Starts};
use crate::outcome::Outcome;
use crate::params::shared::SEED;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::{Plan, Shape};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic, Weights};
use outcrop_types::Result;

/// Eccentricities, estimated from a sample of sources.
pub struct Radii;

static SPEC: Spec = Spec {
    name: "radii",
    python_name: "radii",
    summary: "Eccentricities, estimated from up to 64 sources at once",
    paper: "Shun, Blelloch: Ligra, PPoPP 2013; Magnien, Latapy, Habib, JEA 2009",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity",
        meaning: "the greatest distance in edges from a sampled source; null where none reaches",
    }],
    statistics: &[("reached", Statistic::Known), ("greatest eccentricity found", Statistic::Most)],
    details: "
        The greatest distance, in edges along their direction, from any of the sampled vertices that reach this one. In an undirected graph
        that is a lower bound of its eccentricity, and the largest value one of the diameter of what was reached.
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
    "Start from so many vertices at once, which are drawn",
);

impl Algorithm for Radii {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SOURCES.info, &SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let needs = Requirements::BOTH_LISTS.with_frontiers();
        let plan = || Plan::edge_map(needs, edge_map::memory(shape.vertices)).following_frontiers().resuming();
        Ok((model == Model::EdgeMap).then(plan))
    }

    fn run(&self, session: Session<'_, '_>, _: &Args) -> Result<Outcome> {
        edge_map::radii(session.edge_map()?, session.sources)
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::sample(args.get(&SOURCES)?, args.get(&SEED)?))
    }
}
