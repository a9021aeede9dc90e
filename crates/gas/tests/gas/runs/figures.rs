//! Figures that count what was done.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{Choosing, Increasing, Others, Paths, Shortest};
use crate::runs::threads::timeless;
use crate::setting::{Came, KINDS, Room, Setting, Way, run};
use outcrop_gas::ShardKind;
use outcrop_types::GasStepFigures;
use std::sync::atomic::Ordering::Relaxed;

const DYNAMIC: [ShardKind; 3] = [ShardKind::Aggressive, ShardKind::Optimized, ShardKind::EdgeList];

fn arcs_of(graph: &Arcs) -> u64 {
    graph.arcs.len() as u64
}

/// Arcs that were given a value in each iteration, those of its shadow iterations included.
fn updated(steps: &[GasStepFigures]) -> Vec<u64> {
    let mut updated: Vec<u64> = Vec::new();
    for step in steps {
        match updated.last_mut() {
            Some(last) if step.shadow => *last += step.updated_arcs,
            _ => updated.push(step.updated_arcs),
        }
    }
    updated
}

#[test]
fn static_shards_go_over_all_arcs_in_each_iteration() {
    let graph = Arcs::drawn(900, 5000, 71);
    for intervals in [1, 4] {
        let way = Way { intervals, weighted: true, ..Way::new(ShardKind::Static, 0.3, 0) };
        let (expected, came) = (interpret(&Choosing::<Shortest>::NEW, &graph, 1000), shortest(&graph, way));
        let figures = &came.figures;
        assert_eq!((figures.arcs, figures.intervals), (arcs_of(&graph), intervals));
        assert_eq!((figures.shadows, figures.dynamic_sets, figures.peak_delay_bytes), (0, 0, 0));
        assert_eq!((figures.shadow_bytes_read, figures.shadow_bytes_written), (0, 0));
        assert!(figures.steps.iter().all(|step| !step.shadow && step.arcs == arcs_of(&graph) && step.delayed == 0));
        assert_eq!(updated(&figures.steps), expected.updated);
        let changed: Vec<u64> = figures.steps.iter().skip(1).map(|step| step.changed).collect();
        assert_eq!(changed, expected.steps.iter().skip(1).map(|step| step.changed).collect::<Vec<_>>());
        assert_eq!(came.records.len(), expected.steps.len());
    }
}

fn shortest(graph: &Arcs, way: Way) -> Came<u64> {
    run(&Choosing::<Shortest>::NEW, graph, way, 10_000)
}

#[test]
fn without_delays_the_same_arcs_are_updated() {
    let graph = Arcs::drawn(900, 5000, 72);
    let expected = interpret(&Choosing::<Shortest>::NEW, &graph, 1000);
    for kind in DYNAMIC {
        for share in [0.1, 0.3, 1.0] {
            let came = shortest(&graph, Way { weighted: true, ..Way::new(kind, share, 0) });
            assert_eq!(updated(&came.figures.steps), expected.updated, "{kind:?} {share}");
        }
    }
}

#[test]
fn dynamic_shards_hold_few_arcs_where_fewer_and_fewer_are_updated() {
    let graph = Arcs::path(600);
    let read = |kind| {
        let mut setting = Setting::new(&graph, Way { intervals: 6, ..Way::new(kind, 0.9, 8 << 10) });
        setting.furnish::<Increasing<Paths>>();
        let came = setting.run(&Increasing::<Paths>::NEW, 10_000).unwrap();
        (setting.shards.arcs_read.load(Relaxed), came)
    };
    let (all, _) = read(ShardKind::Static);
    for kind in DYNAMIC {
        let (some, came) = read(kind);
        assert!(some < all / 4, "{kind:?}: {some} of {all}");
        let figures = &came.figures;
        let shadows = figures.steps.iter().filter(|step| step.shadow).count();
        assert!(figures.dynamic_sets > 0 && shadows > 0, "{kind:?}");
        assert_eq!(figures.shadows as usize, shadows);
        assert_eq!(figures.steps.len(), came.iterations as usize + 1 + shadows);
        let arcs: u64 = figures.steps.iter().map(|step| step.arcs).sum();
        let most = if kind == ShardKind::Aggressive { 60 } else { 95 };
        assert!(arcs < figures.steps.len() as u64 * arcs_of(&graph) * most / 100, "{kind:?}: {arcs}");
    }
}

