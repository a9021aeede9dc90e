//! What is counted is what was done.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{Choosing, Increasing, Paths, Shortest};
use crate::setting::{Came, KINDS, Room, Setting, Way, run};
use outcrop_engine::gas::ShardKind;
use outcrop_types::GasStepFigures;
use std::sync::atomic::Ordering::Relaxed;

const DYNAMIC: [ShardKind; 3] = [ShardKind::Aggressive, ShardKind::Optimised, ShardKind::EdgeList];

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
    run(&Choosing::<Shortest>::NEW, graph, way, 1000)
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
fn dynamic_shards_hold_few_arcs() {
    let graph = Arcs::path(3000);
    let program = Choosing::<Shortest>::NEW;
    let read = |kind| {
        let mut setting = Setting::new(&graph, Way { weighted: true, intervals: 6, ..Way::new(kind, 0.3, 200) });
        setting.furnish::<Choosing<Shortest>>();
        let came = setting.run(&program, 10_000).unwrap();
        (setting.shards.arcs_read.load(Relaxed), came)
    };
    let (all, _) = read(ShardKind::Static);
    for kind in DYNAMIC {
        let (some, came) = read(kind);
        assert!(some < all / 4, "{kind:?}: {some} of {all}");
        let figures = &came.figures;
        assert!(figures.dynamic_sets > 0 && figures.shadows > 0, "{kind:?} {figures:?}");
        let shadows = figures.steps.iter().filter(|step| step.shadow).count();
        assert_eq!((figures.shadows as usize, came.iterations as usize + 1), {
            (shadows, figures.steps.len() - shadows)
        });
        let small = figures.steps.iter().filter(|step| !step.shadow && step.arcs < arcs_of(&graph) / 2).count();
        assert!(small > figures.steps.len() / 3, "{kind:?}: {small} of {}", figures.steps.len());
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
fn delays_are_counted_and_bounded() {
    let graph = Arcs::path(2000);
    for kind in DYNAMIC {
        for delay in [0, 64, 100 << 10] {
            let figures = run(&Increasing::<Paths>::NEW, &graph, Way::new(kind, 0.9, delay), 10_000).figures;
            assert!(figures.shadows > 0 && figures.peak_delay_bytes > 0, "{kind:?} {delay} {figures:?}");
            let most = figures.steps.iter().map(|step| step.delayed).max().unwrap();
            assert!((most > 0) == (delay > 0), "{kind:?} {delay}: {most}");
            let after_shadows = figures.steps.iter().filter(|step| step.shadow).map(|step| step.delayed).max();
            assert_eq!(after_shadows, Some(0), "{kind:?} {delay}");
            assert!(delay > 0 || figures.steps.iter().all(|step| step.delayed == 0));
        }
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
            assert_eq!(on_disk, (room == Room::Least, room == Room::Least, room == Room::Least), "{way:?} {figures:?}");
        }
    }
}

#[cfg(target_os = "linux")]
mod disk {
    use super::*;
    use outcrop_types::{IterationRecord, Observer};
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;
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

    /// Bytes of the unnamed files of this process in a folder, each file once.
    fn bytes_in(folder: &std::path::Path) -> u64 {
        let links = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok).map(|entry| entry.path());
        let ours = links.filter(|link| std::fs::read_link(link).is_ok_and(|name| name.starts_with(folder)));
        let files = ours.filter_map(|link| std::fs::metadata(link).ok());
        let files = files.map(|file| (file.ino(), file.size().min(file.blocks() * 512)));
        files.collect::<std::collections::BTreeMap<_, _>>().values().sum()
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
