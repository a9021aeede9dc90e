//! With delays, programs come to the same fixed point.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{
    Choosing, Common, Increasing, Latest, Once, Parities, Paths, Products, Ranks, Reached, Shortest, Widest,
};
use crate::setting::{run, ways};
use outcrop_gas::GasProgram;

const NO_LIMIT: u32 = 10_000;
/// Nearly none, some vertices, and more than these graphs fill.
const DELAYS: [u64; 3] = [1, 600, 100 << 10];

fn same_fixed_point<P: GasProgram<Value = u64>>(program: &P, graph: &Arcs, weighted: bool) {
    let expected = interpret(program, graph, NO_LIMIT);
    let mut shadows = 0;
    for way in ways(&DELAYS, weighted) {
        let came = run(program, graph, way, NO_LIMIT);
        assert!(came.values == expected.values, "{way:?}");
        shadows += came.figures.shadows;
    }
    assert!(shadows > 0, "no delay was ever ended");
}

#[test]
fn values_that_are_chosen() {
    let graph = Arcs::drawn(900, 2800, 11).with_repeats();
    same_fixed_point(&Choosing::<Shortest>::NEW, &graph, true);
    same_fixed_point(&Choosing::<Latest>::NEW, &graph, true);
    same_fixed_point(&Choosing::<Widest>::NEW, &graph, true);
}

#[test]
fn bits() {
    let graph = Arcs::drawn(700, 1500, 12);
    same_fixed_point(&Choosing::<Reached>::NEW, &graph, false);
    same_fixed_point(&Choosing::<Common>::NEW, &graph, false);
    same_fixed_point(&Choosing::<Once>::NEW, &graph, false);
}

#[test]
fn changes_that_add_up() {
    let graph = Arcs::downhill(600, 2200, 13).with_repeats();
    same_fixed_point(&Increasing::<Paths>::NEW, &graph, false);
    same_fixed_point(&Increasing::<Products>::NEW, &graph, false);
    same_fixed_point(&Increasing::<Parities>::NEW, &graph, false);
}

#[test]
fn paths() {
    let graph = Arcs::path(120);
    same_fixed_point(&Choosing::<Shortest>::NEW, &graph, true);
    same_fixed_point(&Increasing::<Paths>::NEW, &graph, false);
}

#[test]
fn ranks_to_their_bound() {
    let graph = Arcs::drawn(400, 1500, 14).with_repeats();
    let program = Ranks { threshold: 1e-4 };
    let (exact, bound) = (interpret(&Ranks { threshold: 1e-15 }, &graph, NO_LIMIT), program.bound(graph.vertices));
    for way in ways(&DELAYS, false) {
        let came = run(&program, &graph, way, NO_LIMIT);
        let differ = |(found, exact): (&[f64; 2], &[f64; 2])| (found[0] - exact[0]).abs();
        let error: f64 = came.values.iter().zip(&exact.values).map(differ).sum();
        assert!(error <= bound, "{way:?}: {error}");
    }
}