#[test]
fn figures_are_those_of_the_last_run() {
    let graph = Arcs::drawn(900, 5000, 73);
    for kind in KINDS {
        let mut setting = Setting::new(&graph, Way { weighted: true, room: Room::Least, ..Way::new(kind, 0.6, 100) });
        setting.furnish::<Choosing<Shortest>>();
        let engine = setting.engine::<Choosing<Shortest>>().unwrap();
        let figures = [0; 2].map(|_| {
            engine.run(&Choosing::<Shortest>::NEW, 1000).map(drop).unwrap();
            timeless(&engine.gas_figures())
        });
        assert!(figures[0] == figures[1] && figures[0].bytes_read > 0, "{kind:?}");
    }
}

#[test]
fn a_share_of_nothing_means_static_shards() {
    let graph = Arcs::drawn(900, 5000, 74);
    for kind in DYNAMIC {
        let figures = shortest(&graph, Way { weighted: true, ..Way::new(kind, 0.0, 100) }).figures;
        assert_eq!((figures.shadows, figures.dynamic_sets, figures.peak_delay_bytes), (0, 0, 0), "{kind:?}");
    }
}

#[test]
fn auto_uses_dynamic_shards_unless_edges_retain_their_values() {
    let figures = |kind| {
        let way = Way { weighted: true, room: Room::Least, ..Way::new(kind, 0.9, 100) };
        let mut setting = Setting::new(&Arcs::path(600), way);
        setting.furnish::<Choosing<Shortest>>();
        timeless(&setting.run(&Choosing::<Shortest>::NEW, 10_000).unwrap().figures)
    };
    assert!(figures(ShardKind::Auto) == figures(ShardKind::Optimized));
    assert!(figures(ShardKind::Auto).dynamic_sets > 0);
    let graph = Arcs::forest(400, 60, 63);
    let retained = |kind| {
        let mut setting = Setting::new(&graph, Way { room: Room::Least, ..Way::new(kind, 0.9, 100) });
        setting.furnish::<Others>();
        timeless(&setting.run(&Others, 1000).unwrap().figures)
    };
    assert!(retained(ShardKind::Auto) == retained(ShardKind::Static));
    assert!(retained(ShardKind::Optimized).dynamic_sets > 0);
}

#[test]
fn delays_are_counted_and_bounded() {
    let graph = Arcs::path(600);
    for kind in DYNAMIC {
        for delay in [0, 64, 100 << 10] {
            let figures = shortest(&graph, Way { weighted: true, ..Way::new(kind, 0.9, delay) }).figures;
            assert!(figures.shadows > 0 && figures.peak_delay_bytes > 0, "{kind:?} {delay}");
            assert!(figures.steps.iter().any(|step| step.delayed > 0), "{kind:?} {delay}");
            let after_shadows = figures.steps.iter().filter(|step| step.shadow).map(|step| step.delayed).max();
            assert_eq!(after_shadows, Some(0), "{kind:?} {delay}");
            if delay == 0 {
                let pairs = figures.steps.windows(2);
                assert!(pairs.into_iter().all(|pair| pair[0].delayed == 0 || pair[1].shadow), "{kind:?}");
            }
        }
    }
}

#[test]
fn whole_shards_come_back_where_many_edges_are_updated_again() {
    let graph = Arcs::drawn(900, 9000, 77);
    let expected = interpret(&Choosing::<Shortest>::NEW, &graph, 1000);
    for kind in DYNAMIC {
        let came = shortest(&graph, Way { weighted: true, ..Way::new(kind, 0.3, 0) });
        let steps = &came.figures.steps;
        // Few edges of one vertex, then most of the graph, then the few last improvements.
        let whole: Vec<bool> = steps.iter().map(|step| step.arcs == arcs_of(&graph)).collect();
        let to_dynamic = whole.windows(2).filter(|pair| pair[0] && !pair[1]).count();
        let to_whole = whole.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        assert!(to_dynamic > 1 && to_whole > 0, "{kind:?}: {steps:?}");
        assert_eq!(updated(steps), expected.updated, "{kind:?}");
    }
}

