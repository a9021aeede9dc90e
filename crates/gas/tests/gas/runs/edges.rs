//! Programs whose edges keep their values, and look at the edge in the other direction.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::Others;
use crate::runs::answers::prompt_ways;
use crate::setting::{Setting, Way, run, ways};
use outcrop_gas::ShardKind;
use outcrop_types::Error;

/// Streams of edges bring nothing that edges held before.
fn keeps_edges(way: &Way) -> bool {
    way.options.shards != ShardKind::EdgeList
}

#[test]
fn streams_of_edges_are_refused_and_it_is_said_why() {
    let setting = Setting::new(&Arcs::forest(50, 3, 21), Way::new(ShardKind::EdgeList, 0.3, 0));
    let error = setting.run(&Others, 1000).unwrap_err();
    assert!(
        matches!(&error, Error::Usage(message) if message.contains("this program needs the previous edge values, which --shards edge-list does not provide; use ods, ads or static")),
        "{error}"
    );
}

#[test]
fn on_a_forest_all_learn_the_sum_of_their_tree_whatever_the_delays() {
    for reach in [3, 60] {
        let graph = Arcs::forest(300, reach, 21);
        let expected = interpret(&Others, &graph, 10_000);
        assert_eq!(expected.values, sums_over_trees(&graph));
        for way in ways(&[0, 1, 600, 100 << 10], false).into_iter().filter(keeps_edges) {
            let came = run(&Others, &graph, way, 10_000);
            assert!(came.values == expected.values, "{reach} {way:?}");
            assert!(way.options.delay_bytes > 0 || came.iterations == expected.iterations, "{reach} {way:?}");
        }
    }
}

fn sums_over_trees(graph: &Arcs) -> Vec<u64> {
    // A vertex comes after the one that it hangs on.
    let mut root: Vec<u32> = (0..graph.vertices).collect();
    for (source, target, _) in &graph.arcs {
        if target < source {
            root[*source as usize] = root[*target as usize];
        }
    }
    let mut sums = vec![0_u64; graph.vertices as usize];
    for (vertex, root) in (0..).zip(&root) {
        sums[*root as usize] = sums[*root as usize].wrapping_add(Others::own(vertex));
    }
    root.iter().map(|root| sums[*root as usize]).collect()
}

#[test]
fn on_any_graph_each_iteration_is_that_of_a_loop_over_all_edges() {
    let graph = Arcs::symmetric(400, 900, 22);
    for limit in [1, 2, 7] {
        let expected = interpret(&Others, &graph, limit);
        assert_eq!(expected.iterations, limit);
        for way in prompt_ways(false).filter(keeps_edges) {
            let came = run(&Others, &graph, way, limit);
            assert!(came.values == expected.values && came.iterations == limit, "{limit} {way:?}");
        }
    }
}
