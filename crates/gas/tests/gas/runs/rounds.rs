//! Vertices that are computed though nothing comes to them.

use crate::graphs::Arcs;
use crate::interpreter::{Interpreted, interpret};
use crate::programs::{Countdown, Rounds};
use crate::runs::answers::prompt_ways;
use crate::setting::{Came, Setting, Way, plain, run, ways};
use outcrop_gas::ShardKind;
use std::sync::Mutex;

#[test]
fn vertices_that_have_changed_go_on_by_themselves() {
    let graph = Arcs::drawn(700, 2000, 41);
    let expected = interpret(&Countdown, &graph, 1000);
    assert!(expected.iterations >= 22);
    for way in prompt_ways(false) {
        let came = run(&Countdown, &graph, way, 1000);
        assert!(came.values == expected.values, "{way:?}");
        assert_eq!(came.iterations, expected.iterations, "{way:?}");
    }
    for way in ways(&[1, 600, 100 << 10], false) {
        // What is delayed comes at last: sums are the same.
        assert!(run(&Countdown, &graph, way, 1000).values == expected.values, "{way:?}");
    }
}

fn rounds() -> Rounds {
    Rounds { rounds: 6, told: Mutex::default() }
}

#[test]
fn all_vertices_can_be_computed_in_every_iteration() {
    let graph = Arcs::drawn(700, 2000, 42);
    let program = rounds();
    let expected = interpret(&program, &graph, 1000);
    assert_eq!(expected.iterations, 6);
    for way in prompt_ways(false) {
        let program = rounds();
        let came = run(&program, &graph, way, 1000);
        assert!(came.values == expected.values && came.iterations == 6, "{way:?}");
        tells_the_same(&program, &came, &expected, way);
    }
}

/// Checks what the program and the observer were told of iterations.
fn tells_the_same(program: &Rounds, came: &Came<u64>, expected: &Interpreted<u64>, way: Way) {
    let told = program.told.lock().unwrap();
    let numbers =
        |steps: &[outcrop_gas::GasStep]| -> Vec<_> { steps.iter().map(|step| (step.iteration, step.totals)).collect() };
    assert_eq!(numbers(&told), numbers(&expected.steps), "{way:?}");
    let changes: Vec<_> = came.records.iter().filter_map(|record| record.change).collect();
    let totals: Vec<_> = expected.steps.iter().map(|step| step.totals[0]).collect();
    assert!(changes.ends_with(&totals[1..]), "{way:?}: {changes:?}");
    let ascending = (1..).zip(&came.records).all(|(number, record)| record.iteration == number);
    assert!(ascending && came.records.len() >= 6, "{way:?}");
}

#[test]
fn a_limit_ends_a_run() {
    let graph = Arcs::drawn(700, 2000, 43);
    for limit in [0, 1, 3] {
        let expected = interpret(&rounds(), &graph, limit);
        for kind in [ShardKind::Static, ShardKind::EdgeList] {
            let came = run(&rounds(), &graph, Way::new(kind, 0.3, 0), limit);
            assert!(came.values == expected.values && came.iterations == limit, "{kind:?} {limit}");
        }
    }
}

#[test]
fn an_engine_runs_several_programs() {
    let graph = Arcs::drawn(700, 2000, 44);
    let setting = Setting::new(&graph, Way::new(ShardKind::Optimized, 0.3, 1));
    let engine = setting.engine::<Rounds>().unwrap();
    let expected = interpret(&rounds(), &graph, 1000);
    for _ in 0..2 {
        assert!(plain(&engine.run(&rounds(), 1000).unwrap().values).unwrap() == expected.values);
    }
}
