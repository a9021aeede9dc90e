//! Static shards, and dynamic ones without delays, give what a loop over all edges gives, in as many iterations.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{
    Choosing, Common, Increasing, Latest, Once, Parities, Paths, Products, Ranks, Reached, Shortest, Widest,
};
use crate::setting::{Way, run, ways};
use outcrop_gas::{GasProgram, ShardKind};

const NO_LIMIT: u32 = 10_000;

/// All ways without delays, and static shards with a delay buffer that they do not need.
pub fn prompt_ways(weighted: bool) -> impl Iterator<Item = Way> {
    let idle = ways(&[100 << 10], weighted).into_iter().filter(|way| way.options.shards == ShardKind::Static);
    ways(&[0], weighted).into_iter().chain(idle)
}

fn same_as_interpreted<P: GasProgram<Value = u64>>(program: &P, graph: &Arcs, weighted: bool) {
    let expected = interpret(program, graph, NO_LIMIT);
    assert!(expected.iterations > 3, "a graph on which nothing happens");
    for way in prompt_ways(weighted) {
        let came = run(program, graph, way, NO_LIMIT);
        assert!(came.values == expected.values, "{way:?}");
        assert_eq!(came.iterations, expected.iterations, "{way:?}");
    }
}

#[test]
fn the_smallest_and_the_last() {
    let graph = Arcs::drawn(900, 3500, 1).with_repeats();
    same_as_interpreted(&Choosing::<Shortest>::NEW, &graph, true);
    same_as_interpreted(&Choosing::<Latest>::NEW, &graph, true);
}

#[test]
fn the_largest() {
    same_as_interpreted(&Choosing::<Widest>::NEW, &Arcs::drawn(900, 3500, 2), true);
}

#[test]
fn either_both_and_the_first() {
    let graph = Arcs::drawn(700, 1500, 3);
    same_as_interpreted(&Choosing::<Reached>::NEW, &graph, false);
    same_as_interpreted(&Choosing::<Common>::NEW, &graph, false);
    same_as_interpreted(&Choosing::<Once>::NEW, &graph, false);
}

#[test]
fn sums_products_and_parities_of_changes() {
    let graph = Arcs::downhill(600, 2200, 4).with_repeats();
    same_as_interpreted(&Increasing::<Paths>::NEW, &graph, false);
    same_as_interpreted(&Increasing::<Products>::NEW, &graph, false);
    same_as_interpreted(&Increasing::<Parities>::NEW, &graph, false);
}

#[test]
fn a_path_takes_an_iteration_an_edge() {
    let graph = Arcs::path(150);
    same_as_interpreted(&Choosing::<Shortest>::NEW, &graph, true);
    same_as_interpreted(&Increasing::<Paths>::NEW, &graph, false);
}

#[test]
fn ranks_with_a_threshold() {
    let graph = Arcs::drawn(500, 1600, 5).with_repeats();
    let program = Ranks { threshold: 1e-5 };
    let expected = interpret(&program, &graph, NO_LIMIT);
    for way in prompt_ways(false) {
        let came = run(&program, &graph, way, NO_LIMIT);
        assert_eq!(came.iterations, expected.iterations, "{way:?}");
        for (found, expected) in came.values.iter().zip(&expected.values) {
            assert!((found[0] - expected[0]).abs() <= 1e-12 * expected[0], "{way:?}: {found:?} {expected:?}");
        }
    }
}

#[test]
fn without_weights_all_edges_have_weight_one() {
    let mut graph = Arcs::drawn(900, 3500, 6);
    let weightless = Choosing::<Shortest>::NEW;
    let came = run(&weightless, &graph, Way::new(ShardKind::Optimized, 0.3, 0), NO_LIMIT);
    graph.arcs.iter_mut().for_each(|(_, _, weight)| *weight = 1.0);
    let expected = interpret(&weightless, &graph, NO_LIMIT);
    assert!(came.values == expected.values && came.iterations == expected.iterations);
}
