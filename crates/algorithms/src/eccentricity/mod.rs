//! Exact eccentricities, and the radius.

pub mod edge_map;

use crate::algorithm::Algorithm;
use crate::outcome::{InMemoryListBytes, Outcome, Values};
use crate::params::Args;
use crate::plan::{EdgeMapWork, Plan};
use crate::scc;
use crate::search::{Components, bounds};
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Weights};
use crate::wcc;
use outcrop_engine::Engine;
use outcrop_types::{Error, Result};

/// Exact eccentricities of the largest component.
pub struct Eccentricity;

/// Radius: the smallest eccentricity of the largest component.
pub struct Radius;

pub(crate) const SEARCHES: ScalarInfo = ScalarInfo { name: "searches", meaning: "number of vertices searched from" };

static SPEC: Spec = Spec {
    name: "eccentricity",
    python_name: "eccentricity",
    summary: "Eccentricity: the largest finite distance from each vertex of the largest (strongly) connected component",
    paper: "Takes, Kosters: Computing the Eccentricity Distribution of Large Graphs, Algorithms 2013",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity", meaning: "largest distance (number of edges) to a reachable vertex; null outside the component",
    }],
    values: &[SEARCHES],
    details: "
        The eccentricity of a vertex is its largest distance, in directed edges, to a vertex that it reaches, inside or outside its
        component. It is computed for the vertices of the largest component (in a directed graph, the largest strongly connected one);
        among components of equal size, the one with the smallest original ID.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
        >>> oc.eccentricity(g).to_dict()
        {1: 3, 2: 2, 3: 3, 4: 2, 5: 3}
    "#,
    ..Spec::DEFAULT
};

static RADIUS: Spec = Spec {
    name: "radius",
    python_name: "radius",
    summary: "Radius: the smallest eccentricity in the largest (strongly) connected component",
    paper: "Takes, Kosters: Computing the Eccentricity Distribution of Large Graphs, Algorithms 2013",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity", meaning: "largest distance (number of edges) to a reachable vertex; null outside the component or if unknown",
    }],
    values: &[
        ScalarInfo { name: "radius", meaning: "smallest eccentricity of the component; null without vertices" },
        SEARCHES,
    ],
    details: "
        The eccentricity of a vertex is its largest distance, in directed edges, to a vertex that it reaches, inside or outside its
        component. The radius is the smallest eccentricity in the largest component (in a directed graph, the largest strongly connected
        one); among components of equal size, the one with the smallest original ID.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
        >>> oc.radius(g).value
        2
    "#,
    ..Spec::DEFAULT
};

/// Returns the plan of a search within components, which are strongly connected in a directed graph.
pub(crate) fn in_components(
    shape: &Shape,
    search: impl Fn(&Engine<'_>, Components<'_>) -> Result<Outcome> + 'static,
) -> Plan {
    let memory = shape.with_added_degrees(bounds::memory(shape.vertices), Requirements::ALL);
    let held = match shape.directed {
        true => scc::in_memory_list_bytes(shape.vertices, shape.entries_of(Requirements::ALL), shape.slots),
        false => InMemoryListBytes::default(),
    };
    let program = move |engine: &Engine<'_>, run: Session<'_>| {
        let (ranks, directed) = (run.ranks, run.shape.directed);
        let (out, into) = run.out_lists()?;
        let found = match directed {
            true => scc::components(engine, &run)?,
            false => wcc::wcc(engine, out, into, ranks, wcc::Method::default())?,
        };
        let before = found.iterations;
        let Some(Values::Node(component)) = found.columns.into_iter().next().map(|column| column.values) else {
            return Err(Error::internal("components have no column of ranks"));
        };
        let degrees = run.entries()?;
        let outcome = search(engine, Components { component: &component, degrees: &degrees, ranks, directed })?;
        Ok(Outcome { iterations: outcome.iterations.max(before), ..outcome })
    };
    Plan::edge_map(Requirements::ALL, EdgeMapWork::holding(memory, held), program).following_frontiers().resuming()
}

impl Algorithm for Eccentricity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        Ok((model == Model::EdgeMap).then(|| in_components(shape, edge_map::eccentricity)))
    }
}

impl Algorithm for Radius {
    fn spec(&self) -> &'static Spec {
        &RADIUS
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        Ok((model == Model::EdgeMap).then(|| in_components(shape, edge_map::radius)))
    }
}
