//! Vertex coloring.
//!
//! Definition: in the graph taken as undirected, without loops and duplicate edges, neighbors have different colors.
//! Colors are assigned in rounds of speculation and repair: each uncolored vertex proposes a color, and keeps it if no
//! neighbor has it and no earlier neighbor proposes it too; otherwise it proposes another in the next round. The order
//! of the vertices is random.
//!
//! Paper: Catalyurek, Feo, Gebremedhin, Halappanavar and Pothen, Parallel Computing 38, 2012 (algorithm 2, ITERATIVE).
//! There, conflicts depend on thread timing; here all vertices propose simultaneously, and the colors do not depend on
//! threads. A vertex proposes a color that no neighbor has and that no earlier neighbor proposed in the last round: the
//! smallest, or, if many earlier neighbors are uncolored, a random one of the smallest few, since otherwise all would
//! propose the same. Their number is estimated by a sketch (Flajolet and Martin, Journal of Computer and System
//! Sciences 31, 1985), which counts no neighbor twice. A vertex samples from no more free colors than are taken, and
//! keeps none with more free ones below it. The first of the remaining vertices keeps its proposal unless a neighbor
//! has just got that color, so rounds terminate.
//!
//! Deviations: a vertex examines 64 colors at a time, and advances to the next 64 if neighbors have them all, for which
//! it pauses for two rounds. If some of them are only proposed, it pauses for one.

pub mod edge_map;
pub mod messages;
pub mod rounds;

use crate::algorithm::Algorithm;
use crate::params::shared::SEED;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::session::Session;
use crate::shape::Shape;
use crate::spec::{ColumnInfo, Model, Requirements, Spec, Statistic};
use outcrop_engine::Engine;
use outcrop_types::Result;
use rounds::Order;

/// Vertex coloring.
pub struct Coloring;

static SPEC: Spec = Spec {
    name: "coloring",
    aliases: &["colouring"],
    python_name: "greedy_color",
    summary: "Greedy coloring: an assignment of few colors in which adjacent vertices have different colors",
    paper: "Catalyurek, Feo, Gebremedhin, Halappanavar, Pothen: Graph Coloring Algorithms for Multi-core and Massively Multithreaded \
            Architectures, Parallel Computing 2012",
    models: &[Model::EdgeMap, Model::Messages],
    not_in_gas: Some("a color depends on the colors of all neighbors together"),
    columns: &[ColumnInfo { name: "color", meaning: "number of the color, starting at 0" }],
    statistics: &[("colors", Statistic::MostAndOne)],
    details: "
        The algorithm runs in rounds of speculation and repair: every uncolored vertex tries a small color that no neighbor has, and keeps
        it unless a neighbor earlier in the order tries the same color in this round. The order, and the choice among a few colors where
        many neighbors are uncolored, are random and depend on --seed. The number of colors is about that of sequential greedy coloring in
        the same order, up to a quarter more, after tens of rounds. Results are identical for any number of threads, in both models and
        for any vertex order of the store. Self-loops and repeated edges are ignored.
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
        let (needs, seed) = (Requirements::BOTH_LISTS.with_ranks(), args.get(&SEED)?);
        Ok(match model {
            Model::EdgeMap => {
                let directions: Vec<_> = shape.directions(Requirements::BOTH_LISTS).collect();
                let program = move |engine: &Engine<'_>, run: Session<'_>| {
                    edge_map::coloring(engine, &directions, Order::new(run.ranks, seed))
                };
                Some(Plan::edge_map(needs, edge_map::memory(shape.vertices), program).resuming())
            }
            Model::Messages => {
                let work =
                    messages::work(shape.place()).synchronous("all vertices try their colors in the same superstep");
                Some(Plan::messages(needs, work, move |engine, run| {
                    messages::coloring(engine, Order::new(run.ranks, seed))
                }))
            }
            Model::Interval | Model::Gas => None,
        })
    }
}
