//! Diameter of a graph.

pub mod edge_map;

use crate::algorithm::Algorithm;
use crate::eccentricity::in_components;
use crate::params::{Args, Kind, Param, ParamInfo, Preset};
use crate::plan::Plan;
use crate::search::Components;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, ScalarInfo, Spec, Weights};
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Diameter of a graph, exact or between bounds.
pub struct Diameter;

static SPEC: Spec = Spec {
    name: "diameter",
    python_name: "diameter",
    summary: "Diameter: the largest finite distance between two vertices, exact or as bounds",
    paper: "Takes, Kosters: Determining the Diameter of Small World Networks, CIKM 2011; Akiba, Iwata, Kawata, ALENEX 2015",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity", meaning: "largest distance (number of edges) to a reachable vertex; null if unknown",
    }],
    values: &[
        ScalarInfo { name: "diameter", meaning: "largest eccentricity of all vertices; null if the bounds differ" },
        ScalarInfo { name: "lower", meaning: "largest known eccentricity; null without vertices" },
        ScalarInfo { name: "upper", meaning: "upper bound of all eccentricities; null without vertices" },
        ScalarInfo { name: "exact", meaning: "whether lower and upper are equal" },
        crate::eccentricity::SEARCHES,
    ],
    details: "
        The eccentricity of a vertex is its largest distance, in directed edges, to a vertex that it reaches. The diameter is the largest
        eccentricity of all vertices of all components, as in igraph: pairs without a path do not count.

        Each search tightens the bounds of all eccentricities. With --exact, searches continue until the bounds of the diameter meet;
        otherwise their number is limited by --iterations.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
        >>> oc.diameter(g, exact=True).value
        3
    "#,
    ..Spec::DEFAULT
};

static EXACT: Param<bool> =
    Param::new("exact", Kind::Flag, Preset::Flag(false), "Search until the bounds of the diameter meet");

static ITERATIONS: Param<u32> = Param::new(
    "iterations",
    Kind::POSITIVE_COUNT,
    Preset::Count(edge_map::SEARCHES as u64),
    "Maximum number of searches",
)
.excludes(&["exact"]);

impl Algorithm for Diameter {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&EXACT.info, &ITERATIONS.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let limit = if args.get(&EXACT)? { None } else { Some(args.get(&ITERATIONS)?) };
        let search =
            move |engine: &Engine<'_>, components: Components<'_>| edge_map::diameter(engine, components, limit);
        Ok((model == Model::EdgeMap).then(|| in_components(shape, search)))
    }
}
