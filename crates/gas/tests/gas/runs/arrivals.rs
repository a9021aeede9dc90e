//! Edges that come while a program runs: in the end the answer is that of the graph with all of them.

use crate::graphs::{Arc, Arcs};
use crate::interpreter::interpret;
use crate::programs::{
    Choosing, Common, Countdown, Increasing, Latest, Parities, Paths, Products, Reached, Shortest, Widest,
};
use crate::setting::{Setting, ways};
use outcrop_gas::{ArrivingArc, GasProgram};
use outcrop_types::Error;

const NO_LIMIT: u32 = 10_000;

/// A graph without every fifth of its arcs, and these, spread over thirty iterations.
fn split(graph: &Arcs) -> (Arcs, Vec<ArrivingArc>) {
    let comes = |number: usize| number % 5 == 2;
    let part = |which: bool| -> Vec<Arc> {
        let arcs = graph.arcs.iter().enumerate().filter(|(number, _)| comes(*number) == which);
        arcs.map(|(_, arc)| *arc).collect()
    };
    let arrival = |(number, (source, target, weight)): (u32, Arc)| {
        let after = number * 7 % 30;
        ArrivingArc { after, source, target, weight }
    };
    let arrivals = (0..).zip(part(true)).map(arrival).collect();
    (Arcs { vertices: graph.vertices, arcs: part(false) }, arrivals)
}

fn ends_with_all_edges<P: GasProgram<Value = u64>>(program: &P, graph: &Arcs, weighted: bool) {
    let expected = interpret(program, graph, NO_LIMIT).values;
    let (first, arrivals) = split(graph);
    assert!(interpret(program, &first, NO_LIMIT).values != expected, "edges that change nothing");
    for way in ways(&[0, 1, 600, 100 << 10], weighted) {
        let mut setting = Setting::new(&first, way);
        setting.arrivals.clone_from(&arrivals);
        setting.furnish::<P>();
        let came = setting.run(program, NO_LIMIT).unwrap_or_else(|error| panic!("{way:?}: {error}"));
        assert!(came.values == expected, "{way:?}");
        assert!(came.iterations >= 30, "{way:?}: {}", came.iterations);
        assert_eq!((setting.budget.available(), setting.files()), (setting.budget.limit(), 0), "{way:?}");
    }
}

#[test]
fn values_that_are_chosen() {
    let graph = Arcs::drawn(500, 1800, 91);
    ends_with_all_edges(&Choosing::<Shortest>::NEW, &graph, true);
    ends_with_all_edges(&Choosing::<Latest>::NEW, &graph, true);
    ends_with_all_edges(&Choosing::<Widest>::NEW, &graph, true);
    ends_with_all_edges(&Choosing::<Reached>::NEW, &graph, false);
    ends_with_all_edges(&Choosing::<Common>::NEW, &graph, false);
}

#[test]
fn changes_that_add_up() {
    let graph = Arcs::downhill(300, 1200, 92);
    ends_with_all_edges(&Increasing::<Paths>::NEW, &graph, false);
    ends_with_all_edges(&Increasing::<Products>::NEW, &graph, false);
    ends_with_all_edges(&Increasing::<Parities>::NEW, &graph, false);
}

#[test]
fn programs_that_do_not_take_them_and_vertices_that_are_none_are_refused() {
    let way = ways(&[0], false)[0];
    let mut setting = Setting::new(&Arcs::drawn(100, 300, 93), way);
    setting.arrivals = vec![ArrivingArc { after: 0, source: 1, target: 2, weight: 1.0 }];
    let refused = setting.run(&Countdown, NO_LIMIT).map(drop);
    assert!(
        matches!(&refused, Err(Error::Usage(message)) if message.contains("edges that arrive during the run")),
        "{refused:?}"
    );
    setting.arrivals[0].target = 100;
    let refused = setting.run(&Choosing::<Shortest>::NEW, NO_LIMIT).map(drop);
    assert!(matches!(&refused, Err(Error::Internal { message }) if message.contains("vertex")), "{refused:?}");
}
