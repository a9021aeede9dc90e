//! Colours of which neighbours have different ones.
//!
//! Definition: of the graph taken as undirected, loops and repeated edges ignored, neighbours have different colours.
//! Rounds of speculation and repair give them: each vertex without a colour tries one, and keeps it where no neighbour
//! has it and no neighbour before it tries it too; else it tries another in the next round. Vertices come in an order
//! that is drawn with a seed. Paper: Catalyurek, Feo, Gebremedhin, Halappanavar and Pothen, Parallel Computing 38, 2012
//! (algorithm 2, ITERATIVE). There conflicts depend on which threads meet; here all vertices try at once, and the
//! colours are the same whatever the threads. A vertex tries a colour that no neighbour has and no neighbour before it
//! tried in the last round: the smallest, or where many neighbours before it have none yet, one of the smallest few by
//! draw, as else all would try the same. How many they are, it knows from a sketch (Flajolet and Martin, Journal of
//! Computer and System Sciences 31, 1985), which counts no neighbour twice. It draws from no more free colours than are
//! taken, and keeps none with more below it. The first of the vertices that are left keeps what it tries unless a
//! neighbour has just got that colour, so rounds end. Deviations: a vertex looks at 64 colours at a time, and passes to
//! the next 64 where neighbours have them all, for which it sits out two rounds. Where some of them are only tried, it
//! sits out one.

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

/// Colours of which neighbours have different ones.
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
