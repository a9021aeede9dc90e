//! Exact eccentricities, and the smallest of them.

pub mod edge_map;

use crate::algorithm::Algorithm;
use crate::outcome::{HeldBytes, Outcome, Values};
use crate::params::Args;
use crate::plan::{Plan, Shape};
use crate::scc;
use crate::search::{Components, bounds};
use crate::session::Session;
use crate::spec::{ColumnInfo, Model, Requirements, ScalarInfo, Spec, Weights};
use crate::wcc;
use outcrop_engine::Engine;
use outcrop_types::{Error, Result};

/// Exact eccentricities of the largest component.
pub struct Eccentricity;

/// The smallest eccentricity of the largest component.
pub struct Radius;

pub(crate) const SEARCHES: ScalarInfo =
    ScalarInfo { name: "searches", meaning: "the vertices that were searched from" };

static SPEC: Spec = Spec {
    name: "eccentricity",
    python_name: "eccentricity",
    summary: "Exact eccentricities of the largest (strongly connected) component",
    paper: "Takes, Kosters: Computing the Eccentricity Distribution of Large Graphs, Algorithms 2013",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity",
        meaning: "the greatest distance in edges to a vertex that is reached; null outside of the component",
    }],
    values: &[SEARCHES],
    details: "
        The eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches, beyond its
        component too. It is given for the vertices of the largest component, which is the largest strongly connected one of a directed
        graph; of several as large, that of the smallest original id.
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
    summary: "The smallest eccentricity of the largest (strongly connected) component",
    paper: "Takes, Kosters: Computing the Eccentricity Distribution of Large Graphs, Algorithms 2013",
    weights: Weights::Ignored,
    columns: &[ColumnInfo {
        name: "eccentricity",
        meaning: "the greatest distance in edges to a vertex that is reached; null outside of the component, and where it is not known",
    }],
    values: &[
        ScalarInfo { name: "radius", meaning: "the smallest eccentricity of the component; null without vertices" },
        SEARCHES,
    ],
    details: "
        The eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches, beyond its
        component too. The radius is the smallest one of all vertices of the largest component, which is the largest strongly connected one
        of a directed graph; of several as large, that of the smallest original id.
    ",
    example: r#"
        >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
        >>> oc.radius(g).value
        2
    "#,
    ..Spec::DEFAULT
};

/// Plan of searches within components: components of a directed graph are strongly connected.
pub(crate) fn plan_with_components(shape: &Shape) -> Plan {
    let memory = shape.with_added_degrees(bounds::memory(shape.vertices), Requirements::ALL);
    let held = match shape.directed {
        true => scc::held_bytes(shape.vertices, shape.entries_of(Requirements::ALL), shape.slots),
        false => HeldBytes::default(),
    };
    Plan::holding(Requirements::ALL, memory, held).following_frontiers().resuming()
}

/// Finds components, and then what their vertices reach.
pub(crate) fn in_components(
    session: &Session<'_, '_>,
    search: impl FnOnce(&Engine<'_>, Components<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    let (engine, ranks, directed) = (session.edge_map()?, session.ranks, session.shape.directed);
    let (out, into) = session.out_lists()?;
    let found = match directed {
        true => scc::components(session)?,
        false => wcc::wcc(engine, out, into, ranks, wcc::Method::default())?,
    };
    let before = found.iterations;
    let Some(Values::Node(component)) = found.columns.into_iter().next().map(|column| column.values) else {
        return Err(Error::internal("components have no column of ranks"));
    };
    let degrees = session.entries()?;
    let outcome = search(engine, Components { component: &component, degrees: &degrees, ranks, directed })?;
    Ok(Outcome { iterations: outcome.iterations.max(before), ..outcome })
}

impl Algorithm for Eccentricity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        Ok((model == Model::EdgeMap).then(|| plan_with_components(shape)))
    }

    fn run(&self, session: Session<'_, '_>, _: &Args) -> Result<Outcome> {
        in_components(&session, edge_map::eccentricity)
    }
}

impl Algorithm for Radius {
    fn spec(&self) -> &'static Spec {
        &RADIUS
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        Ok((model == Model::EdgeMap).then(|| plan_with_components(shape)))
    }

    fn run(&self, session: Session<'_, '_>, _: &Args) -> Result<Outcome> {
        in_components(&session, edge_map::radius)
    }
}
