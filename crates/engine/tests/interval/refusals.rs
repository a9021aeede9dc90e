//! Refusals of what cannot be done, which leave nothing behind.

use crate::lists::drawn_edges;
use crate::settings::{LITTLE, Made, Setting};
use outcrop_engine::interval::{Constructs, IntervalEngine, IntervalProgram, IntervalRequirements, IntervalSetup};
use outcrop_engine::schedule::Schedule;
use outcrop_engine::{DegreeSource, Directions, Residence, VertexArray};
use outcrop_types::{Direction, Error, MemoryBudget, Purpose, VertexId, VertexSet};
use std::sync::atomic::Ordering::Relaxed;

const VERTICES: u32 = 5000;

/// The least of the values around a vertex and its own, and something more.
struct Any {
    more: u32,
}

const LEAST: Any = Any { more: 0 };

impl IntervalProgram for Any {
    type Source = u32;
    type Target = u32;
    type Sum = u32;

    fn begin(&self, _: VertexId) -> u32 {
        u32::MAX
    }

    fn gather(&self, sum: &mut u32, _: VertexId, value: u32, _: f64) {
        *sum = value.min(*sum);
    }

    fn apply(&self, _: VertexId, old: u32, sum: u32) -> u32 {
        old.min(sum) + self.more
    }
}

fn setting() -> Setting {
    Setting::new(VERTICES, drawn_edges(VERTICES, 20_000), 2)
}

#[test]
fn a_budget_below_the_least_or_the_longest_list_is_refused() {
    for on_disk in [false, true] {
        let mut edges = drawn_edges(VERTICES, 1000);
        edges.extend((0..100_000).map(|_| (7, 8, 1.0)));
        let mut setting = Setting::new(VERTICES, edges, 1);
        let requirements =
            IntervalRequirements { constructs: Constructs::Both, ..Made::new(VERTICES, on_disk).requirements };
        let made = Made { requirements, memory: 0, ..Made::new(VERTICES, on_disk) };
        let least = requirements.least().total();
        let longest = 2 * 100_000 * 8;
        for (limit, fits) in [(least / 2, false), (least, false), (least + longest, true)] {
            setting.graph.budget = MemoryBudget::new(limit);
            match IntervalEngine::new(setting.setup(&made)) {
                Ok(engine) => assert!(fits && engine.intervals().len() > 1),
                Err(error) => assert!(!fits && matches!(error, Error::BudgetTooSmall { .. }), "{error}"),
            }
            assert_eq!(setting.graph.budget.available(), limit);
        }
    }
}

#[test]
fn what_an_engine_reserves_is_what_its_demand_says() {
    for on_disk in [false, true] {
        let requirements = Made::new(VERTICES, on_disk).requirements;
        let setting = setting();
        let setup = IntervalSetup { memory: 0, ..setting.setup(&Made::new(VERTICES, on_disk)) };
        let engine = IntervalEngine::new(setup).unwrap();
        let peak = setting.graph.budget.peak_by_purpose();
        for need in requirements.least().needs() {
            let taken = peak.bytes_for(need.purpose);
            match need.purpose {
                Purpose::IoBuffers if !on_disk => assert_eq!(taken, 2 * need.bytes, "a reader more than it needs"),
                _ => assert!(taken <= need.bytes, "{need:?} {taken}"),
            }
        }
        drop(engine);
        assert_eq!(setting.graph.budget.available(), setting.graph.budget.limit());
    }
}

