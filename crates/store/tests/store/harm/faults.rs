//! Reads that fail and work that is told to stop: an error, never a wrong answer, and the next call works.

use crate::cases::collect::{Collect, Reading, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{self, TINY, chunks, compact, pages_of, sliding};
use crate::cases::lists::Lists;
use crate::cases::model::{List, Model};
use crate::harm::crash::NAME;
use outcrop_io::{Device, Disk, Fault, FaultyDevice, IoChoice, MergePolicy, PlannedFault, SequentialFile, Storage};
use outcrop_store::WorkContext;
use outcrop_store::access::{Adjacency, FoldLists, Neighbors, Workers};
use outcrop_store::layout::{Layout, LayoutKind};
use outcrop_store::writing::build;
use outcrop_store::{Codec, Store};
use outcrop_types::{
    Cancellation, Direction, Error, MemoryBudget, Observer, Phase, Result, VertexId, VertexRange, VertexSet,
};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Of chunks, those of which some lists run through several and others fill what these leave.
fn both_layouts() -> [Layout; 6] {
    [pages_of(4096), pages_of(512), pages_of(16_384), chunks(TINY, |_| {}), compact(Codec::Packed), sliding(5)]
}

fn case() -> Case {
    let case = Case::random(Ids::Dense, 2000, 120_000);
    let mut edges = case.edges.clone();
    edges.extend((0..66_000).map(|i| (7, i % 2000, 1.0)));
    Case { edges, weighted: true, interval_arcs: 20_000, ..case }
}

fn select(lists: &Lists, set: &VertexSet) -> Result<Vec<Option<List>>> {
    let collect = Collect::new(lists.num_vertices(), &|_| true);
    lists.select(set, &collect)?;
    Ok(collect.into_lists())
}

fn sweep(lists: &Lists) -> Result<Vec<Option<List>>> {
    let collect = Collect::new(lists.num_vertices(), &|_| true);
    lists.sweep(VertexRange::new(0, lists.num_vertices()), &collect)?;
    Ok(collect.into_lists())
}

/// Lets request `k` fail for k = 0, 1, 2...; the read that it strikes must fail, all others must be right.
fn fail_each(
    store: &Store,
    reading: Reading,
    fault: impl Fn(u64) -> Fault,
    read: impl Fn(&Lists) -> Result<Vec<Option<List>>>,
) {
    let (budget, workers) = (MemoryBudget::new(1 << 30), reading.workers());
    let open = |wrap: &dyn Fn(Arc<dyn Device>) -> Arc<dyn Device>| {
        let how = crate::cases::lists::options(reading, MergePolicy::default());
        Lists::open_through(store, Direction::Out, &how, &budget, &workers, wrap).unwrap()
    };
    let expected = read(&open(&|device| device)).unwrap();
    let mut request = 0;
    loop {
        let plan = [PlannedFault { request, fault: fault(request) }];
        let lists = open(&|device| Arc::new(FaultyDevice::new(device, plan)));
        match read(&lists) {
            // No request was left to strike.
            Ok(found) => return assert!(found == expected && request > 0),
            Err(error) => {
                let corrupt = plan[0].fault != Fault::Error;
                assert_eq!(matches!(error, Error::Corrupt { .. }), corrupt, "{error}");
                assert!(read(&lists).unwrap() == expected, "after {plan:?}");
            }
        }
        request += 1 + request / 8;
    }
}

#[test]
fn every_read_that_fails_is_an_error_and_the_next_call_works() {
    both_layouts().iter().for_each(fail_each_of);
}

fn fail_each_of(layout: &Layout) {
    let folder = tempfile::tempdir().unwrap();
    case().laid_out(layout).build(&folder.path().join(NAME)).unwrap();
    let store = Store::open(&folder.path().join(NAME)).unwrap();
    let set = VertexSet::from_members((0..2000).step_by(29).chain([7]).collect(), 2000);
    let faults: [fn(u64) -> Fault; 3] =
        [|_| Fault::Error, |_| Fault::Short, |request| Fault::FlipBit(request.wrapping_mul(0x9e37_79b9_7f4a_7c15))];
    // Requests for blocks bring bytes of others besides, in which a changed bit does no harm.
    let faults = if layout.kind() == LayoutKind::Sliding { &faults[..2] } else { &faults[..] };
    for (io, threads, cache_bytes) in
        [(IoChoice::Buffered, 1, 0), (IoChoice::Auto, 2, 0), (IoChoice::Auto, 2, 1 << 30), (IoChoice::Auto, 4, 1 << 16)]
    {
        let reading = Reading { io, threads, cache_bytes, ..Reading::PLAIN };
        for fault in faults.iter().copied() {
            fail_each(&store, reading, fault, |lists| select(lists, &set));
            fail_each(&store, reading, fault, sweep);
        }
    }
}

/// Stops the work when it sees its first list, and counts what comes after.
struct Stopper {
    cancellation: Cancellation,
    seen: AtomicU64,
}

impl FoldLists for Stopper {
    type Fold = ();

    fn begin(&self, _: VertexId) {
        self.cancellation.cancel();
        self.seen.fetch_add(1, Relaxed);
    }

    fn neighbors(&self, _: VertexId, _: &mut (), _: Neighbors<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn end(&self, _: VertexId, _: ()) {}
}

#[test]
fn reading_stops_soon_after_it_is_told_to() {
    both_layouts().iter().for_each(stop_soon);
}

fn stop_soon(layout: &Layout) {
    let folder = tempfile::tempdir().unwrap();
    let case = Case::random(Ids::Dense, 50_000, 500_000).laid_out(layout);
    case.build(&folder.path().join(NAME)).unwrap();
    let store = Store::open(&folder.path().join(NAME)).unwrap();
    for threads in [1, 2] {
        for cached in [false, true] {
            let cancellation = Cancellation::new();
            let workers = Workers::start(threads, cancellation.clone()).unwrap();
            let reading = Reading { threads, cache_bytes: if cached { 1 << 30 } else { 0 }, ..Reading::PLAIN };
            let budget = MemoryBudget::new(2 << 30);
            let how = crate::cases::lists::options(reading, MergePolicy::default());
            let lists = Lists::open_through(&store, Direction::Out, &how, &budget, &workers, |device| device).unwrap();
            sweep(&lists).unwrap();
            let all = VertexRange::new(0, 50_000);
            let stopper = Stopper { cancellation, seen: AtomicU64::new(0) };
            assert!(matches!(lists.sweep(all, &stopper), Err(Error::Interrupted)));
            assert!(matches!(lists.select(&VertexSet::all(50_000), &stopper), Err(Error::Interrupted)));
            assert!(stopper.seen.into_inner() < 40_000);
        }
    }
}

/// Stops a build at its `left`-th sign of life.
struct Interrupter {
    cancellation: Cancellation,
    left: AtomicU64,
}

impl Interrupter {
    fn tick(&self) {
        if self.left.fetch_sub(1, Relaxed) == 1 {
            self.cancellation.cancel();
        }
    }
}

impl Observer for Interrupter {
    fn phase(&self, _: &Phase) {
        self.tick();
    }

    fn progress(&self, _: u64) {
        self.tick();
    }
}

#[test]
fn a_build_that_is_stopped_leaves_nothing() {
    let in_chunks = Case::random(Ids::Text, 300, 5000).laid_out(&Layout::default());
    for case in [in_chunks, Case { by_degree: true, ..Case::random(Ids::Dense, 300, 5000) }] {
        let mut stopped = 0;
        for left in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join(NAME);
            let cancellation = Cancellation::new();
            let observer = Interrupter { cancellation: cancellation.clone(), left: AtomicU64::new(left) };
            let budget = MemoryBudget::new(case.memory);
            let workers = Workers::start(1, cancellation.clone()).unwrap();
            let work = WorkContext { observer: &observer, ..work(IoChoice::Auto, &budget, &workers) };
            let built = build(case.input(), &case.options(&target), work);
            match built {
                Ok(_) if !cancellation.is_cancelled() => break,
                Ok(_) => assert!(target.exists()),
                Err(error) => {
                    assert!(matches!(error, Error::Interrupted), "{error}");
                    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
                    stopped += 1;
                }
            }
        }
        assert!(stopped > 5);
    }
}

#[test]
fn the_model_and_the_store_agree_on_the_graph_that_faults_strike() {
    let expected = Model::of(&case()).out;
    for layout in layouts::some() {
        let folder = tempfile::tempdir().unwrap();
        case().laid_out(&layout).build(&folder.path().join(NAME)).unwrap();
        let lists = Reading::PLAIN.open(&Store::open(&folder.path().join(NAME)).unwrap(), Direction::Out).unwrap();
        assert!(sweep(&lists).unwrap().into_iter().eq(expected.iter().cloned().map(Some)), "{layout:?}");
    }
}

/// The disk, on which writing in-lists meets a bug.
struct BuggyStorage;

impl Storage for BuggyStorage {
    fn create(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        assert!(!path.file_name().unwrap().to_str().unwrap().starts_with("in."), "a bug");
        Disk.create(path)
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        Disk.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        Disk.sync_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        Disk.rename(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        Disk.exchange(a, b)
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        Disk.remove_folder(path)
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        Disk.remove_file(path)
    }

    fn free_bytes(&self, path: &Path) -> Result<Option<u64>> {
        Disk.free_bytes(path)
    }
}

#[test]
fn a_panic_while_in_lists_are_written_is_an_internal_error() {
    let folder = tempfile::tempdir().unwrap();
    let case = Case::random(Ids::Dense, 20, 40);
    let error = case.build_on(&BuggyStorage, &case.options(&folder.path().join(NAME))).unwrap_err();
    assert!(matches!(&error, Error::Internal { message } if message.ends_with("panicked: a bug")), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
