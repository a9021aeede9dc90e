//! Builds with checkpoints that are stopped wherever they tell of their progress, and go on.

use crate::cases::collect::work;
use crate::cases::graph::{Case, Ids};
use crate::cases::model::Model;
use crate::writing::built::assert_store;
use outcrop_io::Disk;
use outcrop_io::IoChoice;
use outcrop_store::WorkContext;
use outcrop_store::access::Workers;
use outcrop_store::writing::{BuildCheckpoints, BuildOptions, BuildReport, build_with_limits};
use outcrop_store::{Dedup, SelfLoops, Store};
use outcrop_types::{Cancellation, Error, MemoryBudget, Observer, Phase, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Stops a build when it tells of its progress for the last of so many times, and takes notes.
struct Stopper {
    cancellation: Cancellation,
    left: AtomicU64,
    notes: Mutex<Vec<String>>,
}

impl Stopper {
    fn tick(&self) {
        if self.left.fetch_sub(1, Relaxed) == 1 {
            self.cancellation.cancel();
        }
    }
}

impl Observer for Stopper {
    fn phase(&self, _: &Phase) {
        self.tick();
    }

    fn progress(&self, _: u64) {
        self.tick();
    }

    fn note(&self, message: &str) {
        self.notes.lock().unwrap().push(message.to_owned());
    }
}

/// A build, and the time between two checkpoints while its input is read.
struct Stopped {
    case: Case,
    /// True if ids are those of the case; else they are taken for any whole numbers.
    dense: bool,
    every: Duration,
}

impl Stopped {
    fn new(case: Case, every: Duration) -> Self {
        Self { dense: case.ids == Ids::Dense, case, every }
    }

    fn options(&self, target: &Path) -> BuildOptions<'static> {
        BuildOptions { dense_ids: self.dense, ..self.case.options(target) }
    }
}

/// Builds with checkpoints in `folder` until the build tells of its progress for the `stop`th time; what came of it,
/// and notes.
fn build(stopped: &Stopped, folder: &Path, stop: u64) -> (Result<BuildReport>, Vec<String>) {
    let (case, every) = (&stopped.case, stopped.every);
    let check = |found: &str| if found == "a build" { Ok(()) } else { Err(Error::internal(found)) };
    let kept = folder.join("kept");
    let checkpoints = BuildCheckpoints::open(Box::new(Disk), &kept, "a build".to_owned(), every, true, check).unwrap();
    let options = BuildOptions { checkpoints: Some(&checkpoints), ..stopped.options(&folder.join("graph.outcrop")) };
    let (budget, cancellation) = (MemoryBudget::new(case.memory), Cancellation::new());
    let notes = Mutex::default();
    let stopper = Stopper { cancellation: cancellation.clone(), left: AtomicU64::new(stop), notes };
    let workers = Workers::start(1, cancellation).unwrap();
    let work = WorkContext { observer: &stopper, ..work(IoChoice::Auto, &budget, &workers) };
    let built = build_with_limits(case.input(), &options, case.limits(), work);
    assert_eq!(budget.available(), budget.limit(), "everything reserved is given back");
    if built.is_ok() {
        checkpoints.clear().unwrap();
        assert!(!kept.exists());
    }
    (built, stopper.notes.into_inner().unwrap())
}

#[test]
fn a_build_whose_store_is_complete_ends_without_building() {
    for overwrite in [false, true] {
        let (folder, case) = (tempfile::tempdir().unwrap(), Case::random(Ids::Sparse, 40, 90));
        let target = folder.path().join("graph.outcrop");
        if overwrite {
            Case::random(Ids::Dense, 5, 5).build(&target).unwrap();
        }
        let built = || {
            let check = |_: &str| Ok(());
            let (kept, every) = (folder.path().join("kept"), Duration::from_secs(600));
            let checkpoints = BuildCheckpoints::open(Box::new(Disk), &kept, "a build".to_owned(), every, true, check);
            let (checkpoints, budget) = (checkpoints.unwrap(), MemoryBudget::new(case.memory));
            if let Some(report) = checkpoints.finished(&Disk, &target).unwrap() {
                return (report, checkpoints, true);
            }
            let options = BuildOptions { checkpoints: Some(&checkpoints), overwrite, ..case.options(&target) };
            let workers = Workers::start(1, Cancellation::new()).unwrap();
            let work = work(IoChoice::Auto, &budget, &workers);
            let built = build_with_limits(case.input(), &options, case.limits(), work).unwrap();
            (built, checkpoints, false)
        };
        // The process is killed before it clears the checkpoint.
        let (first, checkpoints, finished) = built();
        assert!(!finished);
        drop(checkpoints);
        let whole = |folder: &Path| {
            let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            names.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect::<BTreeSet<_>>()
        };
        let before = whole(&target);
        // What stood there before is left beside the store where the process is killed right behind the exchange.
        let left = folder.path().join("graph.outcrop.tmp-0123456789abcdef");
        Case::random(Ids::Dense, 5, 5).build(&left).unwrap();
        let known = |report: BuildReport| (report.manifest, report.input, report.loops_dropped);
        let first = known(first);
        // The second time after it has cleared the checkpoint.
        for _ in 0..2 {
            let (again, checkpoints, finished) = built();
            assert!(finished && known(again) == first);
            assert!(whole(&target) == before && !left.exists());
            checkpoints.clear().unwrap();
            assert!(!folder.path().join("kept").exists());
        }
    }
}

