//! Budgets, and graphs of which there is little.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{Choosing, Others, Ranks, Shortest};
use crate::setting::{KINDS, Room, Setting, Way, kinds_of, run};
use outcrop_gas::{GasEngine, GasProgram, GasRequirements, GasSetup};
use outcrop_types::{Error, MemoryBudget};

fn least_is_enough_and_less_is_refused<P: GasProgram>(program: &P, graph: &Arcs) {
    for kind in kinds_of::<P>() {
        for threads in [1, 3] {
            for on_disk in [false, true] {
                let way = Way { threads, intervals: 6, room: Room::Least, on_disk, ..Way::new(kind, 0.3, 600) };
                let mut setting = Setting::new(graph, way);
                setting.furnish::<P>();
                setting.run(program, 1000).unwrap();
                let least = setting.budget.limit() - setting.value_bytes::<P>();
                assert!(setting.budget.peak() <= setting.budget.limit(), "{way:?}");
                setting.budget = MemoryBudget::new(least - 1);
                match setting.run(program, 1000).map(drop) {
                    Err(Error::BudgetTooSmall { budget, plan, .. }) => {
                        assert_eq!((budget, plan.total()), (least - 1, least), "{way:?}");
                    }
                    other => panic!("{way:?}: {other:?}"),
                }
                assert_eq!(setting.budget.available(), least - 1);
            }
        }
    }
}

#[test]
fn the_least_that_an_engine_says_is_enough_and_less_is_refused() {
    let graph = Arcs::symmetric(400, 1200, 51);
    least_is_enough_and_less_is_refused(&Choosing::<Shortest>::NEW, &graph);
    least_is_enough_and_less_is_refused(&Ranks { threshold: 1e-4 }, &graph);
    least_is_enough_and_less_is_refused(&Others, &Arcs::forest(300, 40, 51));
}

#[test]
fn a_program_with_other_sizes_than_were_asked_for_is_refused() {
    let setting = Setting::new(&Arcs::drawn(50, 100, 52), Way::new(KINDS[0], 0.3, 0));
    let engine = setting.engine::<Choosing<Shortest>>().unwrap();
    assert!(matches!(engine.run(&Ranks { threshold: 1e-4 }, 5), Err(Error::Internal { .. })));
}

#[test]
fn vertices_and_degrees_that_are_missing_are_refused() {
    let setting = Setting::new(&Arcs::drawn(50, 100, 53), Way::new(KINDS[0], 0.3, 0));
    let requirements = GasRequirements { degrees: false, ..setting.requirements::<Choosing<Shortest>>() };
    for requirements in
        [GasRequirements { degrees: true, ..requirements }, GasRequirements { vertices: 51, ..requirements }]
    {
        let setup = GasSetup {
            shards: &setting.shards,
            degrees: None,
            requirements,
            options: setting.way.options,
            arrivals: &[],
            memory: 1 << 20,
            spill: &setting.spill,
            workers: &setting.workers,
            budget: &setting.budget,
            observer: &setting.records,
        };
        let outcome = GasEngine::new(setup).map(drop);
        assert!(matches!(outcome, Err(Error::Internal { .. })), "{requirements:?}: {outcome:?}");
    }
}

#[test]
fn graphs_of_nothing_and_of_loops_are_graphs() {
    let graphs =
        [Arcs::new(0, []), Arcs::new(1, []), Arcs::new(1, [(0, 0)]), Arcs::new(9, []), Arcs::new(5, [(3, 3), (3, 4)])];
    for graph in graphs {
        for kind in KINDS {
            for intervals in [1, 2] {
                let way = Way { intervals, weighted: true, ..Way::new(kind, 0.3, 0) };
                let shortest = Choosing::<Shortest>::NEW;
                let (expected, came) = (interpret(&shortest, &graph, 99), run(&shortest, &graph, way, 99));
                assert!(came.values == expected.values && came.iterations == expected.iterations, "{graph:?} {way:?}");
                let ranks = Ranks { threshold: 1e-9 };
                let (expected, came) = (interpret(&ranks, &graph, 999), run(&ranks, &graph, way, 999));
                assert!(came.values == expected.values && came.iterations == expected.iterations, "{graph:?} {way:?}");
            }
        }
    }
}
