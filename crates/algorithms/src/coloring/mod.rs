//! Vertex coloring.
//!
//! Definition: in the graph taken as undirected, without loops, neighbors have different colors. The colors are those
//! of sequential greedy coloring, in which every vertex gets the smallest color that no neighbor has, in this order:
//! all vertices of at most average degree are removed from the graph, then those of at most average degree of the rest,
//! and so on; vertices removed later are earlier in the order, and the order of those removed together is random. A
//! degree is the number of list entries, with loops and duplicate edges, and a 32nd is added to the average.
//!
//! Paper: Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi and Hoefler, High-performance parallel graph coloring
//! with strong guarantees on work, depth, and quality, SC 2020 (JP-ADG): the order is within about twice the
//! degeneracy. Vertices are colored as in Jones and Plassmann, SIAM Journal on Scientific Computing 14, 1993: each once
//! all its neighbors before it are colored, with a count of those that are not.
//!
//! Deviations: none; the paper has 1% in place of a 32nd.

pub mod edge_map;
pub mod messages;
pub mod order;

use crate::algorithm::Algorithm;
use crate::params::shared::SEED;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use order::Order;
use outcrop_engine::Engine;
use outcrop_types::Result;

/// Vertex coloring.
pub struct Coloring;

static SPEC: Spec = Spec {
    name: "coloring",
    aliases: &["colouring"],
    python_name: "greedy_color",
    summary: "Greedy coloring: an assignment of few colors in which adjacent vertices have different colors",
    paper: "Besta, Carigiet, Janda, Vonarburg-Shmaria, Gianinazzi, Hoefler: High-Performance Parallel Graph Coloring with Strong \
            Guarantees on Work, Depth, and Quality, SC 2020",
    models: &[Model::EdgeMap, Model::Messages],
    not_in_gas: Some("a color depends on the colors of all neighbors together"),
    columns: &[ColumnInfo { name: "color", meaning: "number of the color, starting at 0" }],
    statistics: &[("colors", Statistic::MostAndOne)],
    details: "
        Every vertex gets the smallest color that no neighbor has, as in sequential greedy coloring. The order approximates the degeneracy
        order (smallest degree last), so there are few colors: all vertices of about average degree or less come last, before them those of
        about average degree or less among the rest, and so on. Within such a group, the order is random and depends on --seed. Results are
        identical for any number of threads, in both models and for any vertex order of the store. Self-loops and repeated edges only count
        in degrees.
    ",
    example: r#"
        >>> colors = oc.greedy_color(oc.build([(1, 2), (2, 3), (3, 1)], "triangle.outcrop")).to_dict()
        >>> sorted(colors.values())
        [0, 1, 2]
    "#,
    ..Spec::DEFAULT
};

impl Algorithm for Coloring {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        const { &[&SEED.info] }
    }

    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>> {
        let (needs, seed) = (Requirements::BOTH_LISTS.with_ranks().with_frontiers(), args.get(&SEED)?);
        Ok(match model {
            Model::EdgeMap => {
                let directions: Vec<_> = shape.directions(Requirements::BOTH_LISTS).collect();
                let program = move |engine: &Engine<'_>, run: Session<'_>| {
                    edge_map::coloring(engine, &directions, Order::new(run.ranks, seed), run.entries()?)
                };
                Some(Plan::edge_map(needs, edge_map::memory(shape.vertices), program).resuming())
            }
            Model::Messages => {
                let work = messages::work(shape.place())
                    .synchronous("vertices of small degree are removed in the same superstep");
                Some(Plan::messages(needs, work, move |engine, run| {
                    messages::coloring(engine, Order::new(run.ranks, seed))
                }))
            }
            Model::Interval | Model::Gas => None,
        })
    }
}