/// Stops the build everywhere, each time that it goes on once more, and compares the store with the model; the phases
/// in which it went on.
fn stop_everywhere(stopped: &Stopped) -> BTreeSet<String> {
    let (plain, case) = (tempfile::tempdir().unwrap(), &stopped.case);
    let expected = case.build_on(&Disk, &stopped.options(&plain.path().join("graph.outcrop"))).unwrap();
    // Ids that are not taken as those of the case are not the model's.
    let model = (stopped.dense == (case.ids == Ids::Dense)).then(|| Model::of(case));
    let (mut phases, mut stop) = (BTreeSet::new(), 0);
    loop {
        stop += 1;
        let folder = tempfile::tempdir().unwrap();
        let (mut built, _) = build(stopped, folder.path(), stop);
        let whole = built.is_ok();
        let mut later = [u64::MAX, 3].to_vec();
        while let Err(error) = built {
            assert!(matches!(error, Error::Interrupted), "{error}");
            assert!(!folder.path().join("graph.outcrop").exists());
            // One more stop on the way, then none.
            let next = later.pop().unwrap();
            let (again, notes) = build(stopped, folder.path(), next);
            phases.extend(
                notes.iter().filter_map(|note| note.strip_prefix("resumed from a checkpoint: ").map(str::to_owned)),
            );
            built = again;
        }
        let report = built.unwrap();
        let built = |report: &BuildReport| {
            (report.manifest.graph.arc_hash, report.manifest.numbering.ids, report.manifest.numbering.order)
        };
        assert_eq!(built(&report), built(&expected), "stopped at {stop}");
        let facts = |report: &BuildReport| (report.loops_dropped, report.skipped_lines, report.input.clone());
        assert_eq!(facts(&report), facts(&expected));
        let store = Store::open(&folder.path().join("graph.outcrop")).unwrap();
        model.iter().for_each(|model| assert_store(&store, case, model));
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["graph.outcrop"]);
        if whole {
            return phases;
        }
    }
}

#[test]
fn a_build_that_was_stopped_anywhere_goes_on_to_the_same_store() {
    let base = Case { weighted: true, vertices: vec![5000, 5001], ..Case::random(Ids::Dense, 400, 2500) };
    let [reading, targets, writing] = ["reading edges", "looking up targets", "writing lists"];
    for (ids, by_degree, undirected) in [
        (Ids::Dense, false, false),
        (Ids::Dense, true, true),
        (Ids::Sparse, false, true),
        (Ids::Sparse, true, false),
        (Ids::Text, true, false),
        (Ids::Text, false, true),
    ] {
        // Strings that the table of them does not hold are sorted, from the first edge on or later.
        let table_bytes = if by_degree { 0 } else { 12_000 };
        let dedup = if by_degree { Dedup::First } else { Dedup::Sum };
        let self_loops = if undirected { SelfLoops::Drop } else { SelfLoops::Keep };
        let case = Case { ids, by_degree, undirected, dedup, self_loops, table_bytes, ..base.clone() };
        let phases = stop_everywhere(&Stopped::new(case, Duration::ZERO));
        let mut expected = vec![reading, writing];
        expected.extend((ids != Ids::Dense).then_some(targets));
        assert!(expected.iter().all(|phase| phases.contains(*phase)), "{ids:?}: {phases:?}");
    }
}

#[test]
fn strings_in_memory_go_on_without_being_sorted() {
    let case = Case { weighted: true, by_degree: true, ..Case::random(Ids::Text, 400, 2500) };
    let phases = stop_everywhere(&Stopped::new(case, Duration::ZERO));
    assert_eq!(phases, ["reading edges", "writing lists"].map(str::to_owned).into());
}

/// Small whole numbers, which are ticked off; behind them some that are too large for that, so that all are sorted.
#[test]
fn ids_that_are_ticked_off_go_on_and_so_do_those_that_no_longer_are() {
    let mut edges = Case::random(Ids::Dense, 400, 2500).edges;
    for large in [None, Some(1500)] {
        large.into_iter().for_each(|edge| edges[edge].0 = 1 << 31);
        let case = Case { by_degree: true, ..Case::new(Ids::Dense, edges.clone()) };
        let phases = stop_everywhere(&Stopped { case, dense: false, every: Duration::ZERO });
        assert!(phases.contains("reading edges") && phases.contains("writing lists"), "{phases:?}");
        assert_eq!(phases.contains("looking up targets"), large.is_some(), "{phases:?}");
    }
}

#[test]
fn a_store_in_the_making_that_is_gone_is_missed() {
    let case = Case { by_degree: true, table_bytes: 0, ..Case::random(Ids::Text, 100, 3000) };
    let stopped = Stopped::new(case, Duration::MAX);
    let folder = tempfile::tempdir().unwrap();
    let stops = (1..).find(|stop| {
        let (built, _) = build(&stopped, folder.path(), *stop);
        assert!(built.is_err());
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let made: Vec<_> = names.filter(|path| !path.ends_with("kept")).collect();
        made.iter().for_each(|path| std::fs::remove_dir_all(path).unwrap());
        !made.is_empty()
    });
    let (built, _) = build(&stopped, folder.path(), u64::MAX);
    let error = built.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{stops:?}: {error}");
    assert!(error.to_string().contains("remove it and start again"), "{error}");
}