#[test]
fn of_few_edges_pairs_are_written() {
    let graph = Arcs::drawn(2000, 30_000, 76);
    // All edges of a block, at 8 bytes each, are written where a third of them are updated, at 12 bytes each; and what
    // is delayed.
    let most = |step: &GasStepFigures| 24 * step.updated_arcs + 16 * step.delayed;
    for kind in KINDS {
        let way = Way { room: Room::Least, weighted: true, intervals: 6, ..Way::new(kind, 0.0, 0) };
        let figures = shortest(&graph, way).figures;
        assert!(figures.bytes_written > 0, "{kind:?}");
        let few = figures.steps.iter().all(|step| step.bytes_written <= most(step));
        assert_eq!(few, kind != ShardKind::Static, "{kind:?}: {:?}", figures.steps);
    }
}

#[test]
fn bytes_of_steps_add_up_and_ample_memory_needs_no_disk() {
    let graph = Arcs::drawn(2000, 30_000, 75);
    for kind in KINDS {
        for room in [Room::Least, Room::Ample] {
            let way = Way { room, weighted: true, intervals: 6, ..Way::new(kind, 0.6, 200) };
            let figures = shortest(&graph, way).figures;
            let sum = |of: fn(&GasStepFigures) -> u64, shadow: bool| -> u64 {
                figures.steps.iter().filter(|step| step.shadow == shadow).map(of).sum()
            };
            assert_eq!(sum(|step| step.bytes_written, true), figures.shadow_bytes_written, "{way:?}");
            assert_eq!(sum(|step| step.bytes_read, true), figures.shadow_bytes_read, "{way:?}");
            assert_eq!(sum(|step| step.bytes_written, false) + figures.shadow_bytes_written, figures.bytes_written);
            assert!(sum(|step| step.bytes_read, false) + figures.shadow_bytes_read >= figures.bytes_read);
            let on_disk = (figures.bytes_written > 0, figures.bytes_read > 0, figures.peak_disk_bytes > 0);
            assert_eq!(on_disk, (room == Room::Least, room == Room::Least, room == Room::Least), "{way:?}");
        }
    }
}

#[cfg(target_os = "linux")]
mod disk {
    use super::*;
    use crate::setting::temporary_files;
    use outcrop_types::{IterationRecord, Observer};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    /// Looks at the temporary files in a folder after every iteration.
    struct Watch {
        folder: PathBuf,
        most: Mutex<u64>,
    }

    impl Observer for Watch {
        fn iteration(&self, _: &IterationRecord) {
            let mut most = self.most.lock().unwrap();
            *most = most.max(bytes_in(&self.folder));
        }
    }

    /// Bytes of the temporary files in a folder.
    fn bytes_in(folder: &Path) -> u64 {
        temporary_files(folder).iter().map(|(_, file)| file.size().min(file.blocks() * 512)).sum()
    }

    #[test]
    fn the_peak_on_disk_is_not_less_than_what_is_there() {
        let graph = Arcs::drawn(3000, 60_000, 76);
        for kind in KINDS {
            for delay in [0, 200] {
                let way = Way { room: Room::Least, weighted: true, intervals: 6, ..Way::new(kind, 0.6, delay) };
                let mut setting = Setting::new(&graph, way);
                setting.furnish::<Choosing<Shortest>>();
                let watch = Watch { folder: setting.folder.path().to_owned(), most: Mutex::new(0) };
                let program = Choosing::<Shortest>::NEW;
                let engine = setting.engine_for::<Choosing<Shortest>>(&watch).unwrap();
                engine.run(&program, 1000).unwrap();
                let (peak, seen) = (engine.gas_figures().peak_disk_bytes, *watch.most.lock().unwrap());
                assert!(seen > 0 && peak >= seen && peak < 8 * seen, "{way:?}: {peak} {seen}");
                drop(engine);
                assert_eq!(bytes_in(setting.folder.path()), 0, "{way:?}");
            }
        }
    }
}