#[test]
fn operations_refuse_what_the_engine_lacks() {
    let setting = setting();
    let (memory, disk) = (Residence::Memory(&setting.graph.budget, &setting.graph.workers), Made::new(VERTICES, true));
    let engine = setting.engine(&Made { without_in_lists: true, ..Made::new(VERTICES, false) });
    let mut short = VertexArray::new(memory, VERTICES - 1, |_| 0).unwrap();
    let mut values = VertexArray::new(memory, VERTICES, |_| 0).unwrap();
    let some = VertexSet::from_members(vec![1], VERTICES);
    let internal = |outcome: Result<(), Error>| assert!(matches!(outcome, Err(Error::Internal { .. })));
    internal(engine.gather(&LEAST, Direction::In, &short, &mut values));
    internal(engine.gather(&LEAST, Direction::Out, &short, &mut values));
    internal(engine.propagate(&LEAST, Directions::Out, &mut short, &some).map(drop));
    internal(engine.propagate(&LEAST, Directions::Both, &mut values, &some).map(drop));
    internal(engine.update(&LEAST, &mut values).map(drop));
    internal(engine.vertex_map(&mut short, &mut values, |_, _, _, _| [0.0; 2]).map(drop));
    internal(values.set(VERTICES, 1));
    internal(values.get(VERTICES).map(drop));
    let engine = setting.engine(&disk);
    let mut far = engine.values(|_| 0).unwrap();
    internal(engine.gather(&LEAST, Direction::In, &values, &mut far));
    internal(far.set(VERTICES, 1));
    internal(far.get(VERTICES).map(drop));
    let without = IntervalRequirements { active: false, constructs: Constructs::Nothing, ..disk.requirements };
    let engine = setting.engine(&Made { requirements: without, ..disk });
    internal(engine.gather(&LEAST, Direction::In, &values, &mut far));
    internal(engine.propagate(&LEAST, Directions::Out, &mut far, &some).map(drop));
    internal(engine.update(&LEAST, &mut far).map(drop));
    let no_folder = IntervalSetup { spill: None, ..setting.setup(&disk) };
    internal(IntervalEngine::new(no_folder).map(drop));
    let no_degrees = IntervalSetup { degrees: DegreeSource::default(), ..setting.setup(&disk) };
    internal(IntervalEngine::new(no_degrees).map(drop));
}

#[test]
fn failed_reads_and_interruptions_come_out_and_the_engine_goes_on() {
    for on_disk in [false, true] {
        for schedule in [Schedule::Select, Schedule::Sweep] {
            let setting = setting();
            let engine = setting.engine(&Made { schedule, memory: LITTLE, ..Made::new(VERTICES, on_disk) });
            let mut values = engine.values(|vertex| vertex).unwrap();
            let mut targets = engine.values(|vertex| vertex).unwrap();
            let all = VertexSet::all(VERTICES);
            let fail = |fails| [&setting.graph.out, &setting.graph.into].map(|lists| lists.fail.store(fails, Relaxed));
            fail(true);
            assert!(engine.propagate(&LEAST, Directions::Out, &mut values, &all).is_err());
            assert!(engine.gather(&LEAST, Direction::In, &values, &mut targets).is_err());
            fail(false);
            assert!(
                engine.propagate(&LEAST, Directions::Out, &mut values, &VertexSet::empty(VERTICES)).unwrap().is_empty()
            );
            engine.gather(&LEAST, Direction::In, &values, &mut targets).unwrap();
            setting.graph.workers.cancellation().cancel();
            if on_disk {
                let outcome = engine.gather(&LEAST, Direction::In, &values, &mut targets);
                assert!(matches!(outcome, Err(Error::Interrupted)));
                let outcome = engine.propagate(&LEAST, Directions::Out, &mut values, &all);
                assert!(matches!(outcome, Err(Error::Interrupted)));
            }
        }
    }
}

#[test]
fn graphs_of_no_vertex_and_of_one_are_graphs() {
    for (vertices, on_disk) in [(0, false), (0, true), (1, false), (1, true)] {
        let loops = (0..vertices).map(|vertex| (vertex, vertex, 1.0)).collect();
        let setting = Setting::new(vertices, loops, 2);
        let engine = setting.engine(&Made::updating(vertices, on_disk));
        assert_eq!(engine.intervals().len(), vertices as usize);
        let mut first = engine.values(|_| 5).unwrap();
        let mut second = engine.values(|_| 2).unwrap();
        engine.gather(&LEAST, Direction::In, &second, &mut first).unwrap();
        let all = VertexSet::all(vertices);
        assert!(engine.propagate(&LEAST, Directions::Both, &mut first, &all).unwrap().is_empty());
        assert_eq!(engine.update(&Any { more: 1 }, &mut first).unwrap().len(), vertices as usize);
        let sums =
            engine.vertex_map(&mut first, &mut second, |_, first, _, degree| [f64::from(*first), f64::from(degree)]);
        assert_eq!(sums.unwrap(), [3.0, 1.0].map(|sum| sum * f64::from(vertices)));
    }
}
