//! Records of iterations that observers hear.

use crate::settings::{Made, Setting};
use outcrop_engine::Directions;
use outcrop_engine::interval::IntervalProgram;
use outcrop_engine::schedule::Schedule;
use outcrop_types::{AccessMode, EdgeDirection, IterationRecord, VertexId, VertexSet};

struct Hops;

impl IntervalProgram for Hops {
    type Source = u32;
    type Target = u32;
    type Sum = u32;

    fn begin(&self, _: VertexId) -> u32 {
        u32::MAX
    }

    fn gather(&self, least: &mut u32, _: VertexId, value: u32, _: f64) {
        *least = (value + 1).min(*least);
    }

    fn apply(&self, _: VertexId, old: u32, least: u32) -> u32 {
        old.min(least)
    }
}

/// A way through all vertices.
const VERTICES: u32 = 1000;

type Way = (EdgeDirection, AccessMode);

fn way(record: &IterationRecord) -> Way {
    (record.direction, record.access)
}

fn records(made: &Made) -> Vec<IterationRecord> {
    let edges = (1..VERTICES).map(|vertex| (vertex - 1, vertex, 1.0)).collect();
    let setting = Setting::new(VERTICES, edges, 1);
    let engine = setting.engine(made);
    let mut values = engine.values(|vertex| vertex * 10).unwrap();
    for active in [VertexSet::from_members(vec![3], VERTICES), VertexSet::all(VERTICES)] {
        engine.propagate(&Hops, Directions::Out, &mut values, &active).unwrap();
        engine.end_iteration(Some(0.5));
    }
    setting.graph.records.take()
}

#[test]
fn each_iteration_says_which_way_it_went_and_what_moved() {
    let (push, pull) = ((EdgeDirection::Push, AccessMode::Select), (EdgeDirection::Pull, AccessMode::Sweep));
    for on_disk in [false, true] {
        for (schedule, expected) in [(Schedule::Select, push), (Schedule::Sweep, pull)] {
            let [few, all] = &records(&Made { schedule, ..Made::new(VERTICES, on_disk) })[..] else { panic!() };
            assert_eq!([way(few), way(all)], [expected; 2]);
            assert_eq!((few.iteration, few.active_vertices, few.active_edges), (1, 1, 1));
            assert_eq!((all.iteration, all.active_vertices, all.active_edges), (2, 1000, 999));
            assert_eq!(few.change, Some(0.5));
            for record in [few, all] {
                assert_eq!((record.value_bytes_read > 0, record.bytes_written > 0), (on_disk, on_disk));
            }
            // A push of few moves few values.
            assert!(!on_disk || (few.value_bytes_read < 100) == (expected == push));
            assert!(!on_disk || all.value_bytes_read > 4000);
        }
    }
    assert_eq!(way(&records(&Made::new(VERTICES, false))[0]), push);
    let forced = records(&Made { schedule: Schedule::Sweep, without_in_lists: true, ..Made::new(VERTICES, false) });
    assert!(forced.iter().all(|record| way(record) == (EdgeDirection::Push, AccessMode::Sweep)));
}

#[test]
fn sweeps_pass_over_intervals_without_active_vertices() {
    let edges = (1..VERTICES).map(|vertex| (vertex - 1, vertex, 1.0)).collect();
    let setting = Setting::new(VERTICES, edges, 1);
    let engine =
        setting.engine(&Made { schedule: Schedule::Sweep, without_in_lists: true, ..Made::new(VERTICES, false) });
    let mut values = engine.values(|vertex| vertex * 10).unwrap();
    setting.graph.out.take_read();
    let active = VertexSet::from_members(vec![3, 700], VERTICES);
    engine.propagate(&Hops, Directions::Out, &mut values, &active).unwrap();
    assert_eq!(setting.graph.out.take_read(), [3, 700]);
}
